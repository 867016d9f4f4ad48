import { posix } from 'node:path';
import type { Frame, Machine } from '../interpreter/abstract-machine.js';
import { javascriptGlobal } from './javascript.js';
import { pythonBuiltin } from './python.js';
import { packageOf } from './discovery.js';
import { constant, external, listValue, noArgs, undefinedValue, object, type Value } from '../values/values.js';

/** Value of an unbound name: a built-in or an external global. */
export function globalOf(machine: Machine, name: string, frame: Frame): Value {
  const isPython = frame.run.module.language === 'python';
  if (name.startsWith('__') || name === 'import.meta') {
    // The scanned root acts as `/`: real paths of the machine never appear in results.
    const file = `/${frame.run.module.path}`;
    if (name === '__file__' || name === '__filename') return constant(file);
    if (isPython && name === '__package__') return constant(packageOf(frame.run.module.path));
    if (isPython && name === '__path__') return listValue([constant(posix.dirname(file))]);
    if (name === '__dirname') return constant(posix.dirname(file));
    if (name === 'import.meta')
      return object(
        [
          ['url', constant(file)],
          ['dirname', constant(posix.dirname(file))],
          ['filename', constant(file)],
          ['main', constant(true)],
        ],
        { open: true },
      );
  }
  if (name === 'arguments')
    return { kind: 'list', items: [...(frame.args ?? noArgs).positional], open: frame.args?.open ?? true };
  if (name === 'NotImplemented') return undefinedValue;
  return (isPython ? pythonBuiltin(machine, name, frame) : javascriptGlobal(machine, name)) ?? external('', [name]);
}
