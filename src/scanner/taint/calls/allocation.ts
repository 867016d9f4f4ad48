import { constantText } from '../facts/combine.js';
import type { Call } from '../../ir/nodes.js';
import { stringOf } from '../../evaluate/values/values.js';
import { assignTo } from '../interpreter/assign.js';
import type { Context } from '../interpreter/context.js';
import { factOf } from '../interpreter/expressions.js';
import { keyOf, type Env } from '../facts/environment.js';
import { joinFacts, untaintedFact, type Fact } from '../facts/facts.js';
import { isModelled } from '../models/models.js';
import { knownText } from '../models/query-sinks.js';
import type { CallArgs } from './functions.js';

/** Allocations: an open file refers to its path, an empty collection holds what is put into it, a request keeps its URL. */
export function allocate(name: string, given: CallArgs, expr: Call): Fact | undefined {
  // Only an empty collection: one with arguments is a copy, which the propagators model.
  if (given.positional.length === 0 && isModelled('makes-collection', name))
    return { taints: [], name: `${name}()`, fields: new Map() };
  if (isModelled('opens-file', name) && expr.args[0]) {
    const key = keyOf(expr.args[0].value);
    return {
      taints: [],
      name: `${name.replace('io.open', 'open')}()`,
      lead: given.positional[0] ? knownText(given.positional[0]) : '',
      // No danger bits: the key links the file to its path and proves nothing about it.
      ...(key === undefined ? {} : { from: [{ key, kinds: 0 }] }),
    };
  }
  // A request object carries URL and body to the call that sends it.
  if (/(?:^|\.)Request$/.test(name))
    return {
      taints: [],
      name: `${name}()`,
      fields: new Map([...given.positional.map((fact, at): [string, Fact] => [String(at), fact]), ...given.named]),
    };
  return undefined;
}

/** `setattr(o, 'h', x)` and `getattr(o, 'h')` with a constant name are `o.h = x` and `o.h`. */
export function attributeCall(
  context: Context,
  { args: [object, name, value] }: Call,
  callee: string | undefined,
  given: CallArgs,
  env: Env,
): Fact | undefined {
  if ((callee !== 'setattr' && callee !== 'getattr') || object === undefined || name === undefined) return undefined;
  const property = constantText(given.positional[1]);
  // A computed attribute name could be any field; the call is then handled as an external one.
  if (property === undefined) return undefined;
  const spot = { start: name.value.start, end: name.value.end };
  const member = { kind: 'member', object: object.value, property, ...spot } as const;
  if (callee === 'setattr' && value !== undefined) {
    assignTo(context, member, given.positional[2] ?? untaintedFact, env);
    return untaintedFact;
  }
  const fact = factOf(context, member, env);
  // `getattr(o, name, default)`: both are possible.
  return value === undefined ? fact : joinFacts(fact, given.positional[2] ?? untaintedFact);
}

/** An instance of `collections.namedtuple('Job', ['h'])`: positions are fields. */
export function namedTuple(callee: Fact['value'], given: CallArgs): Fact | undefined {
  if (callee?.kind !== 'result' || callee.callee.kind !== 'external' || callee.method !== 'namedtuple')
    return undefined;
  const [, names] = callee.args.positional;
  // Python also accepts the names as one string, separated by spaces or commas.
  const fields =
    names?.kind === 'list'
      ? names.items.flatMap((item) => stringOf(item) ?? [])
      : (stringOf(names)?.split(/[\s,]+/) ?? []);
  return {
    taints: [],
    fields: new Map([
      ...given.positional.map((fact, at): [string, Fact] => [fields[at] ?? String(at), fact]),
      ...given.named,
    ]),
  };
}
