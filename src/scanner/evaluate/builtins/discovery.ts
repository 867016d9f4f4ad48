import { posix } from 'node:path';
import { importFrom } from '../modules/imports.js';
import { itemsOf } from '../values/items.js';
import type { ObservedCall, Machine } from '../interpreter/abstract-machine.js';
import { exportsOf, runModule } from '../modules/modules.js';
import { constant, listValue, native, object, stringOf, unknown, type Value } from '../values/values.js';

/** Dotted name of a Python module. */
export const dottedPath = (path: string): string => path.replace(/(?:(?:^|\/)__init__)?\.py$/, '').replaceAll('/', '.');
export const packageOf = (path: string): string =>
  path.endsWith('__init__.py') ? dottedPath(path) : posix.dirname(path).replace(/^\.$/, '').replaceAll('/', '.');

/** Direct children of a folder of the scanned tree: code files and folders with code. */
function folderChildren(machine: Machine, folder: string): string[] {
  const prefix = folder === '/' ? '' : `${posix.normalize(folder).slice(1).replace(/\/$/, '')}/`;
  const names = new Set<string>();
  for (const file of machine.project.modules.keys())
    if (file.startsWith(prefix)) names.add(file.slice(prefix.length).split('/')[0] ?? '');
  return [...names].map((name) => posix.join(folder, name));
}

const isProjectFile = (machine: Machine, path: string): boolean => machine.project.modules.has(path.slice(1));

/** Files below a folder that match a pattern such as `*.py`; the list is open if empty, because only code files are known. */
function globFiles(machine: Machine, folder: string, pattern: string): Value {
  const name = posix.basename(pattern);
  const [head = '', tail] = name.split('*');
  const matches = (path: string): boolean => {
    const base = posix.basename(path);
    return tail === undefined ? base === name : base.startsWith(head) && base.endsWith(tail);
  };
  const deep = pattern.includes('**') || pattern.includes('*/');
  const all = deep
    ? [...machine.project.modules.keys()].map((path) => `/${path}`).filter((path) => path.startsWith(`${folder}/`))
    : folderChildren(machine, posix.join(folder, posix.dirname(pattern)));
  const found = all.filter(matches).map(constant);
  return listValue(found, found.length === 0);
}

/** Members of a pathlib path, which is represented by its string: `Path(__file__).parent / "tools"`. */
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
      return listValue(above);
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
      return native(name, () => (isProjectFile(machine, text) ? constant(false) : unknown(name)));
    case 'is_file':
      return native(name, () => (isProjectFile(machine, text) ? constant(true) : unknown(name)));
    case 'iterdir':
      return native(name, () => {
        const found = folderChildren(machine, text).map(constant);
        return listValue(found, found.length === 0);
      });
    case 'glob':
    case 'rglob':
      return native(name, ({ positional: [pattern] }) =>
        stringOf(pattern) === undefined
          ? listValue([], true)
          : globFiles(machine, text, name === 'rglob' ? `**/${stringOf(pattern) ?? ''}` : (stringOf(pattern) ?? '')),
      );
    default:
      return undefined;
  }
}

/** Represents a path by its string only inside the scanned tree; others stay symbolic for the taint pass. */
function pathOf(machine: Machine, path: Value | undefined): Value | undefined {
  const text = stringOf(path);
  return text?.startsWith('/') && (isProjectFile(machine, text) || folderChildren(machine, text).length > 0)
    ? path
    : undefined;
}

function joinPathParts(parts: readonly Value[]): Value | undefined {
  const known = parts.map(stringOf);
  return known.every((part) => part !== undefined) ? constant(posix.join(...known)) : undefined;
}

/** Models how Python code discovers its own modules and functions: `pkgutil`, `importlib`, `inspect`, `glob`, `pathlib`. */
export function callDiscovery(machine: Machine, name: string, { args, at }: ObservedCall): Value | undefined {
  const [first, second] = args.positional;
  const text = stringOf(first);
  switch (name) {
    case 'pathlib:Path':
    case 'pathlib:PurePath':
      return pathOf(machine, joinPathParts(args.positional));
    case 'glob:glob':
    case 'glob:iglob':
      return text?.startsWith('/')
        ? globFiles(machine, posix.dirname(text), posix.basename(text))
        : listValue([], true);
    case 'os:path.basename':
      return text === undefined ? undefined : constant(posix.basename(text));
    case 'os:path.splitext':
      return text === undefined
        ? undefined
        : listValue([constant(text.slice(0, text.length - posix.extname(text).length)), constant(posix.extname(text))]);
    case 'pkgutil:iter_modules':
    case 'pkgutil:walk_packages':
      return modulesIn(machine, first ?? args.named.get('path'), second ?? args.named.get('prefix'), name);
    case 'importlib:import_module':
      return first && importFrom(machine, absoluteModule(first, second ?? args.named.get('package')), at);
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

/** `import_module(".x", package)`: resolves the relative name. */
function absoluteModule(source: Value, from: Value | undefined): Value {
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
    return place === undefined ? [] : packageEntries(machine, place, before, by === 'pkgutil:walk_packages' ? 4 : 0);
  });
  return listValue(found, folders.open || folders.items.some((folder) => stringOf(folder) === undefined));
}

function packageEntries(machine: Machine, folder: string, before: string, depth: number): Value[] {
  return folderChildren(machine, folder).flatMap((path) => {
    const isPackage = isProjectFile(machine, posix.join(path, '__init__.py'));
    const stem = posix.basename(path, '.py');
    if (stem === '__init__' || (!isPackage && !path.endsWith('.py'))) return [];
    const [finder, name, ispkg] = [unknown('finder'), constant(before + stem), constant(isPackage)];
    // A named tuple: destructured by position or read by name.
    const found = object(
      [
        ['module_finder', finder],
        ['name', name],
        ['ispkg', ispkg],
      ],
      { collection: { of: 'set', keys: [], values: [finder, name, ispkg] } },
    );
    return [found, ...(isPackage && depth > 0 ? packageEntries(machine, path, `${before}${stem}.`, depth - 1) : [])];
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
    return !value || (answer?.kind === 'constant' && answer.value === false)
      ? []
      : [listValue([constant(name), value])];
  });
  return listValue(found);
}

function kindTest(test: string, value: Value | undefined): Value | undefined {
  if (!value || value.kind === 'unknown' || value.kind === 'choice') return undefined;
  if (test.endsWith('isclass')) return constant(value.kind === 'class');
  if (value.kind !== 'function') return constant(false);
  return test.endsWith('isfunction') ? constant(true) : constant(value.fn.isAsync);
}
