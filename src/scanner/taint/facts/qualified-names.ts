import type { Value } from '../../evaluate/values/values.js';
import { modelOf } from '../models/models.js';

/** Bound against programs with generated names; clearing only costs time. */
const maxNames = 20_000;

/** Memoises a predicate by name: a program has few distinct names and thousands of calls. */
export function memoizeByName<T>(ask: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const made = ask(name);
    if (known.size >= maxNames) known.clear();
    known.set(name, made);
    return made;
  };
}

const joinName = (source: string, path: readonly string[]): string => {
  const plain = source.replace(/^node:/, '');
  // Models are keyed by the package; `node:fs` and `fs` are the same one.
  const head = modelOf('alias', plain)?.out ?? plain;
  // Evasions that reach the same function: `os.__dict__['system']`, `sys.modules['os']`.
  const parts = [head, ...path.filter((part) => part !== 'default' && part !== '__dict__')].filter(
    (part) => part !== '',
  );
  return (parts[0] === 'sys' && parts[1] === 'modules' && parts.length > 2 ? parts.slice(2) : parts).join('.');
};

/** Qualified name of an external value, `subprocess.run` or `httpx.AsyncClient().get`; undefined for project code and data. */
export function qualifiedName(value: Value | undefined, depth = 0): string | undefined {
  // Values of the first pass can be cyclic.
  if (!value || depth > 8) return undefined;
  switch (value.kind) {
    case 'external': {
      const [global, ...rest] = value.path;
      if (value.source === '' && (global === 'globalThis' || global === 'window' || global === 'global'))
        return rest.join('.');
      return joinName(value.source, value.path);
    }
    case 'native':
      return value.name;
    case 'result': {
      const receiver = qualifiedName(value.receiver, depth + 1);
      if (value.method.startsWith('.')) return receiver === undefined ? undefined : receiver + value.method;
      const callee =
        qualifiedName(value.callee, depth + 1) ?? (receiver === undefined ? undefined : `${receiver}.${value.method}`);
      const [first] = value.args.positional;
      // Wrappers call the wrapped function: keep its name.
      if (callee === 'util.promisify' || callee === 'functools.partial') return qualifiedName(first, depth + 1);
      if (callee === 'require' && first?.kind === 'constant') return joinName(String(first.value), []);
      return callee === undefined ? undefined : `${callee}()`;
    }
    case 'choice':
      // The first option with a name: a choice between two libraries is modelled as one of them only.
      for (const option of value.options) {
        const found = qualifiedName(option, depth + 1);
        if (found !== undefined) return found;
      }
      return undefined;
    default:
      return undefined;
  }
}

/** Last segment of a dotted name. */
export const lastSegment = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
