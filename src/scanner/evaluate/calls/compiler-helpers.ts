import type { FunctionNode } from '../../ir/nodes.js';
import { spread } from '../interpreter/expressions.js';
import { callFunction } from './functions.js';
import type { ObservedCall, Machine } from '../interpreter/abstract-machine.js';
import { memberOf } from '../values/members.js';
import { undefinedValue, object, type FunctionValue, type Value } from '../values/values.js';

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

/** Models helpers that compilers emit (`__awaiter`, `__toESM`); evaluating their state machines would add nothing. */
export function compilerHelper(machine: Machine, seen: ObservedCall): Value | undefined {
  if (seen.callee.kind !== 'function') return undefined;
  const name = seen.callee.fn.name ?? seen.method;
  const [first, second] = seen.args.positional;
  // By name: the helpers are inlined into every file, so their identity differs.
  if (interops.has(name) || interops.has(seen.method)) return first && interop(machine, first);
  if (seen.method === '__exportStar' && first && second?.kind === 'object') {
    spread(machine, second, first);
    return undefinedValue;
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

/** Recognises `__awaiter` and `__async` under any name: short functions that drive a generator and return a promise. */
function isAwaiter(callee: FunctionValue): boolean {
  // Helpers are short; a long function with these words is project code.
  if (callee.fn.end - callee.fn.start > 1_200) return false;
  const text = callee.module.text.slice(callee.fn.start, callee.fn.end);
  return text.includes('Promise') && text.includes('next');
}

function asAsync(fn: FunctionNode): FunctionNode {
  const made = plainAsync.get(fn) ?? { ...fn, body: fn.body, isGenerator: false, isAsync: true };
  plainAsync.set(fn, made);
  return made;
}

/** Module with a synthetic `default` export, as an ES import of CommonJS sees it. */
function interop(machine: Machine, value: Value): Value {
  if (value.kind !== 'object' && value.kind !== 'function' && value.kind !== 'class') return value;
  if (
    // A module with its own default export must not be wrapped twice.
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
