import { posix } from 'node:path';
import type { Machine } from './machine.js';
import { exported, runFolder, runModule } from './modules.js';
import { external, stringOf, unknown, type Place, type Value } from './values.js';

/** What `import(x)`, `require(x)` or `importlib.import_module(x)` gives. */
export function importFrom(machine: Machine, source: Value, at: Place): Value {
  const from = at.module.path;
  const name = stringOf(source);
  if (name !== undefined) {
    const path = machine.project.resolve(from, name.replace(/^file:\/\//, ''));
    if (path === undefined || !runModule(machine, path)) return external(name);
    return { kind: 'module', path };
  }
  return importFolder(machine, source, at);
}

/** `require` of a CommonJS module gives what it assigned to `module.exports`. */
export function requireFrom(machine: Machine, source: Value, at: Place): Value {
  const found = importFrom(machine, source, at);
  const run = found.kind === 'module' ? machine.runs.get(found.path) : undefined;
  if (!run || run.exports.size > 0) return found;
  return exported(machine, run, 'default') ?? run.commonjs;
}

/** An import whose target is only partly known loads everything under the known part, and is noted as not fully told. */
function importFolder(machine: Machine, source: Value, at: Place): Value {
  const from = posix.dirname(at.module.path);
  const isPython = at.module.language === 'python';
  const known = source.kind === 'text' ? source.parts.filter((part): part is string => typeof part === 'string').join('') : '';
  const words = known.split(isPython ? '.' : '/').filter((word) => /^[\w-]+$/.test(word) && word !== 'src' && word !== 'dist');
  const folder = words.length > 0 ? posix.join(from, ...words) : from;
  const hasFiles = [...machine.project.modules.keys()].some((path) => path.startsWith(`${folder}/`));
  const prefix = hasFiles ? `${folder}/` : from === '.' ? '' : `${from}/`;
  machine.loose.push({ at, prefix });
  if (prefix === '' && words.length === 0) return unknown('import of a computed path');
  return runFolder(machine, prefix, isPython ? /\.py$/ : /\.[mc]?[jt]sx?$/);
}
