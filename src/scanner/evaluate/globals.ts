import { posix } from 'node:path';
import type { Frame, Machine } from './machine.js';
import { javascriptGlobal } from './natives/javascript.js';
import { pythonBuiltin } from './natives/python.js';
import { packageOf } from './natives/discovery.js';
import { constant, external, list, noArgs, nothing, object, type Value } from './values.js';

/** What a name stands for when no scope binds it: a built-in, or something from outside. */
export function globalOf(machine: Machine, name: string, frame: Frame): Value {
  const isPython = frame.run.module.language === 'python';
  if (name.startsWith('__') || name === 'import.meta') {
    // Paths are told as if the scanned root were the root of the disk: nothing of the real one is seen.
    const file = `/${frame.run.module.path}`;
    if (name === '__file__' || name === '__filename') return constant(file);
    if (isPython && name === '__package__') return constant(packageOf(frame.run.module.path));
    if (isPython && name === '__path__') return list([constant(posix.dirname(file))]);
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
  if (name === 'NotImplemented') return nothing;
  return (isPython ? pythonBuiltin(machine, name, frame) : javascriptGlobal(machine, name)) ?? external('', [name]);
}
