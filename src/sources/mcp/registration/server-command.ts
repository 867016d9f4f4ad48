import { basename } from 'node:path';

/** What a command line or an entry of a client's file stands for. */
export type WantedServer =
  | {
      readonly kind: 'package';
      /** `either` if only a name is known. */
      readonly registry: 'npm' | 'pypi' | 'either';
      readonly name: string;
      /** Version, range or tag as written; absent for the current one. */
      readonly version?: string;
      readonly args: readonly string[];
    }
  | {
      readonly kind: 'remote';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly sse?: boolean;
    }
  | { readonly kind: 'docker'; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'node'; readonly args: readonly string[] }
  | { readonly kind: 'python'; readonly args: readonly string[] }
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[] };

/** Why a command cannot become a source. */
export interface WantedProblem {
  readonly problem: string;
}

/** Recognizes package runners, containers, interpreters and bridges to remote servers in a command line. */
export function parseServerCommand(command: string, args: readonly string[]): WantedServer | WantedProblem {
  // Paths and endings of Windows are removed, since only the program matters.
  const program = basename(command.replaceAll('\\', '/')).replace(/\.(cmd|exe|bat)$/i, '');
  const [first = '', ...rest] = args;
  // `cmd /c npx …` is how clients on Windows start scripts.
  if (program === 'cmd' && /^\/c$/i.test(first)) return parseServerCommand(rest[0] ?? '', rest.slice(1));
  if (program === 'env' && first !== '' && !first.includes('=') && !first.startsWith('-'))
    return parseServerCommand(first, rest);
  if (program === 'npx' || program === 'bunx') return npmRunner(args);
  if ((program === 'pnpm' || program === 'yarn') && first === 'dlx') return npmRunner(rest);
  if (program === 'npm' && (first === 'exec' || first === 'x')) return npmRunner(rest);
  if (program === 'bun' && first === 'x') return npmRunner(rest);
  if (program === 'uvx') return pythonRunner(args);
  if (program === 'uv' && first === 'tool' && rest[0] === 'run') return pythonRunner(rest.slice(1));
  if (program === 'pipx' && first === 'run') return pythonRunner(rest);
  if (program === 'docker' && first === 'run') return containerRun(rest);
  // Only without a path: `/opt/node/bin/node` is a deliberate choice.
  if (program === 'node' && !command.includes('/') && first !== '') return { kind: 'node', args };
  if (/^python3?$/.test(program) && !command.includes('/') && first !== '') return { kind: 'python', args };
  return { kind: 'program', command, args };
}

/** Splits `name@version` of npm, where a scope starts with `@`. */
export function parseNpmName(text: string): { readonly name: string; readonly version?: string } | undefined {
  const [, name, version] = /^((?:@[a-z0-9._~-]+\/)?[a-z0-9._~-]+)(?:@(.+))?$/i.exec(text) ?? [];
  // A leading dot or `..` is a path, not a package.
  if (name === undefined || name.startsWith('.') || name.includes('..')) return undefined;
  return { name, ...(version !== undefined && version !== 'latest' && { version }) };
}

/** Splits `name`, `name==1.2`, `name@1.2` or `name[extra]>=1` of PyPI. */
export function parsePypiName(text: string): { readonly name: string; readonly version?: string } | undefined {
  const [, name, at, range] =
    /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9,_-]+\])?)(?:@(.+)|((?:===?|>=|<=|~=|!=|<|>).+))?$/.exec(
      text,
    ) ?? [];
  if (name === undefined) return undefined;
  // `name@1.2` is the spelling of uvx for an exact version.
  const version = at === undefined ? range : at === 'latest' ? undefined : `==${at}`;
  return { name, ...(version !== undefined && { version }) };
}

/** Flags of package runners that do not change what runs. */
const npmFlags = new Set([
  '-y',
  '--yes',
  '-q',
  '--quiet',
  '--silent',
  '--no-install',
  '--prefer-online',
  '--bun',
  '--',
]);

