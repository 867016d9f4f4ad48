import { z } from 'zod';
import { list, name, secret } from './words.js';

const seconds = (given: number) => z.number().positive().max(2_000_000).default(given);

const sandbox = z
  .strictObject({
    tier: z
      .enum(['prlimit', 'bwrap'])
      .default('prlimit')
      .describe('How strongly the process is held; where the machine cannot, it is not started.'),
    network: z
      .exactOptional(z.enum(['host', 'none']))
      .describe('`none` takes the network away (bwrap only); bwrap has none unless told.'),
    readable: list([]).describe('Folders the process may read, bwrap only.'),
    writable: list([]).describe('Folders the process may write, bwrap only.'),
    memory_mb: z
      .exactOptional(z.int().min(16).max(1_048_576))
      .describe('Address space; Node and the like reserve gigabytes, so none is set unless told.'),
    cpu_seconds: z.exactOptional(z.int().min(1)).describe('Processor time of the process.'),
    open_files: z.int().min(16).max(65_536).default(1024).describe('Open files of the process.'),
    processes: z.exactOptional(z.int().min(1).max(10_000)).describe('Processes at once.'),
  })
  .prefault({})
  .describe('How the process of a local server is held.');

const oauth = z
  .strictObject({
    grant: z
      .enum(['client_credentials', 'authorization_code'])
      .default('authorization_code')
      .describe('`client_credentials` for machines; the other one is begun by `toolgate login`.'),
    client_id: z.exactOptional(z.string().min(1)).describe('The client id known to the authorization server.'),
    client_secret: z.exactOptional(secret).describe('Its secret.'),
    scopes: list([]).describe('What is asked for.'),
    shared: z
      .boolean()
      .default(false)
      .describe('Whether one login serves every caller; each needs their own unless told.'),
    issuer: z
      .exactOptional(z.url())
      .describe('The only authorization server that is believed; needed with `client_secret`.'),
  })
  .refine((oauth) => oauth.client_secret === undefined || oauth.issuer !== undefined, {
    message: 'needs issuer beside client_secret: else the server itself would say who is sent the secret',
  })
  .describe('OAuth 2.1 towards a remote server.');

const decision = z.enum(['allow', 'quarantine', 'deny']);
const capabilities = ['private-read', 'untrusted-input', 'external-send', 'destructive', 'exec'] as const;

