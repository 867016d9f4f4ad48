import type { JsonObject } from '../../../core/json.js';

/** Output schema of a command; `metadata.parsed` has the schema of its parser. */
export const commandOutputSchema = (parsed?: JsonObject): JsonObject => ({
  type: 'object',
  properties: {
    stdout: { type: 'string' },
    stderr: { type: 'string' },
    returncode: { type: 'integer' },
    truncated_stdout: { type: 'boolean' },
    truncated_stderr: { type: 'boolean' },
    timed_out: { type: 'boolean' },
    error: { type: ['string', 'null'] },
    error_type: { type: ['string', 'null'] },
    execution_time: { type: 'number' },
    correlation_id: { type: 'string' },
    metadata: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        dry_run: { type: 'boolean' },
        argv: { type: 'array', items: { type: 'string' } },
        summary: { type: 'string' },
        optimizations_applied: { type: 'array', items: { type: 'string' } },
        sandbox: { type: 'object', properties: { tier: { type: 'string' }, network: { type: 'string' } } },
        ...(parsed !== undefined && { parsed }),
      },
    },
  },
  required: ['stdout', 'stderr', 'returncode', 'truncated_stdout', 'truncated_stderr', 'timed_out', 'metadata'],
});
