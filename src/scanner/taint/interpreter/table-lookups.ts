import type { Expr, Pattern } from '../../ir/nodes.js';
import { optionsOf, stringOf } from '../../evaluate/values/values.js';
import { assignTo } from './assign.js';
import { factOfValue, type Context } from './context.js';
import { forkEnv, type Env } from '../facts/environment.js';
import { factOf, knownTruth } from './expressions.js';
import { taintsIn, type Fact } from '../facts/facts.js';

/** Longer lists are data and not a dispatch table. */
const maxItems = 200;
/** More candidates than this select nothing: each would be analysed in full. */
const maxSelected = 8;

/**
 * Item a search by name selects from a constant list: `next(t for t in tools if t.name == name)`. Without it every tool of
 * a dispatch table would be charged with the code of all others.
 */
export function selectItem(
  context: Context,
  target: Pattern,
  iterable: Fact,
  tests: readonly Expr[],
  env: Env,
): Fact | undefined {
  const lists = iterable.value && !iterable.fields && iterable.taints.length === 0 ? optionsOf(iterable.value) : [];
  const items = lists.flatMap((list) => (list.kind === 'list' ? list.items : []));
  // A list of plain constants holds no handlers; `iterationFact` already keeps its values.
  if (items.length === 0 || items.length > maxItems || items.every(({ kind }) => kind === 'constant')) return undefined;
  const isRefused = (value: (typeof items)[number]): boolean => {
    const inner = forkEnv(env);
    assignTo(context, target, { taints: [], value }, inner);
    // Removed only if the test is known to be false: unknown keeps the item (over-approximation).
    return tests.some((test) => knownTruth(factOf(context, test, inner)) === false);
  };
  const selected = tests.length === 0 ? items : items.filter((item) => !isRefused(item));
  if (selected.length === 0 || selected.length > maxSelected) return undefined;
  const [only] = selected;
  return { taints: [], value: only && selected.length === 1 ? only : { kind: 'choice', options: selected } };
}

/**
 * Entry of a constant table: `HANDLERS.get(name)`. A tainted key selects any entry, never the key itself, so the result
 * is untainted.
 */
export function tableEntry(table: Fact, key: Fact): Fact | undefined {
  const { value } = table;
  if (value?.kind !== 'object' || value.cls || table.taints.length > 0) return undefined;
  const names = (key.value ? optionsOf(key.value) : []).flatMap((each) => stringOf(each) ?? []);
  const isAnyName = names.length === 0 || taintsIn(key).length > 0;
  const found = isAnyName ? [...value.props.values()] : names.flatMap((name) => value.props.get(name) ?? []);
  const [only] = found;
  if (!only) return undefined;
  return factOfValue(found.length === 1 ? only : { kind: 'choice', options: found.slice(0, maxSelected) });
}
