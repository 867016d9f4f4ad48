import { posix } from 'node:path';
import { importFrom } from '../imports.js';
import { itemsOf } from '../iterate.js';
import type { CallSeen, Machine } from '../machine.js';
import { exportsOf, runModule } from '../modules.js';
import { constant, list, native, object, stringOf, unknown, type Value } from '../values.js';

/** The dotted name of a Python module, or of the package that a file belongs to. */
export const dottedPath = (path: string): string => path.replace(/(?:(?:^|\/)__init__)?\.py$/, '').replaceAll('/', '.');
export const packageOf = (path: string): string =>
  path.endsWith('__init__.py') ? dottedPath(path) : posix.dirname(path).replace(/^\.$/, '').replaceAll('/', '.');

/** What stands under a folder of the scanned tree, one level deep: code files and folders with code. */
function inFolder(machine: Machine, folder: string): string[] {
  const prefix = folder === '/' ? '' : `${posix.normalize(folder).slice(1).replace(/\/$/, '')}/`;
  const names = new Set<string>();
  for (const file of machine.project.modules.keys())
    if (file.startsWith(prefix)) names.add(file.slice(prefix.length).split('/')[0] ?? '');
  return [...names].map((name) => posix.join(folder, name));
}

const isFile = (machine: Machine, path: string): boolean => machine.project.modules.has(path.slice(1));

/** Files below a folder whose name fits a pattern such as `*.py`; the list is open, as only code is known. */
function globbed(machine: Machine, folder: string, pattern: string): Value {
  const name = posix.basename(pattern);
  const [head = '', tail] = name.split('*');
  const fits = (path: string): boolean => {
    const base = posix.basename(path);
    return tail === undefined ? base === name : base.startsWith(head) && base.endsWith(tail);
  };
  const deep = pattern.includes('**') || pattern.includes('*/');
  const all = deep
    ? [...machine.project.modules.keys()].map((path) => `/${path}`).filter((path) => path.startsWith(`${folder}/`))
    : inFolder(machine, posix.join(folder, posix.dirname(pattern)));
  const found = all.filter(fits).map(constant);
  return list(found, found.length === 0);
}

/** A path is told by its text: `Path(__file__).parent / "tools"`. */
export function pathMember(machine: Machine, text: string, name: string): Value | undefined {
  const self = constant(text);
  const same = () => native(name, () => self);
  switch (name) {
    case 'parent':
      return constant(posix.dirname(text));
    case 'parents': {
      const above: Value[] = [];
      for (let at = posix.dirname(text); above.length < 40; at = posix.dirname(at)) {
        above.push(constant(at));
        if (at === '/' || at === '.') break;
      }
      return list(above);
    }
    case 'name':
      return constant(posix.basename(text));
    case 'stem':
      return constant(posix.basename(text, posix.extname(text)));
    case 'suffix':
      return constant(posix.extname(text));
    case 'resolve':
    case 'absolute':
    case 'as_posix':
    case 'expanduser':
      return same();
    case 'is_dir':
      return native(name, () => (isFile(machine, text) ? constant(false) : unknown(name)));
    case 'is_file':
      return native(name, () => (isFile(machine, text) ? constant(true) : unknown(name)));
    case 'iterdir':
      return native(name, () => {
        const found = inFolder(machine, text).map(constant);
        return list(found, found.length === 0);
      });
    case 'glob':
    case 'rglob':
      return native(name, ({ positional: [pattern] }) =>
        stringOf(pattern) === undefined
          ? list([], true)
          : globbed(machine, text, name === 'rglob' ? `**/${stringOf(pattern) ?? ''}` : (stringOf(pattern) ?? '')),
      );
    default:
      return undefined;
  }
}

/** Only a path of the scanned tree is told by its text; any other stays the symbol that later checks know. */
function pathOf(machine: Machine, path: Value | undefined): Value | undefined {
  const text = stringOf(path);
  return text?.startsWith('/') && (isFile(machine, text) || inFolder(machine, text).length > 0) ? path : undefined;
}

function joined(parts: readonly Value[]): Value | undefined {
  const known = parts.map(stringOf);
  return known.every((part) => part !== undefined) ? constant(posix.join(...known)) : undefined;
}

