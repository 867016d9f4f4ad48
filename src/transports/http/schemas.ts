import type { JsonObject } from '../../core/json.js';

/** Building blocks of the schemas below. */
const text: JsonObject = { type: 'string' };
const flag: JsonObject = { type: 'boolean' };

/** JSON schema of REST errors. */
export const errorSchema: JsonObject = {
  type: 'object',
  required: ['error', 'error_type'],
  properties: {
    error: text,
    error_type: text,
    code: text,
    recovery_suggestion: text,
    retry_after: { type: 'integer' },
    metadata: { type: 'object' },
  },
};

/** JSON schema of a tool in `GET /tools` and `GET /tools/{name}`. */
export const toolInfoSchema: JsonObject = {
  type: 'object',
  required: ['name', 'description', 'source', 'ready', 'enabled'],
  properties: {
    name: text,
    title: text,
    description: text,
    source: text,
    ready: flag,
    reason: text,
    enabled: flag,
    input_schema: { type: 'object' },
    output_schema: { type: ['object', 'null'] },
  },
};

/** JSON schema of the response of `POST /tools/{name}/execute`. */
export const envelopeSchema: JsonObject = {
  type: 'object',
  required: [
    'stdout',
    'stderr',
    'returncode',
    'truncated_stdout',
    'truncated_stderr',
    'timed_out',
    'error',
    'error_type',
    'execution_time',
    'correlation_id',
    'metadata',
  ],
  properties: {
    stdout: text,
    stderr: text,
    returncode: { type: 'integer' },
    truncated_stdout: flag,
    truncated_stderr: flag,
    timed_out: flag,
    error: { type: ['string', 'null'] },
    error_type: { type: ['string', 'null'] },
    execution_time: { type: 'number', description: 'Seconds' },
    correlation_id: text,
    metadata: { type: 'object' },
    content: { type: 'array', items: { type: 'object' } },
    structured_content: {},
    error_context: { type: 'object' },
  },
};
