import type { Expr, Pattern } from '../ir/nodes.js';
import { optionsOf, stringOf } from '../evaluate/values.js';
import { assignTo } from './assign.js';
import { factOfValue, type Context } from './context.js';
import { branch, type Env } from './environment.js';
import { factOf, knownTruth } from './expressions.js';
import { taintsIn, type Fact } from './facts.js';

const maxItems = 200;
const maxMeant = 8;

/**
 * The item of a known list that a search by name is after: `next(t for t in tools if t.name == name)`. Tables of tools are
 * searched so, and the code of one tool is not that of its neighbours.
 */
export function meantItem(
  context: Context,
  target: Pattern,
  iterable: Fact,
  tests: readonly Expr[],
  env: Env,
): Fact | undefined {
  const lists = iterable.value && !iterable.fields && iterable.taints.length === 0 ? optionsOf(iterable.value) : [];
  const items = lists.flatMap((list) => (list.kind === 'list' ? list.items : []));
  if (items.length === 0 || items.length > maxItems || items.every(({ kind }) => kind === 'constant')) return undefined;
  const isRefused = (value: (typeof items)[number]): boolean => {
    const inner = branch(env);
    assignTo(context, target, { taints: [], value }, inner);
    return tests.some((test) => knownTruth(factOf(context, test, inner)) === false);
  };
  const meant = tests.length === 0 ? items : items.filter((item) => !isRefused(item));
  if (meant.length === 0 || meant.length > maxMeant) return undefined;
  const [only] = meant;
  return { taints: [], value: only && meant.length === 1 ? only : { kind: 'choice', options: meant } };
}

/**
 * What stands in a table of the program under a name: `HANDLERS.get(name)`. A name that the caller gives finds any of them,
 * never the name itself.
 */
export function tableEntry(table: Fact, key: Fact): Fact | undefined {
  const { value } = table;
  if (value?.kind !== 'object' || value.cls || table.taints.length > 0) return undefined;
  const names = (key.value ? optionsOf(key.value) : []).flatMap((each) => stringOf(each) ?? []);
  const isAnyName = names.length === 0 || taintsIn(key).length > 0;
  const found = isAnyName ? [...value.props.values()] : names.flatMap((name) => value.props.get(name) ?? []);
  const [only] = found;
  if (!only) return undefined;
  return factOfValue(found.length === 1 ? only : { kind: 'choice', options: found.slice(0, maxMeant) });
}
