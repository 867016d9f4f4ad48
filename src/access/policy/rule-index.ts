import type { Call } from '../../core/call.js';
import type { Json } from '../../core/json.js';
import type { CompiledRule, Rule } from './policy.js';

/** Rules of one tool in their order, indexed so that a call meets only those that can match it. */
export type RuleIndex = (call: Call) => Iterable<CompiledRule>;

type Buckets = Map<string, CompiledRule[]>;

/** Below this number the index costs more than it saves. */
const FEW = 8;
/** A pattern without any special character. */
const LITERAL = /^[\w@.:/+ -]+$/;

/**
 * Puts each rule into one bucket by its most selective necessary condition: principal, else role, else the literal value of an
 * argument; a rule without any of them is tried for every call. The buckets only leave out rules that cannot match: all conditions of
 * the remaining ones are still checked, so the decision is that of the linear search.
 */
export function indexRules(rules: readonly CompiledRule[]): RuleIndex {
  if (rules.length < FEW) return () => rules;
  const always: CompiledRule[] = [];
  const byPrincipal: Buckets = new Map();
  const byRole: Buckets = new Map();
  const byField = new Map<string, { readonly all: CompiledRule[]; readonly byValue: Buckets }>();
  for (const compiled of rules) {
    const { rule } = compiled;
    const literal = literalArgument(rule);
    if (rule.principals.length > 0 && rule.principals.every((pattern) => LITERAL.test(pattern)))
      for (const id of new Set(rule.principals)) put(byPrincipal, id, compiled);
    else if (rule.roles.length > 0) for (const role of new Set(rule.roles)) put(byRole, role, compiled);
    else if (literal !== undefined) {
      let field = byField.get(literal.field);
      if (field === undefined) byField.set(literal.field, (field = { all: [], byValue: new Map() }));
      field.all.push(compiled);
      for (const key of new Set(literal.values.map(keyOf))) put(field.byValue, key, compiled);
    } else always.push(compiled);
  }

  return ({ principal, args }) => {
    const lists: (readonly CompiledRule[])[] = [always];
    const add = (list: readonly CompiledRule[] | undefined): void => {
      if (list !== undefined) lists.push(list);
    };
    add(byPrincipal.get(principal.id));
    for (const role of principal.roles) add(byRole.get(role));
    for (const [name, { all, byValue }] of byField) {
      const value = Object.hasOwn(args, name) ? (args[name] as Json | undefined) : undefined; // arguments are JSON
      // Lists match by their items, and an empty one matches every allow rule: they meet all rules about the field.
      if (typeof value === 'object' && value !== null) add(all);
      else if (value !== undefined) add(byValue.get(keyOf(value)));
    }
    return lists.length === 1 ? always : inOrder(lists);
  };
}

function put(buckets: Buckets, key: string, rule: CompiledRule): void {
  const bucket = buckets.get(key);
  if (bucket === undefined) buckets.set(key, [rule]);
  else bucket.push(rule);
}

/** First top-level argument that must have one of some literal values. */
function literalArgument(rule: Rule): { readonly field: string; readonly values: readonly Json[] } | undefined {
  for (const [path, { equals, one_of: oneOf, optional }] of Object.entries(rule.args)) {
    const values = equals === undefined ? oneOf : [equals];
    if (!path.includes('.') && optional !== true && values !== undefined && values.every(isPrimitive))
      return { field: path, values };
  }
  return undefined;
}

const isPrimitive = (value: Json): boolean => value === null || typeof value !== 'object';

/** Equal for values that a condition may take for equal: 5, "5" and " 5.0 "; true and "true". */
function keyOf(value: Json): string {
  const text = String(value);
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && text.trim() !== '');
  const number = isNumeric ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? `s${text}` : `n${number === 0 ? 0 : number}`;
}

/** Merges lists that are sorted by the position of the rules; a rule in several of them comes once. */
function* inOrder(lists: readonly (readonly CompiledRule[])[]): Generator<CompiledRule> {
  const at = lists.map(() => 0);
  let last = -1;
  for (;;) {
    let next: CompiledRule | undefined;
    for (let list = 0; list < lists.length; list += 1) {
      let rule = lists[list]?.[at[list] ?? 0];
      while (rule !== undefined && rule.index <= last) {
        at[list] = (at[list] ?? 0) + 1;
        rule = lists[list]?.[at[list] ?? 0];
      }
      if (rule !== undefined && (next === undefined || rule.index < next.index)) next = rule;
    }
    if (next === undefined) return;
    last = next.index;
    yield next;
  }
}
