import type { JsonObject } from '../../core/json.js';
import { isObject } from '../../wire/message.js';
import { environment, type Entry, type Registered } from './registration.js';

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const words = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : [];

/** Reads the `mcpServers` (or `servers`) of a client's file into entries of the configuration; what cannot be taken is said, the rest is. */
export function fromClientFile(given: unknown): {
  readonly sources: readonly Registered[];
  readonly problems: readonly string[];
} {
  const servers = isObject(given)
    ? (given['mcpServers'] ?? given['servers'] ?? (isObject(given['mcp']) ? given['mcp']['servers'] : undefined))
    : undefined;
  if (!isObject(servers)) return { sources: [], problems: ['there is no mcpServers in this file'] };
  const sources: Registered[] = [];
  const problems: string[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const id = name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
    const read = isObject(server) ? entryOf(server) : { problems: ['is not an object'] };
    if ('problems' in read) problems.push(...read.problems.map((problem) => `${name}: ${problem}`));
    else sources.push({ id, entry: read.entry });
  }
  return { sources, problems };
}

function entryOf(server: JsonObject): Entry {
  const problems: string[] = [];
  const url = text(server['url']) ?? text(server['serverUrl']);
  const off = server['disabled'] === true ? { enabled: false } : {};
  if (url !== undefined) {
    const headers = environment(server['headers'], problems);
    const entry = {
      kind: 'mcp',
      url,
      ...off,
      ...(server['type'] === 'sse' && { transport: 'sse' }),
      ...(Object.keys(headers).length > 0 && { headers }),
    };
    return problems.length > 0 ? { problems } : { entry };
  }
  const command = text(server['command']);
  if (command === undefined) return { problems: ['has neither command nor url'] };
  const env = environment(server['env'], problems);
  const started = startOf(command, words(server['args']));
  if ('problems' in started) problems.push(...started.problems);
  if (problems.length > 0 || 'problems' in started) return { problems };
  const cwd = text(server['cwd']);
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

function startOf(command: string, args: readonly string[]): Entry {
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

/** The entry under which a client starts this gateway, in the shape that client files have. */
export const toClientFile = (name: string, command: string, args: readonly string[]): JsonObject => ({
  mcpServers: { [name]: { command, args } },
});
