import { posix } from 'node:path';
import { callFunction, original } from './functions.js';
import { folderList, importFrom, requireFrom } from './imports.js';
import { itemsOf } from './iterate.js';
import type { CallSeen, Machine } from './machine.js';
import { environmentOf } from './settings.js';
import { dedent } from './natives/strings.js';
import { text } from './operators.js';
import { constant, native, object, stringOf, type Value } from './values.js';

const known = new Set([
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
]);

/** Answers for the few outside functions whose meaning matters to registrations: they pass on, wrap or import what they get. */
export function knownExternal(machine: Machine, seen: CallSeen): Value | undefined {
  const { callee, args } = seen;
  const [first, second] = args.positional;
  if (seen.method === 'then' && seen.receiver && first?.kind === 'function')
    return callFunction(machine, first, { positional: [seen.receiver], named: new Map(), open: false }, first.self);
  if (callee.kind !== 'external' || (callee.source === '' && callee.path[0] !== 'require')) return undefined;
  const source = callee.source.startsWith('node:') ? callee.source.slice(5) : callee.source;
  if (!known.has(source)) return undefined;
  const name = callee.path.at(-1) ?? '';
  switch (`${source}:${callee.path.join('.')}`) {
    case 'functools:wraps':
      return native('wraps', ({ positional: [inner] }) =>
        inner?.kind === 'function' && first?.kind === 'function'
          ? { ...inner, wraps: original(first) }
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
    case 'importlib:import_module':
      return first && importFrom(machine, first, seen.at);
    case ':require':
      return first && requireFrom(machine, first, seen.at);
    case 'os:environ.get':
    case 'os:getenv':
      return first && stringOf(first) !== undefined
        ? environmentOf(machine, stringOf(first) ?? '', second ?? args.named.get('default') ?? constant(null))
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
      return first?.kind === 'function' ? constant(original(first)?.fn.docstring ?? null) : undefined;
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
        text(args.positional.flatMap((part, index) => (index === 0 ? [part] : ['/', part])))
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
  return undefined;
}

/** A path joined from known parts. */
function joinPath(parts: readonly Value[]): Value | undefined {
  const known = parts.map(stringOf);
  return known.every((part) => part !== undefined) ? constant(posix.join(...known)) : undefined;
}
