import { z } from 'zod';
import { flagSchema, propertyName } from './flag.js';
import { crossCheck } from './manifest-checks.js';

const plainWord = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII');
const environmentName = z.string().regex(/^[A-Z_][A-Z0-9_]{0,63}$/, 'must be an environment variable name');

const targetSchema = z.strictObject({
  kind: z.enum(['host', 'cidr', 'url', 'domain', 'none']),
  policy: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
    .default('default'),
  description: z.string().max(400).optional(),
  /** Passed before the target, for programs that name it by a flag. */
  flag: plainWord.optional(),
  /** How the target is written, from {address}, {host} (bracketed IPv6), {name}, {target} and arguments; the address unless told. */
  form: plainWord.optional(),
  /** Passed with the name, where the target was one. */
  name_flag: plainWord.optional(),
  /** Passed as well where the address is IPv6, for programs that must be told. */
  ipv6_flag: plainWord.optional(),
  /** For `domain`: takes an address as well, vetted as a host, and passes it behind `address_flag` where there is one. */
  takes_addresses: z.boolean().default(false),
  address_flag: plainWord.optional(),
  /** For `url`: what holds the program to the vetted address, such as ["--resolve", "{name}:{port}:{address}"]; without it only addresses may stand in the URL. */
  pin: z.array(plainWord).max(4).optional(),
});

const limitsSchema = z.strictObject({
  timeout_sec: z.number().min(1).max(3600).optional(),
  max_timeout_sec: z.number().min(1).max(3600).optional(),
  concurrency: z.int().min(1).max(100).optional(),
  queue: z.int().min(0).max(1000).optional(),
  queue_timeout_sec: z.number().min(0).max(3600).optional(),
  rate_per_minute: z.int().min(1).max(100_000).optional(),
  max_stdout_bytes: z.int().min(1024).max(10_485_760).optional(),
  max_stderr_bytes: z.int().min(1024).max(10_485_760).optional(),
  memory_mb: z.int().min(16).max(65_536).optional(),
  file_descriptors: z.int().min(8).max(65_536).optional(),
  file_bytes: z.int().min(0).optional(),
  processes: z.int().min(1).max(10_000).optional(),
  on_output_limit: z.enum(['kill', 'drain']).optional(),
});

/** Everything a command tool is, as data; a file or an object in code. */
export const manifestSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
      .optional(),
    title: z.string().max(100).optional(),
    description: z.string().max(2000).optional(),
    version: z.string().max(40).default('1.0.0'),
    /** False marks a file that only looks like a tool. */
    tool: z.boolean().default(true),
    command: z
      .string()
      .regex(
        /^(?:\/[A-Za-z0-9._/+-]+|[A-Za-z0-9][A-Za-z0-9._+-]{0,63})$/,
        'must be the name of one program or its absolute path',
      ),
    /** Fixed words right after the program, such as a subcommand. */
    before: z.array(plainWord).max(10).default([]),
    flags: z.record(propertyName, flagSchema),
    /** Fixed words after the caller's flags, so that they have the last say. */
    always: z.array(plainWord).max(40).default([]),
    end_of_flags: z.boolean().default(false),
    target: targetSchema,
    templates: z
      .record(propertyName, z.record(propertyName, z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])))
      .default({}),
    extra_args: z.boolean().default(false),
    /** Whether clients that know tasks may, must or cannot run it as one; `required` for what always takes long. */
    tasks: z.enum(['optional', 'required', 'forbidden']).default('optional'),
    limits: limitsSchema.default({}),
    /** How far an operator may move a limit. */
    ranges: z
      .strictObject({
        timeout_sec: z.tuple([z.number(), z.number()]).optional(),
        concurrency: z.tuple([z.int(), z.int()]).optional(),
      })
      .default({}),
    effects: z
      .strictObject({
        reads: z.boolean().default(true),
        writes: z.boolean().default(false),
        destroys: z.boolean().default(false),
        idempotent: z.boolean().default(true),
        open_world: z.boolean().optional(),
        labels: z.array(z.string().max(64)).default([]),
      })
      .prefault({}),
    parser: z
      .string()
      .regex(/^[a-z][a-z0-9_-]*$/)
      .default('none'),
    sandbox: z
      .strictObject({
        /** The tool is refused where this cannot be had. */
        minimum: z.enum(['bwrap', 'prlimit']).default('prlimit'),
        /** The strongest tier the program can work in; the best available up to this one is used. */
        best: z.enum(['bwrap', 'prlimit']).default('bwrap'),
        /** `host` for a tool with a target, `none` for one without, unless told. */
        network: z.enum(['host', 'none']).optional(),
        /** For programs that live by a set-uid bit or file capabilities. */
        new_privileges: z.boolean().default(false),
        readable: z.array(z.string().startsWith('/')).max(20).default([]),
      })
      .prefault({}),
    environment: z.record(environmentName, plainWord).default({}),
  })
  .superRefine((manifest, context) => {
    for (const { path, message } of crossCheck(manifest))
      context.addIssue({ code: 'custom', path: [...path], message });
  });

/** What may be written: one shape for files and for objects in code. */
export type ManifestInput = z.input<typeof manifestSchema>;
/** A manifest after its defaults are filled in. */
export type Manifest = z.output<typeof manifestSchema>;

/** One mistake in a manifest and where it is. */
export interface ManifestProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type ManifestReading =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };

/** Reads a manifest, or says everything that is wrong with it. */
export function readManifest(value: unknown): ManifestReading {
  const open = openFlags(value);
  if (open !== undefined) return { ok: false, problems: [{ path: ['flags'], message: open }] };
  const read = manifestSchema.safeParse(value);
  if (read.success) return { ok: true, manifest: read.data };
  const problems = read.error.issues.map(({ path, message }) => ({
    path: path.filter((step) => typeof step !== 'symbol'),
    message,
  }));
  return { ok: false, problems };
}

// An absent list must not mean "anything goes": the one mistake that turns an allow-list into none.
function openFlags(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const flags: unknown = 'flags' in value ? value.flags : undefined;
  if (flags === undefined || flags === null || typeof flags === 'string' || typeof flags === 'boolean') {
    return 'would allow every flag: list each flag with its type, or write {} for none';
  }
  const wild =
    typeof flags === 'object'
      ? Object.entries(flags).find(([name, flag]) => name.includes('*') || flag === '*')
      : undefined;
  return wild === undefined ? undefined : `${wild[0]} would allow every flag: list each flag with its type`;
}
