import type { FunctionNode } from '../ir/nodes.js';
import { spread } from './expressions.js';
import { callFunction } from './functions.js';
import type { CallSeen, Machine } from './machine.js';
import { memberOf } from './members.js';
import { nothing, object, type FunctionValue, type Value } from './values.js';

const interops = new Set([
  '__importDefault',
  '__importStar',
  '__toESM',
  '_interop_require_default',
  '_interop_require_wildcard',
  '_interopRequireDefault',
  '_interopRequireWildcard',
  '_interopNamespaceDefault',
  '__toCommonJS',
]);
const plainAsync = new WeakMap<FunctionNode, FunctionNode>();

/** Answers for what compilers add to a file: running their state machines step by step would tell nothing more. */
export function compilerHelper(machine: Machine, seen: CallSeen): Value | undefined {
  if (seen.callee.kind !== 'function') return undefined;
  const name = seen.callee.fn.name ?? seen.method;
  const [first, second] = seen.args.positional;
  if (interops.has(name) || interops.has(seen.method)) return first && interop(machine, first);
  if (seen.method === '__exportStar' && first && second?.kind === 'object') {
    spread(machine, second, first);
    return nothing;
  }
  const last = seen.args.positional.at(-1);
  if (last?.kind === 'function' && last.fn.isGenerator && isAwaiter(seen.callee))
    return callFunction(
      machine,
      { ...last, fn: asAsync(last.fn) },
      { positional: [], named: new Map(), open: false },
      last.self ?? first,
    );
  return undefined;
}

/** `__awaiter` and `__async`, by whatever name: they drive a generator and answer with a promise. */
function isAwaiter(callee: FunctionValue): boolean {
  if (callee.fn.end - callee.fn.start > 1_200) return false;
  const text = callee.module.text.slice(callee.fn.start, callee.fn.end);
  return text.includes('Promise') && text.includes('next');
}

function asAsync(fn: FunctionNode): FunctionNode {
  const made = plainAsync.get(fn) ?? { ...fn, body: fn.body, isGenerator: false, isAsync: true };
  plainAsync.set(fn, made);
  return made;
}

/** A module as an import sees it: with a default that is the module itself where it has none. */
function interop(machine: Machine, value: Value): Value {
  if (value.kind !== 'object' && value.kind !== 'function' && value.kind !== 'class') return value;
  if (
    value.kind === 'object' &&
    (value.props.has('__esModule') || value.props.has('default') || value.getters.has('default'))
  )
    return value;
  const made = object([['default', value]], { level: machine.level });
  if (value.kind === 'object') {
    for (const [key, inner] of value.props) made.props.set(key, inner);
    for (const key of value.getters.keys()) made.props.set(key, memberOf(machine, value, key));
  }
  return made;
}
