import { posix } from 'node:path';
import { findScript } from '../../project/resolve.js';
import type { Machine } from '../interpreter/abstract-machine.js';
import { exportedValue, runFolder, runModule } from './modules.js';
import {
  constant,
  external,
  listValue,
  native,
  object,
  stringOf,
  unknown,
  type Place,
  type Value,
} from '../values/values.js';

/** Result of `import(x)` or `importlib.import_module(x)`. */
export function importFrom(machine: Machine, source: Value, at: Place): Value {
  const from = at.module.path;
  const name = stringOf(source);
  if (name !== undefined) {
    // Cache busters (`?t=1`) and file URLs name the same module.
    const plain = name.replace(/^file:\/\//, '').replace(/\?.*$/, '');
    // Evaluated paths have the project as their root.
    const path = plain.startsWith('/')
      ? findScript(plain.slice(1), new Set(machine.project.modules.keys()))
      : machine.project.resolve(from, plain);
    if (path === undefined || !runModule(machine, path)) return external(name);
    return { kind: 'module', path };
  }
  return importFolder(machine, source, at);
}

/** Result of `require(x)`: `module.exports` for CommonJS. */
export function requireFrom(machine: Machine, source: Value, at: Place): Value {
  const found = importFrom(machine, source, at);
  const run = found.kind === 'module' ? machine.runs.get(found.path) : undefined;
  if (!run || run.exports.size > 0) return found;
  return exportedValue(machine, run, 'default') ?? run.commonjs;
}

/** Import with a computed path: loads everything under the known prefix and records the import as incomplete. */
function importFolder(machine: Machine, source: Value, at: Place): Value {
  const from = posix.dirname(at.module.path);
  const isPython = at.module.language === 'python';
  const written =
    source.kind === 'text' ? source.parts.filter((part): part is string => typeof part === 'string').join('') : '';
  const known = written.startsWith('/') && from !== '.' ? posix.relative(`/${from}`, written) : written;
  // `src` and `dist` differ between source and build and would match nothing.
  const words = known
    .split(isPython ? '.' : '/')
    .filter((word) => /^[\w-]+$/.test(word) && word !== 'src' && word !== 'dist');
  const folder = words.length > 0 ? posix.join(from, ...words) : from;
  const hasFiles = [...machine.project.modules.keys()].some((path) => path.startsWith(`${folder}/`));
  const prefix = hasFiles ? `${folder}/` : from === '.' ? '' : `${from}/`;
  // Reported as a gap: code outside of the prefix stays unseen.
  machine.partialImports.push({ at, prefix });
  if (prefix === '' && words.length === 0) return unknown('import of a computed path');
  return runFolder(machine, prefix, isPython ? /\.py$/ : /\.[mc]?[jt]sx?$/);
}

/** Directory listing of a project folder, from the files the scanner read. */
export function folderList(machine: Machine, folder: Value | undefined, options: Value | undefined): Value {
  const path = folder && stringOf(folder);
  // An unknown folder may contain anything, hence an open list.
  if (path === undefined || !path.startsWith('/')) return listValue([], true);
  const prefix = path === '/' ? '' : `${posix.normalize(path).slice(1).replace(/\/$/, '')}/`;
  const names = new Set<string>();
  for (const file of machine.project.modules.keys())
    if (file.startsWith(prefix)) names.add(file.slice(prefix.length).split('/')[0] ?? '');
  const withTypes = options?.kind === 'object' && options.props.has('withFileTypes');
  return listValue(
    [...names].map((name) => {
      const isFile = machine.project.modules.has(prefix + name);
      const answer = (is: boolean) => native('is', () => constant(is));
      return withTypes
        ? object([
            ['name', constant(name)],
            ['isFile', answer(isFile)],
            ['isDirectory', answer(!isFile)],
            ['parentPath', constant(path)],
          ])
        : constant(name);
    }),
    // No code in the folder: it holds other files, so the list is open.
    names.size === 0,
  );
}
