import type { Expr } from '../ir/nodes.js';
import { holderOf, type Scope } from './scope.js';
import { isVoid, join, optionsOf, truth, type Value } from './values.js';

/** What a test says about a name: which of its options remain where the test holds, and where it does not. */
interface Said {
  readonly name: string;
  readonly holds: (option: Value) => boolean | undefined;
}

function saidBy(test: Expr): Said | undefined {
  if (test.kind === 'name') return { name: test.name, holds: truth };
  if (test.kind === 'unary' && test.op === 'not') {
    const inner = saidBy(test.value);
    return inner && { name: inner.name, holds: (option) => opposite(inner.holds(option)) };
  }
  if (
    test.kind === 'binary' &&
    test.left.kind === 'name' &&
    test.right.kind === 'literal' &&
    (test.op === '==' || test.op === '!=')
  ) {
    const wanted = test.right.value ?? undefined;
    const equal = (option: Value) =>
      option.kind === 'constant'
        ? (option.value ?? undefined) === wanted
        : wanted === undefined && !isVoid(option)
          ? false
          : undefined;
    return { name: test.left.name, holds: test.op === '==' ? equal : (option) => opposite(equal(option)) };
  }
  return undefined;
}

/** The name that a test may say something about. */
function testedIn(test: Expr): string | undefined {
  let at = test;
  while (at.kind === 'unary' && at.op === 'not') at = at.value;
  if (at.kind === 'binary') at = at.left;
  return at.kind === 'name' ? at.name : undefined;
}

const opposite = (known: boolean | undefined): boolean | undefined => (known === undefined ? undefined : !known);

/** Runs a branch with a tested name narrowed to what the test leaves of it, and gives it back its breadth afterwards. */
export function narrowed<T>(test: Expr, isYes: boolean, scope: Scope, run: () => T): T {
  // Most tests are of names that are one thing: what the test says is then not asked.
  const name = testedIn(test);
  const holder = name === undefined ? undefined : holderOf(scope, name);
  const value = name === undefined ? undefined : holder?.vars.get(name);
  const said = value?.kind === 'choice' ? saidBy(test) : undefined;
  if (!said || !holder || value?.kind !== 'choice') return run();
  const kept = optionsOf(value).filter((option) => said.holds(option) !== !isYes);
  if (kept.length === 0 || kept.length === value.options.length) return run();
  const inside = kept.reduce<Value | undefined>((all, option) => join(all, option), undefined) ?? value;
  holder.vars.set(said.name, inside);
  const made = run();
  const after = holder.vars.get(said.name);
  // Joined writes of the branch stay; an untouched name is as broad as before.
  holder.vars.set(said.name, after === inside || !after ? value : join(value, after));
  return made;
}
