import { z } from 'zod';
import { defaults, toolDefaults } from '../defaults.js';
import { resolveToolAlias } from '../../core/tool-aliases.js';
import { stringList, identifier } from '../../lib/config-fields.js';

/** Defaults of this section. */
const d = defaults.tool;

/** A limit that is absent unless the operator sets it, so that a set one can be distinguished; the default is documentation. */
const limit = (schema: z.ZodNumber, key: keyof typeof toolDefaults, text: string) =>
  z.exactOptional(schema).meta({ default: toolDefaults[key] }).describe(text);

/** A name that no built-in tool had before, since old names still resolve. */
const newName = identifier.refine(
  (name) => resolveToolAlias(name) === name,
  'is an old name of a built-in tool; choose another',
);

/** Exceptions for one tool. */
const override = z.strictObject({
  enabled: z.exactOptional(z.boolean()).describe('Whether the tool is offered at start; `false` hides it.'),
  name: z
    // A new name must not shadow an alias: old rules would then apply to another tool.
    .exactOptional(newName)
    .describe('New name. Clients, rules, profiles, the journal and metrics use it; the source still gets its own.'),
  title: z.exactOptional(z.string().min(1).max(256)).describe('Title shown instead of the one of the source.'),
  description: z
    .exactOptional(z.string().min(1).max(16_384))
    .describe('Description shown instead of the one of the source. Pins and scans still compare that one.'),
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
  max_stdout_bytes: z.exactOptional(z.int()).describe('Standard output kept, for this tool; may exceed the ceiling.'),
  max_stderr_bytes: z.exactOptional(z.int()).describe('Standard error kept, for this tool; may exceed the ceiling.'),
  max_memory_mb: z
    .exactOptional(z.int())
    .describe('Address space of the process, for this tool; may exceed the ceiling.'),
  max_file_descriptors: z
    .exactOptional(z.int())
    .describe('Open files of the process, for this tool; may exceed the ceiling.'),
});

/** Limits of every tool, and exceptions by name. */
export const tool = z
  .strictObject({
    default_timeout: limit(
      z.number(),
      'default_timeout',
      'Seconds a call may take if the caller sets no timeout. A value that you set also replaces the timeouts of built-in tools, within their ranges.',
    ),
    default_concurrency: limit(
      z.int(),
      'default_concurrency',
      'Concurrent calls of one tool. A value that you set also replaces those of built-in tools, within their ranges.',
    ),
    queue_length: z
      .int()
      .default(d.queue_length)
      .describe('Calls of one tool that may wait for a slot; further calls fail with `busy`.'),
    queue_timeout: z.number().default(d.queue_timeout).describe('Seconds a call may wait for a slot.'),
    max_args_length: z.int().default(d.max_args_length).describe('Longest `extra_args` accepted, in characters.'),
    max_stdout_bytes: limit(
      z.int(),
      'max_stdout_bytes',
      'Standard output kept per call. A value that you set is a ceiling also for tools that declare more.',
    ),
    max_stderr_bytes: limit(
      z.int(),
      'max_stderr_bytes',
      'Standard error kept per call. A value that you set is a ceiling also for tools that declare more.',
    ),
    max_memory_mb: limit(
      z.int(),
      'max_memory_mb',
      'Address space of a tool process, in MiB. A value that you set is a ceiling also for tools that declare more.',
    ),
    max_file_descriptors: limit(
      z.int(),
      'max_file_descriptors',
      'Open files of a tool process. A value that you set is a ceiling also for tools that declare more.',
    ),
    include: stringList(d.include).describe('Offer only these tools; empty means all.'),
    exclude: stringList(d.exclude).describe('Never offer these tools; takes precedence over `include`.'),
    search: z
      .boolean()
      .default(d.search)
      .describe(
        'Offer `search_tools`, `describe_tool` and `call_tool` instead of all definitions, for catalogues that would fill the context of a model. Calls pass the guards as calls of the named tool.',
      ),
    overrides: z.record(identifier, override).default({}).describe('Exceptions by the name that the source lists.'),
  })
  .prefault({})
  .describe('Limits of every tool, and exceptions by name.');
