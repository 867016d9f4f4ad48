import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { clients } from '../../assistants/clients.js';
import { openDocument } from '../../assistants/document.js';
import type { Places } from '../../assistants/places.js';

/** A server that an assistant starts: what to scan, or why there is nothing to scan. */
interface InstalledServer {
  readonly name: string;
  readonly source?: string;
  readonly gap?: string;
}

/** A parsed entry of an assistant's file, of which nothing is guaranteed. */
type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const words = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/** Every server that the assistants on this machine are configured to start, each once; files that cannot be read are problems. */
export async function installedServers(machine: Places): Promise<{
  readonly servers: readonly InstalledServer[];
  readonly problems: readonly string[];
}> {
  const problems: string[] = [];
  const found = new Map<string, InstalledServer>();
  const read = new Set<string>();
  for (const [name, { format, scopes, isList = false }] of Object.entries(clients)) {
    for (const place of Object.values(scopes)) {
      const { file, member } = place(machine);
      const key = `${file} ${member.join('.')}`;
      // Two scopes may name the same file and member; it is read once.
      if (!existsSync(file) || read.has(key)) continue;
      read.add(key);
      const document = await openDocument(format, readFileSync(file, 'utf8'));
      if ('problem' in document) {
        problems.push(`${file} cannot be parsed: ${document.problem}`);
        continue;
      }
      for (const [server, entry] of serversAt(document.value, member, isList)) {
        // Disabled entries start nothing, so there is nothing to scan.
        if (entry['disabled'] === true || entry['enabled'] === false) continue;
        const target = toTarget(entry, machine);
        const same = target.source ?? `${name} ${server}`;
        // The same package under several assistants is scanned once, under the first name.
        if (!found.has(same)) found.set(same, { name: `${name}: ${server}`, ...target });
      }
    }
  }
  return { servers: [...found.values()], problems };
}

/** Servers of a document by name. */
function serversAt(document: Json, member: readonly string[], isList: boolean): readonly (readonly [string, Json])[] {
  const held = member.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), document);
  if (isList)
    return (Array.isArray(held) ? held : []).filter(isRecord).map((entry) => [String(entry['name'] ?? ''), entry]);
  return Object.entries(isRecord(held) ? held : {}).flatMap(([name, entry]) =>
    isRecord(entry) ? [[name, entry]] : [],
  );
}

type Target = Omit<InstalledServer, 'name'>;

/** Programs that download and run a package of npm. */
const npmRunners = new Set(['npx', 'bunx', 'pnpx']);
/** Programs that download and run a package of PyPI. */
const pypiRunners = new Set(['uvx', 'pipx']);

/** What starts a server, turned into what can be scanned. */
function toTarget(entry: Json, machine: Places): Target {
  const url = entry['url'] ?? entry['serverUrl'] ?? entry['httpUrl'];
  if (typeof url === 'string')
    // A remote server has no code on this machine; its texts can still be read live.
    return { gap: `the server is remote (${hostOf(url)}); pass its URL to scan its texts and its transport` };
  // Some assistants write program and arguments as one list, others nest them or call the program `cmd`.
  const nested = isRecord(entry['command']) ? entry['command'] : entry;
  const given = nested['command'] ?? nested['cmd'] ?? nested['path'];
  const [command, ...listed] = Array.isArray(given) ? words(given) : [given];
  if (typeof command !== 'string') return { gap: 'the entry has neither command nor url' };
  const folder = typeof entry['cwd'] === 'string' ? resolve(machine.project, entry['cwd']) : machine.project;
  const program = command.slice(command.lastIndexOf('/') + 1).replace(/\.(?:cmd|exe)$/, '');
  const args = [...words(listed), ...words(nested['args'])];
  if (npmRunners.has(program)) return fromRunner('npm', args);
  // pipx needs the word `run` before the package; uvx has no such word.
  if (pypiRunners.has(program)) return fromRunner('pypi', args[0] === 'run' ? args.slice(1) : args);
  if ((program === 'pnpm' || program === 'yarn') && args[0] === 'dlx') return fromRunner('npm', args.slice(1));
  if (program === 'docker' || program === 'podman')
    return { gap: 'the server runs in a container image; its code is not on this machine' };
  if (program === 'uv') return fromUv(args, folder);
  if (/^(?:node|deno|bun|tsx|python[\d.]*|py)$/.test(program)) return fromScript(args, folder, program);
  return fromProgram(command, folder, machine.env);
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'invalid URL');

