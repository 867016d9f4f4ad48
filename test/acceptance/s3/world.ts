import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { aPlace, serving, toolgate, type Ended, type Running } from '../../support/toolgate.js';
import { whenDone } from '../../support/temporary.js';
import { serverFile } from '../../support/upstream.js';
import { aFolder } from '../folder.js';
import type { Loose } from '../mcp-client.js';

export { serverFile };

/** The registration of a plugin, with the structure and the values that a user pastes from the founding document. */
export const pluginRegistration = {
  name: 'GitHub MCP',
  url: 'mcp://github-plugin',
  source_type: 'mcp',
  mcp_plugin_dir: 'github',
  mcp_transport_type: 'stdio',
  mcp_runtime_hint: 'uvx',
  mcp_lifecycle_mode: 'transient',
  mcp_env_vars: { GITHUB_TOKEN: 'ghp_xxx...' },
};
/** Its manifest; the version is pinned so that no registry has to be asked. */
export const pluginManifest = (over: Record<string, unknown> = {}): Loose => ({
  name: '@modelcontextprotocol/github',
  version: '1.0.0',
  description: 'Works with repositories',
  packages: [
    {
      name: 'default',
      transport_type: 'stdio',
      runtime: 'uvx',
      command: ['mcp-server-github==1.0.0'],
      environment_variables: [{ name: 'GITHUB_TOKEN', description: 'A token', required: true, secret: true }],
      ...over,
    },
  ],
});
/** A package that runs the server of these checks. */
export const ownPackage = { runtime: 'node', command: [serverFile] };

export interface Registered extends Ended {
  readonly place: string;
  /** The only source in the written file; undefined if nothing was written. */
  readonly entry: Loose;
  readonly id: string | undefined;
}

/** Runs `sources add --registration` in a folder with this registration and this manifest. */
export async function register(
  registration: string | Record<string, unknown>,
  manifest?: unknown,
  {
    argv = [],
    env = {},
    file = 'plugin.json',
    configuration = 'commands: { builtins: false }\n',
  }: {
    readonly argv?: readonly string[];
    readonly env?: Record<string, string>;
    readonly file?: string;
    readonly configuration?: string;
  } = {},
): Promise<Registered> {
  const place = aFolder({
    'toolgate.yaml': configuration,
    'registration.json': typeof registration === 'string' ? registration : JSON.stringify(registration),
    'github/readme.txt': 'a plugin',
    ...(manifest !== undefined && {
      [`github/${file}`]: typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
    }),
  });
  const ended = await toolgate(place, ['sources', 'add', '--registration', 'registration.json', ...argv], env);
  const { sources = {} } = load(readFileSync(join(place, 'toolgate.yaml'), 'utf8')) as Loose;
  const [id] = Object.keys(sources);
  return { ...ended, place, id, entry: id === undefined ? undefined : sources[id] };
}

/** A remote MCP server of revision 2025-06-18 on loopback, which records what it gets. */
export interface Remote {
  readonly base: string;
  readonly requests: { readonly method: string; readonly rpc: Loose; readonly headers: IncomingHttpHeaders }[];
  /** How it answers calls. */
  mode: 'well' | 'html' | 'error' | 'mute';
  close(): Promise<void>;
}

const toolOf = (name: string): Loose => ({
  name,
  description: `The ${name} tool`,
  inputSchema: { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] },
});

/** Starts a remote server at \`/mcp\`; its list has three pages, and a call is answered by a stream with a notification first. */
export async function aRemote(port = 0): Promise<Remote> {
  const remote: { -readonly [Key in keyof Remote]: Remote[Key] } = {
    base: '',
    requests: [],
    mode: 'well',
    close: () => Promise.resolve(),
  };
  const server = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    req.on('end', () => {
      const rpc: Loose = text === '' ? {} : JSON.parse(text);
      remote.requests.push({ method: req.method ?? '', rpc, headers: req.headers });
      if (req.url !== '/mcp') return void res.writeHead(404).end();
      if (req.method !== 'POST') return void res.writeHead(405).end();
      if (rpc.id === undefined) return void res.writeHead(202).end();
      const isCall = rpc.method === 'tools/call';
      if (isCall && remote.mode === 'mute') return;
      if (isCall && remote.mode === 'html')
        return void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi');
      if (isCall && remote.mode === 'error') return void res.writeHead(500).end('broken');
      const page = Number(rpc.params?.cursor ?? 1);
      const results: Record<string, Loose> = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'far', version: '4.5.6' },
        },
        'tools/list': { tools: [toolOf(`tool${page}`)], ...(page < 3 && { nextCursor: String(page + 1) }) },
        'tools/call': {
          content: [
            { type: 'text', text: rpc.params?.arguments?.text },
            { type: 'text', text: 'two' },
          ],
        },
      };
      const result = results[rpc.method];
      const answer = {
        jsonrpc: '2.0',
        id: rpc.id,
        ...(result ? { result } : { error: { code: -32601, message: 'no' } }),
      };
      const session = { 'mcp-session-id': 'session-1' };
      if (!isCall) {
        res.writeHead(200, { 'content-type': 'application/json', ...session }).end(JSON.stringify(answer));
        return;
      }
      const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'a note' } };
      res.writeHead(200, { 'content-type': 'text/event-stream', ...session });
      res.end([note, answer].map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  remote.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  remote.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  whenDone(() => remote.close());
  return remote;
}

const entry = (args: readonly string[], more = ''): string =>
  `{ kind: mcp, command: ${process.execPath}, args: ${JSON.stringify([serverFile, ...args])}, startup_budget: 120${more} }`;
const settings =
  'commands: { builtins: false }\nrate_limit: { requests: 100000 }\ncircuit_breaker: { failure_threshold: 5 }\n';

/** The remote server that most checks share. */
export const far = await aRemote();
/** A word in the command line of every local server of the shared gateway. */
export const mark = `mark-${process.pid}-${Math.random().toString(36).slice(2)}`;
export const place = aPlace({
  'toolgate.yaml': `${settings}sources:
  fix: ${entry(['--mark', mark], ", env: { TOKEN: '${FIX_TOKEN}', UNIT: C }, timeout: 3")}
  once: ${entry(['--mark', `${mark}-once`], ', lifecycle: transient, timeout: 3')}
  two: ${entry(['--mark', mark], ', max_calls: 2')}
  noisy: ${entry(['--mark', mark, '--fail', 'noise'])}
  far: { kind: mcp, url: '${far.base}/mcp', headers: { X-Key: '\${FAR_KEY}' } }
`,
});
/** The gateway that most checks share: local servers of both lives, and a remote one. */
export const gate: Running = await serving(place, [], {
  FIX_TOKEN: 'hunter2-secret-value',
  FAR_KEY: 'far-key-value',
  SECRET_OF_THE_GATEWAY: 'not-for-servers',
});

/** A gateway with these sources, of one check alone. */
export const aGate = (sources: string, env: Readonly<Record<string, string>> = {}, more = settings): Promise<Running> =>
  serving(aPlace({ 'toolgate.yaml': `${more}sources:\n${sources}` }), [], env);
export { entry };

/** Runs a tool over REST. */
export const run = (tool: string, body: Record<string, unknown> = {}, of = gate) =>
  of.send(`/tools/${tool}/execute`, { body });
/** The text of a call. */
export const text = async (tool: string, body: Record<string, unknown> = {}, of = gate): Promise<string> =>
  (await run(tool, body, of)).json.stdout;
