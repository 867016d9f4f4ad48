import { z } from 'zod';
import { defaults } from '../defaults.js';
import { stringList, identifier } from '../../lib/config-fields.js';

const d = defaults.tool;

const override = z.strictObject({
  enabled: z.exactOptional(z.boolean()).describe('Whether the tool is offered at start.'),
  timeout: z.exactOptional(z.number()).describe('Seconds a call may take if the caller sets no timeout.'),
  max_timeout: z.exactOptional(z.number()).describe('Longest timeout a caller can set, in seconds.'),
  concurrency: z.exactOptional(z.int()).describe('Concurrent calls.'),
  rate: z.exactOptional(z.number()).describe('Calls per minute and principal.'),
  breaker: z
    .exactOptional(
      z.strictObject({
        failure_threshold: z.exactOptional(z.int()).describe('Consecutive failures that open the breaker.'),
        recovery_timeout: z.exactOptional(z.number()).describe('Seconds a breaker stays open before one probe.'),
      }),
    )
    .describe('As `circuit_breaker`, for this tool.'),
  tasks: z
    .exactOptional(z.enum(['optional', 'required', 'forbidden']))
    .describe('Whether clients that support tasks may, must or cannot run the tool as a task.'),
  effects: z
    .exactOptional(
      z.strictObject({
        reads: z.exactOptional(z.boolean()).describe('Whether it reads data.'),
        writes: z.exactOptional(z.boolean()).describe('Whether it modifies data; `false` implies `destroys: false`.'),
        destroys: z.exactOptional(z.boolean()).describe('Whether it may delete data.'),
        idempotent: z.exactOptional(z.boolean()).describe('Whether repeating a call has no further effect.'),
        open_world: z.exactOptional(z.boolean()).describe('Whether it reaches external systems.'),
      }),
    )
    .describe('Effects that you vouch for; they replace what the source states.'),
  policy: z.exactOptional(identifier).describe('Network policy of the targets of this tool.'),
  max_stdout_bytes: z.exactOptional(z.int()).describe('Standard output kept, for this tool.'),
  max_memory_mb: z.exactOptional(z.int()).describe('Address space of the process, for this tool.'),
});

/** Limits of every tool, and exceptions by name. */
export const tool = z
  .strictObject({
    default_timeout: z
      .number()
      .default(d.default_timeout)
      .describe('Seconds a call may take if neither caller nor tool sets a timeout.'),
    default_concurrency: z.int().default(d.default_concurrency).describe('Concurrent calls of one tool.'),
    queue_length: z
      .int()
      .default(d.queue_length)
      .describe('Calls of one tool that may wait for a slot; further calls fail with `busy`.'),
    queue_timeout: z.number().default(d.queue_timeout).describe('Seconds a call may wait for a slot.'),
    max_args_length: z.int().default(d.max_args_length).describe('Longest `extra_args` accepted, in characters.'),
    max_stdout_bytes: z.int().default(d.max_stdout_bytes).describe('Standard output kept per call.'),
    max_stderr_bytes: z.int().default(d.max_stderr_bytes).describe('Standard error kept per call.'),
    max_memory_mb: z.int().default(d.max_memory_mb).describe('Address space of a tool process, in MiB.'),
    max_file_descriptors: z.int().default(d.max_file_descriptors).describe('Open files of a tool process.'),
    include: stringList(d.include).describe('Offer only these tools; empty means all.'),
    exclude: stringList(d.exclude).describe('Never offer these tools; takes precedence over `include`.'),
    overrides: z.record(identifier, override).default({}).describe('Exceptions by tool name.'),
  })
  .prefault({})
  .describe('Limits of every tool, and exceptions by name.');
