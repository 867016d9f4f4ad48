import type { JsonObject } from '../../../core/json.js';
import { isJsonObject } from '../../../wire/message.js';
import { parseEnvironment, type EntryResult, type SourceEntry } from './registration.js';
import { nonEmptyText, textsIn } from './text-fields.js';

/** Converts the `mcpServers` (or `servers`) of a client's file into `sources` entries; reports entries that cannot be converted. */
export function fromClientFile(given: unknown): {
  readonly sources: readonly SourceEntry[];
  readonly problems: readonly string[];
} {
  const servers = isJsonObject(given)
    ? (given['mcpServers'] ?? given['servers'] ?? (isJsonObject(given['mcp']) ? given['mcp']['servers'] : undefined))
    : undefined;
  if (!isJsonObject(servers)) return { sources: [], problems: ['the file has no mcpServers'] };
  const sources: SourceEntry[] = [];
  const problems: string[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const id = name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
    const read = isJsonObject(server) ? toEntry(server) : { problems: ['is not an object'] };
    if ('problems' in read) problems.push(...read.problems.map((problem) => `${name}: ${problem}`));
    else sources.push({ id, entry: read.entry });
  }
  return { sources, problems };
}

function toEntry(server: JsonObject): EntryResult {
  const problems: string[] = [];
  const url = nonEmptyText(server['url']) ?? nonEmptyText(server['serverUrl']);
  const off = server['disabled'] === true ? { enabled: false } : {};
  if (url !== undefined) {
    const headers = parseEnvironment(server['headers'], problems);
    const entry = {
      kind: 'mcp',
      url,
      ...off,
      ...(server['type'] === 'sse' && { transport: 'sse' }),
      ...(Object.keys(headers).length > 0 && { headers }),
    };
    return problems.length > 0 ? { problems } : { entry };
  }
  const command = nonEmptyText(server['command']);
  if (command === undefined) return { problems: ['has neither command nor url'] };
  const env = parseEnvironment(server['env'], problems);
  const started = toCommandEntry(command, textsIn(server['args']));
  if ('problems' in started) problems.push(...started.problems);
  if (problems.length > 0 || 'problems' in started) return { problems };
  const cwd = nonEmptyText(server['cwd']);
  return {
    entry: {
      kind: 'mcp',
      ...started.entry,
      ...off,
      ...(cwd !== undefined && { cwd }),
      ...(Object.keys(env).length > 0 && { env }),
    },
  };
}

function toCommandEntry(command: string, args: readonly string[]): EntryResult {
  const program = command.slice(command.lastIndexOf('/') + 1).replace(/\.(cmd|exe)$/, '');
  if (program !== 'npx' && program !== 'uvx')
    return program === 'node' && !command.includes('/')
      ? { entry: { runtime: 'node', args } }
      : { entry: { command, args } };
  const rest = args.filter((word) => !['-y', '--yes', '-q', '--quiet'].includes(word));
  const [packaged = '', ...more] =
    rest[0] === '--from' || rest[0] === '-p' || rest[0] === '--package' ? rest.slice(1) : rest;
  if (!(program === 'npx' ? /.@\d/ : /==\d/).test(packaged))
    return {
      problems: [
        `${packaged === '' ? 'the package' : packaged} has no version: write ${program === 'npx' ? `${packaged.replace(/@latest$/, '')}@1.2.3` : `${packaged}==1.2.3`}`,
      ],
    };
  return { entry: { runtime: program, package: packaged, args: more } };
}

/** The entry that makes a client start this gateway, in the format of client files. */
export const toClientFile = (name: string, command: string, args: readonly string[]): JsonObject => ({
  mcpServers: { [name]: { command, args } },
});
