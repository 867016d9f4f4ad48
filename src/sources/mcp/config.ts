import { z } from 'zod';
import type { DeepReadonly } from '../../lib/deep-readonly.js';
import { isLoopback } from '../../lib/loopback.js';
import { stringList, identifier, secretField } from '../../lib/config-fields.js';

/** A duration in seconds; the maximum keeps it within the range of timers. */
const seconds = (given: number) => z.number().positive().max(2_000_000).default(given);

/** Sandbox of a local server, by key of the configuration. */
const sandbox = z
  .strictObject({
    tier: z
      .exactOptional(z.enum(['bwrap', 'prlimit', 'none']))
      .describe(
        'Sandbox tier of the process; `bwrap` by default. `prlimit` sets limits only, `none` nothing at all: such a server can read your files and the token of the gateway. If the machine does not support the tier, the process is not started.',
      ),
    profile: z
      .exactOptional(z.enum(['guarded', 'strict']))
      .describe(
        'Files in the `bwrap` tier. `guarded` shows your files without credentials and the files of the gateway, `strict` only the package, the working directory and listed folders. `guarded` by default, `strict` if only `tier: bwrap` is set.',
      ),
    network: z
      .exactOptional(z.enum(['host', 'none']))
      .describe('`none` removes network access (bwrap only); the default is `none` with `strict`, else `host`.'),
    readable: stringList([]).describe('Files and folders the process may read, bwrap only; `guarded`: read-only ones.'),
    writable: stringList([]).describe('Files and folders the process may write, bwrap only.'),
    masked: stringList([]).describe('Further files and folders that are empty for the process, `guarded` only.'),
    unmasked: stringList([]).describe(
      'Masked places that the process needs, `guarded` only: `~/.ssh` for git over ssh, a socket in `/run`, a device in `/dev`.',
    ),
    tmp_mb: z
      .exactOptional(z.int().min(1).max(1_048_576))
      .describe('Size of the private `/tmp` in MiB, bwrap only; by default 1024 with `guarded`, 64 with `strict`.'),
    memory_mb: z
      .exactOptional(z.int().min(16).max(1_048_576))
      .describe('Address space in MiB; no limit by default, because Node and similar runtimes reserve gigabytes.'),
    cpu_seconds: z.exactOptional(z.int().min(1)).describe('Processor time of the process.'),
    open_files: z.int().min(16).max(65_536).default(1024).describe('Open files of the process.'),
    processes: z.exactOptional(z.int().min(1).max(10_000)).describe('Processes at once.'),
  })
  .prefault({})
  .describe('Sandbox of the process of a local server.');

/** Settings of OAuth towards a remote server. */
const oauth = z
  .strictObject({
    grant: z
      .enum(['client_credentials', 'authorization_code'])
      .default('authorization_code')
      .describe('`client_credentials` for machines; `authorization_code` is started by `toolgate login`.'),
    client_id: z.exactOptional(z.string().min(1)).describe('The client id registered at the authorization server.'),
    client_secret: z.exactOptional(secretField).describe('Its secret.'),
    scopes: stringList([]).describe('Scopes to request.'),
    shared: z
      .boolean()
      .default(false)
      .describe('Whether one login serves every caller; by default each caller needs their own.'),
    issuer: z.exactOptional(z.url()).describe('The only trusted authorization server; required with `client_secret`.'),
  })
  .refine((oauth) => oauth.client_secret === undefined || oauth.issuer !== undefined, {
    message: 'needs issuer with client_secret: otherwise the server could choose who receives the secret',
  })
  .describe('OAuth 2.1 towards a remote server.');

/** What admission may decide. */
const decision = z.enum(['allow', 'quarantine', 'deny']);
/** Capabilities that the scanner finds. */
const capabilities = ['private-read', 'untrusted-input', 'external-send', 'destructive', 'exec'] as const;

