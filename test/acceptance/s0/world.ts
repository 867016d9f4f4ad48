import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serving, toolgate, type Ended, type Running } from '../../support/toolgate.js';
import { aFolder } from '../folder.js';
import { httpClient, stdioClient, type Ask, type Loose, type Revision } from '../mcp-client.js';
import { manifests, napSeconds, slumberSeconds } from './manifests.js';

export { aFolder, napSeconds, slumberSeconds };

/** A folder with the manifests of these checks and this configuration; `FOLDER` in a manifest is its path. */
export function aToolFolder(configuration = '', more: Readonly<Record<string, string>> = {}): string {
  const folder = aFolder({
    'begun.txt': 'begun\n',
    'toolgate.yaml': `commands: { directories: [tools] }\n${configuration}`,
  });
  mkdirSync(join(folder, 'tools'));
  for (const [name, text] of Object.entries({ ...manifests, ...more }))
    writeFileSync(join(folder, 'tools', name), text.replaceAll('FOLDER', folder));
  return folder;
}

const shared = `
rate_limit: { requests: 100000 }
log: { level: debug }
audit: { keep_arguments: true }
server: { shutdown_grace_period: 1 }
`;
/** The folder of the gateway that most checks share. */
export const folder = aToolFolder(shared);
/** The gateway that most checks share, started as a user starts it. */
export const gate: Running = await serving(folder, [], { SECRET_OF_THE_GATEWAY: 'hunter2-hunter2' });

/** A gateway with every limit of the environment set low. */
export const tight: Running = await serving(
  aToolFolder('rate_limit: { requests: 10 }\ntool: { overrides: { dig: { max_stdout_bytes: 5000 } } }\n'),
  [],
  {
    MCP_SERVER_TRANSPORT: 'stdio',
    MCP_MAX_ARGS_LEN: '64',
    MCP_MAX_STDOUT_BYTES: '2048',
    MCP_MAX_STDERR_BYTES: '1024',
    MCP_DEFAULT_TIMEOUT_SEC: '20',
    MCP_DEFAULT_CONCURRENCY: '1',
    MCP_MAX_MEMORY_MB: '200',
    MCP_MAX_FILE_DESCRIPTORS: '64',
    MCP_SECURITY_ALLOW_INTRUSIVE: 'true',
    LOG_LEVEL: 'WARNING',
  },
);

/** Runs a tool over REST and returns status, headers and body. */
export async function run(tool: string, body: Record<string, unknown> = {}, of = gate) {
  // Timeouts of this tool are part of many checks and must not open its breaker for the next one.
  if (tool === 'nap' && of === gate) await gate.send('/tools/nap/breaker/reset', { method: 'POST' });
  return of.send(`/tools/${tool}/execute`, { body });
}
/** The body of a REST call. */
export const result = async (tool: string, body: Record<string, unknown> = {}, of = gate): Promise<Loose> =>
  (await run(tool, body, of)).json;
/** What `GET /tools/{name}` shows. */
export const info = async (tool: string, of = gate): Promise<Loose> => (await of.send(`/tools/${tool}`)).json;

/** A gateway with these manifests and this configuration, of one check alone. */
export const aGate = (
  configuration = '',
  env: Readonly<Record<string, string>> = {},
  argv: readonly string[] = [],
  /** Further manifests, by file name. */
  more: Readonly<Record<string, string>> = {},
): Promise<Running> => serving(aToolFolder(configuration, more), argv, env);

/** Runs the command line in a folder with this configuration. */
export const command = (
  configuration: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> => toolgate(aToolFolder(configuration), argv, env);

const clients = new Map<string, Promise<Ask>>();
/** A client of the shared gateway, opened on first use; over stdio one for each row, since its process ends with the row. */
export function client(revision: Revision, door: 'http' | 'stdio' = 'http'): Promise<Ask> {
  if (door === 'stdio') return stdioClient(folder, revision);
  const known = clients.get(revision) ?? httpClient(gate, revision);
  clients.set(revision, known);
  return known;
}
/** The result of a tool call over MCP. */
export const callTool = async (ask: Ask, name: string, args: Record<string, unknown> = {}): Promise<Loose> =>
  (await ask('tools/call', { name, arguments: args })).result;

/** Lines of the log of a gateway, as objects. */
const logLines = (of: { log(): string } = gate): readonly Loose[] =>
  of
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Loose => JSON.parse(line));
/** Lines with this event. */
export const logged = (event: string, of: { log(): string } = gate): readonly Loose[] =>
  logLines(of).filter((line) => line.event === event);
/** Text of `GET /metrics`. */
export const metrics = async (of = gate): Promise<string> => (await of.send('/metrics')).text;
/** Records of the audit journal of the shared gateway. */
export const auditRecords = (of = folder): readonly Loose[] =>
  readdirSync(join(of, 'home/audit'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(of, 'home/audit', name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line): Loose => JSON.parse(line));
