import { z } from 'zod';
import { flagSchema, propertyName } from './flag.js';
import { crossCheck } from './cross-checks.js';

const printableText = z
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
  /** Flag passed before the target. */
  flag: printableText.optional(),
  /** How the target is written, from {address}, {host} (bracketed IPv6), {name}, {target} and arguments; by default the address. */
  form: printableText.optional(),
  /** Flag passed with the host name, if the target was a name. */
  name_flag: printableText.optional(),
  /** Flag added for IPv6 addresses, for programs that do not detect them. */
  ipv6_flag: printableText.optional(),
  /** For `domain`: also accepts an IP address, vetted as a host and passed after `address_flag` if set. */
  takes_addresses: z.boolean().default(false),
  address_flag: printableText.optional(),
  /** For `url`: words that pin the program to the vetted address, such as ["--resolve", "{name}:{port}:{address}"]; without it the URL must contain an address (DNS rebinding). */
  pin: z.array(printableText).max(4).optional(),
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

/** Schema of a command manifest, for YAML files and objects in code. */
export const manifestSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
      .optional(),
    title: z.string().max(100).optional(),
    description: z.string().max(2000).optional(),
    version: z.string().max(40).default('1.0.0'),
    /** `false` excludes a file that would otherwise be loaded as a tool. */
    tool: z.boolean().default(true),
    command: z
      .string()
      .regex(
        /^(?:\/[A-Za-z0-9._/+-]+|[A-Za-z0-9][A-Za-z0-9._+-]{0,63})$/,
        'must be the name of one program or its absolute path',
      ),
    /** Fixed arguments right after the program, such as a subcommand. */
    before: z.array(printableText).max(10).default([]),
    flags: z.record(propertyName, flagSchema),
    /** Fixed arguments after the caller's flags, so that they override them. */
    always: z.array(printableText).max(40).default([]),
    end_of_flags: z.boolean().default(false),
    target: targetSchema,
    templates: z
      .record(propertyName, z.record(propertyName, z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])))
      .default({}),
    extra_args: z.boolean().default(false),
    /** Whether clients that support MCP tasks may, must or cannot run it as a task. */
    tasks: z.enum(['optional', 'required', 'forbidden']).default('optional'),
    limits: limitsSchema.default({}),
    /** Range within which an operator may change a limit. */
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
        /** Weakest acceptable tier; the tool is unavailable without it. */
        minimum: z.enum(['bwrap', 'prlimit']).default('prlimit'),
        /** Strongest tier the program works in; the strongest available tier up to this one is used. */
        best: z.enum(['bwrap', 'prlimit']).default('bwrap'),
        /** Default: `host` for a tool with a target, `none` for one without. */
        network: z.enum(['host', 'none']).optional(),
        /** For programs that need a set-uid bit or file capabilities. */
        new_privileges: z.boolean().default(false),
        readable: z.array(z.string().startsWith('/')).max(20).default([]),
      })
      .prefault({}),
    environment: z.record(environmentName, printableText).default({}),
    /** Circuit breaker of this tool, in place of the operator's general one. */
    breaker: z
      .strictObject({
        failure_threshold: z.int().min(1).max(10).optional(),
        recovery_timeout: z.number().min(30).max(600).optional(),
        /** Errors that count as failures. */
        counts: z
          .array(z.enum(['timeout', 'crashed', 'execution_failed', 'resource_exhausted', 'output_limit']))
          .min(1)
          .optional(),
      })
      .optional(),
    /** Repeats a failed run; only for tools that change nothing. */
    retry: z
      .strictObject({ attempts: z.int().min(2).max(5), delay_ms: z.int().min(0).max(10_000).default(500) })
      .optional(),
    /** Further facts about the tool, shown by `GET /tools/{name}`. */
    information: z.record(z.string().max(64), z.json()).optional(),
  })
  .superRefine((manifest, context) => {
    for (const { path, message } of crossCheck(manifest))
      context.addIssue({ code: 'custom', path: [...path], message });
  });

/** A manifest as written, in a file or in code. */
export type ManifestInput = z.input<typeof manifestSchema>;
/** A manifest with its defaults applied. */
export type Manifest = z.output<typeof manifestSchema>;

/** One problem in a manifest and its path. */
interface ManifestProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type ManifestResult =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };

/** Validates a manifest; returns every problem, not only the first. */
export function parseManifest(value: unknown): ManifestResult {
  const open = findOpenFlags(value);
  if (open !== undefined) return { ok: false, problems: [{ path: ['flags'], message: open }] };
  const read = manifestSchema.safeParse(value);
  if (read.success) return { ok: true, manifest: read.data };
  const problems = read.error.issues.map(({ path, message }) => ({
    path: path.filter((step) => typeof step !== 'symbol'),
    message,
  }));
  return { ok: false, problems };
}

// A missing list must not mean "allow everything": that mistake turns an allow-list into none.
function findOpenFlags(value: unknown): string | undefined {
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