/** How Python code finds its own modules and functions: `pkgutil`, `importlib`, `inspect`, `glob`, `pathlib`. */
export function discovered(machine: Machine, name: string, { args, at }: CallSeen): Value | undefined {
  const [first, second] = args.positional;
  const text = stringOf(first);
  switch (name) {
    case 'pathlib:Path':
    case 'pathlib:PurePath':
      return pathOf(machine, joined(args.positional));
    case 'glob:glob':
    case 'glob:iglob':
      return text?.startsWith('/') ? globbed(machine, posix.dirname(text), posix.basename(text)) : list([], true);
    case 'os:path.basename':
      return text === undefined ? undefined : constant(posix.basename(text));
    case 'os:path.splitext':
      return text === undefined
        ? undefined
        : list([constant(text.slice(0, text.length - posix.extname(text).length)), constant(posix.extname(text))]);
    case 'pkgutil:iter_modules':
    case 'pkgutil:walk_packages':
      return modulesIn(machine, first ?? args.named.get('path'), second ?? args.named.get('prefix'), name);
    case 'importlib:import_module':
      return first && importFrom(machine, absolute(first, second ?? args.named.get('package')), at);
    case 'importlib:util.module_from_spec': {
      const place =
        first?.kind === 'result' ? (first.args.positional[1] ?? first.args.named.get('location')) : undefined;
      const path = stringOf(place)?.slice(1);
      if (path !== undefined && runModule(machine, path)) return { kind: 'module', path };
      return place && path === undefined ? importFrom(machine, place, at) : undefined;
    }
    case 'inspect:getmembers':
      return membersOf(machine, first, second ?? args.named.get('predicate'));
    case 'inspect:isfunction':
    case 'inspect:iscoroutinefunction':
    case 'asyncio:iscoroutinefunction':
    case 'inspect:isclass':
      return kindTest(name, first);
    default:
      return undefined;
  }
}

/** `import_module(".x", package)` starts from the package. */
function absolute(source: Value, from: Value | undefined): Value {
  const [name, base] = [stringOf(source), stringOf(from)];
  if (name === undefined || base === undefined || !name.startsWith('.')) return source;
  const dots = /^\.+/.exec(name)?.[0].length ?? 1;
  const kept = base.split('.').slice(0, base.split('.').length - (dots - 1));
  return constant([...kept, name.slice(dots)].filter(Boolean).join('.'));
}

function modulesIn(machine: Machine, paths: Value | undefined, prefix: Value | undefined, by: string): Value {
  const folders = paths ? itemsOf(machine, paths, 'values') : { items: [], open: true };
  const before = stringOf(prefix) ?? '';
  const found = folders.items.flatMap((folder) => {
    const place = stringOf(folder);
    return place === undefined ? [] : entries(machine, place, before, by === 'pkgutil:walk_packages' ? 4 : 0);
  });
  return list(found, folders.open || folders.items.some((folder) => stringOf(folder) === undefined));
}

function entries(machine: Machine, folder: string, before: string, depth: number): Value[] {
  return inFolder(machine, folder).flatMap((path) => {
    const isPackage = isFile(machine, posix.join(path, '__init__.py'));
    const stem = posix.basename(path, '.py');
    if (stem === '__init__' || (!isPackage && !path.endsWith('.py'))) return [];
    const [finder, name, ispkg] = [unknown('finder'), constant(before + stem), constant(isPackage)];
    // A named tuple: taken apart by position, or read by name.
    const found = object(
      [
        ['module_finder', finder],
        ['name', name],
        ['ispkg', ispkg],
      ],
      { collection: { of: 'set', keys: [], values: [finder, name, ispkg] } },
    );
    return [found, ...(isPackage && depth > 0 ? entries(machine, path, `${before}${stem}.`, depth - 1) : [])];
  });
}

function membersOf(machine: Machine, holder: Value | undefined, predicate: Value | undefined): Value | undefined {
  if (holder?.kind !== 'module') return undefined;
  const run = runModule(machine, holder.path);
  if (!run) return undefined;
  const wanted = predicate?.kind === 'external' ? `inspect:${predicate.path.at(-1) ?? ''}` : undefined;
  const found = [...exportsOf(machine, run)].flatMap(([name, read]) => {
    const value = read();
    const answer = value && wanted ? kindTest(wanted, value) : undefined;
    return !value || (answer?.kind === 'constant' && answer.value === false) ? [] : [list([constant(name), value])];
  });
  return list(found);
}

function kindTest(test: string, value: Value | undefined): Value | undefined {
  if (!value || value.kind === 'unknown' || value.kind === 'choice') return undefined;
  if (test.endsWith('isclass')) return constant(value.kind === 'class');
  if (value.kind !== 'function') return constant(false);
  return test.endsWith('isfunction') ? constant(true) : constant(value.fn.isAsync);
}
