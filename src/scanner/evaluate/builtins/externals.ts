import { posix } from 'node:path';
import { callFunction, unwrapDecorators } from '../calls/functions.js';
import { folderList, requireFrom } from '../modules/imports.js';
import { itemsOf } from '../values/items.js';
import type { ObservedCall, Machine } from '../interpreter/abstract-machine.js';
import { runModule } from '../modules/modules.js';
import { environmentValue } from '../inputs/environment-variables.js';
import { callDiscovery } from './discovery.js';
import { dedent } from './strings.js';
import { textValue } from '../values/operators.js';
import { constant, native, object, stringOf, type Value } from '../values/values.js';

const modelledModules = new Set([
  '',
  'functools',
  'asyncio',
  'anyio',
  'trio',
  'importlib',
  'typing',
  'copy',
  'textwrap',
  'inspect',
  'fs',
  'fs/promises',
  'os',
  'path',
  'url',
  'module',
  'itertools',
  'pkgutil',
  'pathlib',
  'glob',
  'child_process',
  'subprocess',
]);

/** Models the external functions that matter for registrations: those that forward, wrap or import their arguments. */
export function callExternal(machine: Machine, seen: ObservedCall): Value | undefined {
  const { callee, args } = seen;
  const [first, second] = args.positional;
  if (seen.method === 'then' && seen.receiver && first?.kind === 'function')
    return callFunction(machine, first, { positional: [seen.receiver], named: new Map(), open: false }, first.self);
  if (callee.kind !== 'external' || (callee.source === '' && callee.path[0] !== 'require')) return undefined;
  const source = callee.source.startsWith('node:') ? callee.source.slice(5) : callee.source;
  if (!modelledModules.has(source)) return undefined;
  const name = callee.path.at(-1) ?? '';
  const whole = `${source}:${callee.path.join('.')}`;
  switch (whole) {
    case 'functools:wraps':
      return native('wraps', ({ positional: [inner] }) =>
        inner?.kind === 'function' && first?.kind === 'function'
          ? { ...inner, wraps: unwrapDecorators(first) }
          : (inner ?? constant(undefined)),
      );
    case 'functools:partial':
      if (first?.kind !== 'function') return undefined;
      return { ...first, given: { positional: args.positional.slice(1), named: args.named, open: args.open } };
    case 'functools:lru_cache':
    case 'functools:cache':
      return first?.kind === 'function' ? first : undefined;
    case 'asyncio:run':
    case 'asyncio:gather':
    case 'anyio:run':
    case 'trio:run':
      if (first?.kind === 'function')
        return callFunction(machine, first, { ...args, positional: args.positional.slice(1) }, first.self);
      return first;
    case ':require':
      return first && requireFrom(machine, first, seen.at);
    case 'os:environ.get':
    case 'os:getenv':
      return first && stringOf(first) !== undefined
        ? environmentValue(machine, stringOf(first) ?? '', second ?? args.named.get('default') ?? constant(null))
        : undefined;
    case 'typing:cast':
      return second;
    case 'copy:deepcopy':
    case 'copy:copy':
      return first;
    case 'textwrap:dedent':
    case 'inspect:cleandoc':
      return first && (stringOf(first) === undefined ? first : constant(dedent(stringOf(first) ?? '')));
    case 'inspect:getdoc':
      return first?.kind === 'function' ? constant(unwrapDecorators(first)?.fn.docstring ?? null) : undefined;
    case 'fs:readdirSync':
    case 'fs:promises.readdir':
    case 'fs/promises:readdir':
    case 'os:listdir':
      return folderList(machine, first, second);
    case 'path:dirname':
    case 'os:path.dirname':
      return stringOf(first) === undefined ? undefined : constant(posix.dirname(stringOf(first) ?? ''));
    case 'path:basename':
      return stringOf(first) === undefined
        ? undefined
        : constant(posix.basename(stringOf(first) ?? '', stringOf(second)));
    case 'path:extname':
      return stringOf(first) === undefined ? undefined : constant(posix.extname(stringOf(first) ?? ''));
    case 'path:join':
    case 'path:resolve':
    case 'os:path.join':
      return (
        joinPath(args.positional) ??
        textValue(args.positional.flatMap((part, index) => (index === 0 ? [part] : ['/', part])))
      );
    case 'url:pathToFileURL':
      return (
        first &&
        object([
          ['href', first],
          ['pathname', first],
          ['toString', native('toString', () => first)],
        ])
      );
    case 'url:fileURLToPath':
    case 'os:path.abspath':
      return first;
    case 'child_process:spawn':
    case 'child_process:fork':
    case 'child_process:execFile':
    case 'subprocess:run':
    case 'subprocess:call':
    case 'subprocess:Popen':
      startScript(machine, args.positional);
      return undefined;
    case 'module:createRequire':
      return native('require', ({ positional: [source] }, at) =>
        source ? requireFrom(machine, source, at) : constant(undefined),
      );
    default:
  }
  if (callee.source === 'itertools' && name === 'chain') {
    const all = args.positional.map((each) => itemsOf(machine, each, 'values'));
    return { kind: 'list', items: all.flatMap((each) => [...each.items]), open: all.some((each) => each.open) };
  }
  return seen.at.module.language === 'python' ? callDiscovery(machine, whole, seen) : undefined;
}

/** Evaluates a project script that a launcher starts as a child process. */
function startScript(machine: Machine, given: readonly Value[]): void {
  for (const value of given.slice(0, 2).flatMap((each) => (each.kind === 'list' ? each.items.slice(0, 8) : [each]))) {
    const path = stringOf(value);
    if (path?.startsWith('/')) runModule(machine, path.slice(1), true);
  }
}

/** Joins constant path parts. */
function joinPath(parts: readonly Value[]): Value | undefined {
  const known = parts.map(stringOf);
  return known.every((part) => part !== undefined) ? constant(posix.join(...known)) : undefined;
}