/** `npx -y name@1.2.3`, `uvx --from name command`. */
function fromRunner(kind: 'npm' | 'pypi', args: readonly string[]): Target {
  const named = args.findIndex((word) => word === '--from' || word === '-p' || word === '--package');
  const wanted = named === -1 ? args.find((word) => !word.startsWith('-')) : args[named + 1];
  if (wanted === undefined) return { gap: 'no package is named' };
  // Not from a registry, so there is no version to pin and no archive to verify.
  if (/^(?:git|https?|file|github)[:+]|^[./]/.test(wanted))
    return { gap: `the package ${JSON.stringify(wanted)} is not from a registry; download it and scan the folder` };
  // The registries differ in how a version is written.
  return { source: `${kind}:${kind === 'pypi' ? wanted.replace(/@latest$/, '').replace('@', '==') : wanted}` };
}

/** `uv --directory folder run server.py`, `uv run --with mcp server.py`. */
function fromUv(args: readonly string[], folder: string): Target {
  const at = args.findIndex((word) => word === '--directory' || word === '--project');
  const below = at === -1 ? undefined : args[at + 1];
  return below === undefined ? fromScript(args, folder, 'uv') : existing(resolve(folder, below));
}

/** `node dist/index.js`: the package that the file belongs to. */
function fromScript(args: readonly string[], folder: string, program: string): Target {
  const file = args.find((word) => /\.(?:[cm]?[jt]sx?|py)$/.test(word));
  if (file !== undefined) return existing(packageOf(isAbsolute(file) ? file : resolve(folder, file)));
  const at = args.indexOf('-m');
  return {
    gap:
      at === -1
        ? `no script is named after ${program}`
        : `the module ${args[at + 1] ?? ''} belongs to a Python environment; scan its package with pypi:name`,
  };
}

/** A program on the search path: a script of a package, or a binary. */
function fromProgram(command: string, folder: string, env: NodeJS.ProcessEnv): Target {
  const places = command.includes('/')
    ? [resolve(folder, command)]
    : (env['PATH'] ?? '').split(delimiter).map((each) => join(each, command));
  const found = places.find((each) => existsSync(each));
  if (found === undefined) return { gap: `the program ${JSON.stringify(command)} was not found` };
  const file = realpathSync(found);
  const isScript = /\.(?:[cm]?js|py)$/.test(file) || /^#!.*\b(?:node|python[\d.]*|deno|bun)\b/.test(firstLine(file));
  return isScript
    ? existing(extname(file) === '' ? file : packageOf(file))
    : {
        gap: `${JSON.stringify(command)} is a compiled program; only Python, JavaScript and TypeScript can be analysed`,
      };
}

const firstLine = (file: string): string => {
  // Large files are compiled programs; reading them for a first line would be waste.
  if (!statSync(file).isFile() || statSync(file).size > 5_000_000) return '';
  return readFileSync(file, 'utf8').slice(0, 200).split('\n')[0] ?? '';
};

const existing = (path: string): Target =>
  existsSync(path) ? { source: path } : { gap: `${JSON.stringify(path)}: no such file or folder` };

/** The nearest folder with a manifest above a file; the file itself if there is none. */
function packageOf(file: string): string {
  // Bounded upwards: the manifest of a home folder does not describe a script somewhere below it.
  for (let at = dirname(file), steps = 0; steps < 6 && existsSync(at); at = dirname(at), steps += 1) {
    // In a folder such as /tmp any user could place a manifest and make everything in it part of the package.
    if ((statSync(at).mode & 0o002) !== 0) break;
    if (['package.json', 'pyproject.toml', 'setup.py'].some((name) => existsSync(join(at, name)))) return at;
  }
  return file;
}