const scan = z
  .strictObject({
    critical: decision
      .default('deny')
      .describe(
        'What a critical finding leads to: `quarantine` waits for `toolgate pins approve <id> scan`, `deny` for a change of this file.',
      ),
    high: decision.default('quarantine').describe('What a finding of high severity leads to.'),
    medium: decision.default('allow').describe('What a finding of medium severity leads to.'),
    low: decision.default('allow').describe('What a finding of low severity leads to.'),
    capabilities: z
      .partialRecord(z.enum(capabilities), decision)
      .default({})
      .describe(
        `What a power of any of its tools leads to, by power: ${capabilities.map((each) => `\`${each}\``).join(', ')}.`,
      ),
    unknown: z
      .exactOptional(decision)
      .describe(
        'What it leads to that something could not be read, finished or told; `allow` under `pin` and `quarantine` under `strict` unless told.',
      ),
    unlisted: decision
      .default('allow')
      .describe(
        'What it leads to that `mcp_registry` does not list `registry_name`; a registry that cannot be asked hinders nothing.',
      ),
    path: z
      .exactOptional(z.string().min(1))
      .describe('The folder or file to read instead of the one in which the package or script lies.'),
    timeout: seconds(60).describe('Seconds the reading may take; what is not read then is unknown.'),
    memory_mb: z.int().min(64).max(16_384).default(1024).describe('Memory the reading may use.'),
  })
  .prefault({})
  .describe(
    'What is decided about a local server by reading its source before it is started; `admission: open` does not read it.',
  );

const registryPackage = /^(?:@[a-z0-9._~-]+\/)?[a-z0-9._~-]+(?:\[[a-z0-9,_-]+\])?(?:@|==)[0-9][A-Za-z0-9.+_-]*$/i;

/** An upstream MCP server: a local program, a package, or a URL. */
export const mcpSource = z
  .strictObject({
    kind: z.literal('mcp').describe('An upstream MCP server.'),
    enabled: z.boolean().default(true).describe('Whether the source is used.'),
    description: z.exactOptional(z.string().max(2000)).describe('For people.'),
    command: z
      .exactOptional(z.string().min(1))
      .describe('The program of a local server: a name on the fixed path, or an absolute path.'),
    runtime: z
      .exactOptional(z.enum(['npx', 'uvx', 'node', 'python', 'docker']))
      .describe('What runs `package` or the first of `args`.'),
    package: z
      .exactOptional(z.string().regex(registryPackage, 'must name a version: name@1.2.3, or name==1.2.3 for uvx'))
      .describe('A package with its exact version, for npx and uvx.'),
    args: z.array(z.string()).default([]).describe('Arguments, each one word; there is no shell.'),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), secret)
      .default({})
      .describe('Variables of the process.'),
    pass_env: list([]).describe('Variables of the gateway that are handed on; nothing else of its environment is.'),
    required_env: list([]).describe('Variables without which the process is not started.'),
    cwd: z.exactOptional(z.string().min(1)).describe('Working directory of the process.'),
    sandbox,
    lifecycle: z
      .enum(['singleton', 'transient'])
      .default('singleton')
      .describe('Kept and reused, or started for each call.'),
    idle_seconds: seconds(300).describe('A connection that nobody used for this long is closed.'),
    max_age_seconds: seconds(86_400).describe('A connection older than this is replaced.'),
    max_calls: z.int().min(1).default(1_000_000).describe('A connection that carried this many calls is replaced.'),
    max_connections: z.int().min(1).max(1000).default(16).describe('Connections at once.'),
    sharing: z
      .enum(['principal', 'session', 'all'])
      .default('principal')
      .describe("Who shares a connection: one caller's calls, one session's, or everyone's."),
    era: z.enum(['auto', 'legacy', 'modern']).default('auto').describe('Which protocol the server speaks.'),
    url: z.exactOptional(z.url({ protocol: /^https?$/ })).describe('A remote server.'),
    transport: z
      .enum(['streamable_http', 'sse'])
      .default('streamable_http')
      .describe('How the remote server is spoken to; `sse` is the way of 2024.'),
    headers: z
      .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/), secret)
      .default({})
      .describe('Headers of every request.'),
    network_policy: z.exactOptional(name).describe('Which addresses the remote server may have.'),
    oauth: z.exactOptional(oauth),
    prefix: z
      .exactOptional(z.union([z.literal('none'), name]))
      .describe('What tool names begin with; the id of the source unless told, `none` for nothing.'),
    admission: z
      .enum(['strict', 'pin', 'open'])
      .default('pin')
      .describe(
        '`pin` offers what is seen first and withholds what changes, `strict` offers only what was approved, `open` everything.',
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
    timeout: seconds(120).describe('Seconds a call may take when the caller asks for nothing.'),
    max_timeout: seconds(3600).describe('Seconds no caller can exceed.'),
    connect_timeout: seconds(30).describe('Seconds the server may take to greet.'),
    startup_budget: seconds(10).describe(
      'Seconds the start of the gateway waits for this source; after that it comes when it comes.',
    ),
    concurrency: z.int().min(1).max(10_000).default(64).describe('Calls of one tool at once.'),
    max_output_bytes: z.int().min(1024).max(104_857_600).default(1_048_576).describe('The largest answer handed on.'),
  })
  .refine(
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
  .refine(({ url }) => url === undefined || url.startsWith('https:') || isLoopback(new URL(url).hostname), {
    message: 'must be https unless the server is on this machine',
    path: ['url'],
  })
  .describe('An upstream MCP server.');

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(host);

export type McpSourceConfig = z.output<typeof mcpSource>;
