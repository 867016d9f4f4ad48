import type { Expr } from '../../ir/nodes.js';
import { holderOf, type Scope } from '../values/scope.js';
import { isVoid, join, optionsOf, truth, type Value } from '../values/values.js';

/** Test of one variable, decided per option of a choice value. */
interface VariableTest {
  readonly name: string;
  readonly holds: (option: Value) => boolean | undefined;
}

function variableTest(test: Expr): VariableTest | undefined {
  if (test.kind === 'name') return { name: test.name, holds: truth };
  if (test.kind === 'unary' && test.op === 'not') {
    const inner = variableTest(test.value);
    return inner && { name: inner.name, holds: (option) => opposite(inner.holds(option)) };
  }
  if (
    test.kind === 'binary' &&
    test.left.kind === 'name' &&
    test.right.kind === 'literal' &&
    (test.op === '==' || test.op === '!=')
  ) {
    // `None`, `null` and `undefined` compare equal here.
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

/** Variable that a test may narrow. */
function testedVariable(test: Expr): string | undefined {
  let at = test;
  while (at.kind === 'unary' && at.op === 'not') at = at.value;
  if (at.kind === 'binary') at = at.left;
  return at.kind === 'name' ? at.name : undefined;
}

const opposite = (known: boolean | undefined): boolean | undefined => (known === undefined ? undefined : !known);

/** Evaluates a branch with the tested variable narrowed to the options that satisfy the condition, then widens it again. */
export function withNarrowing<T>(test: Expr, isYes: boolean, scope: Scope, run: () => T): T {
  // Fast path: most tested variables hold a single value.
  const name = testedVariable(test);
  const holder = name === undefined ? undefined : holderOf(scope, name);
  const value = name === undefined ? undefined : holder?.vars.get(name);
  const said = value?.kind === 'choice' ? variableTest(test) : undefined;
  if (!said || !holder || value?.kind !== 'choice') return run();
  // An undecidable option stays on both branches.
  const kept = optionsOf(value).filter((option) => said.holds(option) !== !isYes);
  if (kept.length === 0 || kept.length === value.options.length) return run();
  const inside = kept.reduce<Value | undefined>((all, option) => join(all, option), undefined) ?? value;
  holder.vars.set(said.name, inside);
  const made = run();
  const after = holder.vars.get(said.name);
  // Writes of the branch are joined; an untouched variable regains all options.
  holder.vars.set(said.name, after === inside || !after ? value : join(value, after));
  return made;
}