/** Finds the package in the arguments of npx and its relatives. */
function npmRunner(args: readonly string[]): WantedServer | WantedProblem {
  let wanted: string | undefined;
  let index = 0;
  for (; index < args.length; index += 1) {
    const word = args[index] ?? '';
    const named = /^(?:-p|--package)(?:=(.*))?$/.exec(word);
    if (named) {
      wanted = named[1] ?? args[(index += 1)];
      // What follows is the name of its program, then the arguments.
      while (npmFlags.has(args[index + 1] ?? '')) index += 1;
      index += 2;
      break;
    }
    if (npmFlags.has(word)) continue;
    // An unknown option could change what runs, so that guessing is not safe.
    if (word.startsWith('-')) return { problem: `the option ${word} of the package runner is not supported` };
    wanted = word;
    index += 1;
    break;
  }
  if (wanted === undefined || wanted === '') return { problem: 'it names no package' };
  const parsed = parseNpmName(wanted);
  if (!parsed) return { problem: `${wanted} is not a package of the npm registry, so it cannot be pinned` };
  const rest = args.slice(index);
  if (parsed.name === 'mcp-remote') return remoteBridge(rest);
  return { kind: 'package', registry: 'npm', ...parsed, args: rest };
}

/** `mcp-remote <url> --header "Name: value"` only connects a client to a remote server, which the gateway does itself. */
function remoteBridge(args: readonly string[]): WantedServer | WantedProblem {
  const url = args.find((word) => /^https?:\/\//.test(word));
  if (url === undefined) return { problem: 'mcp-remote names no URL' };
  const headers: Record<string, string> = {};
  for (const [index, word] of args.entries()) {
    const [, name, value] = word === '--header' ? (/^([^:]+):\s*(.*)$/.exec(args[index + 1] ?? '') ?? []) : [];
    if (name !== undefined && value !== undefined) headers[name] = value;
  }
  return { kind: 'remote', url, headers, ...(args.includes('sse-only') && { sse: true }) };
}

/** Flags of Python runners without a value. */
const pythonFlags = new Set(['-q', '--quiet', '--isolated', '--refresh', '--no-cache', '-n', '--offline']);
/** Options of Python runners with a value that does not name the package. */
const pythonOptions = new Set(['--python', '-p', '--with', '--index-url', '--extra-index-url', '--spec']);

/** Finds the package in the arguments of uvx and its relatives. */
function pythonRunner(args: readonly string[]): WantedServer | WantedProblem {
  let from: string | undefined;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (word === '--from' || word === '--spec') from = args[(index += 1)];
    else if (word.startsWith('--from=')) from = word.slice(7);
    else if (pythonFlags.has(word)) continue;
    else if (pythonOptions.has(word)) index += 1;
    else if (word.startsWith('-')) return { problem: `the option ${word} of the package runner is not supported` };
    else {
      const parsed = parsePypiName(from ?? word);
      return parsed
        ? { kind: 'package', registry: 'pypi', ...parsed, args: args.slice(index + 1) }
        : { problem: `${from ?? word} is not a package of PyPI, so it cannot be pinned` };
    }
  }
  return { problem: 'it names no package' };
}

/** Values of `-e NAME=value` move to the environment: arguments are visible in the process list. */
function containerRun(args: readonly string[]): WantedServer | WantedProblem {
  const env: Record<string, string> = {};
  const kept: string[] = [];
  let isImageSeen = false;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    // Options of docker come before the image; after it they belong to the server.
    const given = !isImageSeen && /^(?:-e|--env)$/.test(word) ? args[(index += 1)] : undefined;
    const inline = isImageSeen ? undefined : /^--env=(.*)$/s.exec(word)?.[1];
    const variable = given ?? inline;
    if (variable !== undefined) {
      const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(variable) ?? [];
      if (value !== undefined) env[name] = value;
      kept.push('-e', name);
    } else if (!isImageSeen && /^(?:-[it]+|--interactive|--tty|--rm|--init)$/.test(word)) continue;
    else {
      kept.push(word);
      if (isImageSeen) continue;
      if (!word.startsWith('-')) isImageSeen = true;
      else if (dockerOptions.has(word)) kept.push(args[(index += 1)] ?? '');
    }
  }
  return isImageSeen ? { kind: 'docker', args: kept, env } : { problem: 'docker run names no image' };
}

/** Options of `docker run` whose value is the next word. */
const dockerOptions = new Set(
  '-v --volume --mount -p --publish --name --network --net -w --workdir -u --user --entrypoint --env-file -l --label --platform --add-host --pull -m --memory --cpus --hostname -h --security-opt --cap-drop --cap-add --tmpfs --dns'.split(
    ' ',
  ),
);