/** Decisions by the result of the scan. */
const scan = z
  .strictObject({
    critical: decision
      .default('deny')
      .describe(
        'Decision for a critical finding: `quarantine` waits for `toolgate pins approve <id> scan`, `deny` requires a change of this file.',
      ),
    high: decision.default('quarantine').describe('Decision for a finding of high severity.'),
    medium: decision.default('allow').describe('Decision for a finding of medium severity.'),
    low: decision.default('allow').describe('Decision for a finding of low severity.'),
    capabilities: z
      .partialRecord(z.enum(capabilities), decision)
      .default({})
      .describe(
        `Decision for a capability of any of its tools, by capability: ${capabilities.map((each) => `\`${each}\``).join(', ')}.`,
      ),
    unknown: z
      .exactOptional(decision)
      .describe(
        'Decision if part of the code could not be analysed or followed, by default `quarantine`; or if there is no source code to scan, by default `allow` with `admission: pin` and `quarantine` with `strict`.',
      ),
    unlisted: decision
      .default('allow')
      .describe(
        'Decision if `mcp_registry` does not list `registry_name`; an unreachable registry does not block the source.',
      ),
    path: z
      .exactOptional(z.string().min(1))
      .describe('Folder or file to scan instead of that of the package or script.'),
    timeout: seconds(60).describe('Seconds the scan may take; code not scanned by then counts as unknown.'),
    memory_mb: z.int().min(64).max(16_384).default(1024).describe('Memory of the scan in MiB.'),
  })
  .prefault({})
  .describe(
    'Decisions about a local server by a scan of its source code before it starts; `admission: open` skips the scan.',
  );

/** A package with an exact version: `latest` would start other code after each release (supply chain). */
const registryPackage = /^(?:@[a-z0-9._~-]+\/)?[a-z0-9._~-]+(?:\[[a-z0-9,_-]+\])?(?:@|==)[0-9][A-Za-z0-9.+_-]*$/i;

/** An upstream MCP server: a local program, a package, or a URL. */
export const config = z
  .strictObject({
    kind: z.literal('mcp').describe('An upstream MCP server.'),
    enabled: z.boolean().default(true).describe('Whether the source is used.'),
    description: z.exactOptional(z.string().max(2000)).describe('Description for operators.'),
    command: z
      .exactOptional(z.string().min(1))
      .describe('The program of a local server: a name on the fixed path, or an absolute path.'),
    runtime: z
      .exactOptional(z.enum(['npx', 'uvx', 'node', 'python', 'docker']))
      .describe('What runs `package` or the first of `args`.'),
    package: z
      .exactOptional(z.string().regex(registryPackage, 'must name a version: name@1.2.3, or name==1.2.3 for uvx'))
      .describe('A package with its exact version, for npx and uvx.'),
    args: z.array(z.string()).default([]).describe('Arguments, one list item each; no shell is involved.'),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), secretField)
      .default({})
      .describe('Variables of the process.'),
    pass_env: stringList([]).describe('Variables passed on from the environment of the gateway; nothing else is.'),
    required_env: stringList([]).describe('Variables without which the process is not started.'),
    cwd: z.exactOptional(z.string().min(1)).describe('Working directory of the process.'),
    sandbox,
    lifecycle: z
      .enum(['singleton', 'transient'])
      .default('singleton')
      .describe('Kept and reused, or started for each call.'),
    idle_seconds: seconds(300).describe('Seconds after which an unused connection is closed.'),
    max_age_seconds: seconds(86_400).describe('Seconds after which a connection is replaced.'),
    max_calls: z.int().min(1).default(1_000_000).describe('Number of calls after which a connection is replaced.'),
    max_connections: z.int().min(1).max(1000).default(16).describe('Maximum number of connections.'),
    sharing: z
      .enum(['principal', 'session', 'all'])
      .default('principal')
      .describe("Who shares a connection: one caller's calls, one session's, or everyone's."),
    placement: z
      .exactOptional(z.enum(['each', 'one', 'session']))
      .describe(
        'Replicas of a cluster that run a local server. `each` runs it, `one` runs it for all (for servers with files, logins or browsers), or every connection lives on one replica (`session`, the default with `sharing: session`).',
      ),
    era: z
      .enum(['auto', 'legacy', 'modern'])
      .default('auto')
      .describe('Protocol era of the server; `auto` negotiates it.'),
    url: z.exactOptional(z.url({ protocol: /^https?$/ })).describe('URL of a remote server.'),
    transport: z
      .enum(['streamable_http', 'sse'])
      .default('streamable_http')
      .describe('Transport of the remote server; `sse` is HTTP+SSE of protocol 2024-11-05.'),
    headers: z
      .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/), secretField)
      .default({})
      .describe('Headers sent with every request.'),
    network_policy: z.exactOptional(identifier).describe('Network policy for the addresses of the remote server.'),
    oauth: z.exactOptional(oauth),
    prefix: z
      .exactOptional(z.union([z.literal('none'), identifier]))
      .describe('Prefix of tool names; by default the id of the source, `none` for no prefix.'),
    admission: z
      .enum(['strict', 'pin', 'open'])
      .default('pin')
      .describe(
        '`pin` trusts definitions on first use and withholds changed ones, `strict` offers only approved ones and those pinned before, `open` offers everything; what it let in is judged anew in the other modes.',
      ),
    scan,
    registry_name: z
      .exactOptional(
        z
          .string()
          .regex(/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/, 'must be a name such as io.github.owner/server')
          .max(200),
      )
      .describe('The name of the server in an MCP registry, as its server.json has it.'),
    timeout: seconds(120).describe('Seconds a call may take if the caller sets no timeout.'),
    max_timeout: seconds(3600).describe('Longest timeout a caller can set, in seconds.'),
    connect_timeout: seconds(30).describe('Seconds the handshake may take.'),
    startup_budget: seconds(10).describe(
      'Seconds the start of the gateway waits for this source; a slower source is added when it is ready.',
    ),
    concurrency: z.int().min(1).max(10_000).default(64).describe('Concurrent calls of one tool.'),
    max_output_bytes: z
      .int()
      .min(1024)
      .max(104_857_600)
      .default(1_048_576)
      .describe('Largest result passed to the client.'),
  })
  .refine(
    // Exactly one way to reach the server, so that the entry cannot mean two things.
    ({ command, package: packaged, url, runtime, args }) =>
      [
        command,
        packaged ?? (runtime !== undefined && command === undefined && args.length > 0 ? 'args' : undefined),
        url,
      ].filter((one) => one !== undefined).length === 1,
    {
      message: 'needs exactly one of command, package (with runtime npx or uvx), runtime with args, and url',
    },
  )
  .refine(({ package: packaged, runtime }) => packaged === undefined || runtime === 'npx' || runtime === 'uvx', {
    message: 'package needs runtime npx or uvx',
    path: ['runtime'],
  })
  .refine(({ package: packaged, runtime }) => packaged !== undefined || (runtime !== 'npx' && runtime !== 'uvx'), {
    message: 'npx and uvx run packages with a version: set package',
    path: ['package'],
  })
  .refine(({ url, placement }) => url === undefined || placement === undefined, {
    message: 'is for local servers: a remote one runs where its URL is',
    path: ['placement'],
  })
  // Tokens and arguments over plain HTTP can be read on the way.
  .refine(({ url }) => url === undefined || url.startsWith('https:') || isLoopback(new URL(url).hostname), {
    message: 'must be https unless the server is on this machine',
    path: ['url'],
  })
  .describe('An upstream MCP server.');

/** A validated entry of this kind. */
export type McpConfig = DeepReadonly<z.output<typeof config>>;
