import { concat, listFact, plainConstant, turnOf } from './combine.js';
import type { Stmt } from '../ir/nodes.js';
import { runImport } from '../evaluate/modules.js';
import { nothing } from '../evaluate/values.js';
import { frameIn, localClass } from './local-classes.js';
import { aliasOf } from './aliases.js';
import { assignTo } from './assign.js';
import { readKey, spend, type Context, type Frame } from './context.js';
import { branch, keyOf, meet, vouch, type Env } from './environment.js';
import { factOf, knownTruth, raised } from './expressions.js';
import { all, joinFacts, noImplied, nothingKnown, type Implied, type Vouch } from './facts.js';
import { emptiness } from './emptiness.js';
import { ofList } from './guard-lists.js';
import { impliedBy } from './guards.js';
import { liftedBranch } from './switches.js';
import { meantItem } from './meant.js';
import { heldOnOneSide, isOwnState } from './modes.js';

/** How a list of statements ended: it went on, or this path is over. */
type End = 'next' | 'over';

/** Runs statements on one path. */
export function runStatements(context: Context, body: readonly Stmt[], env: Env, frame: Frame): End {
  for (const stmt of body) {
    // Functions are known before the first line of their block runs.
    if (stmt.kind === 'function' && stmt.fn.name !== undefined)
      env.vars.set(stmt.fn.name, { taints: [], closure: { fn: stmt.fn, env } });
  }
  for (const stmt of body) if (!spend(context) || runStatement(context, stmt, env, frame) === 'over') return 'over';
  return 'next';
}

const isNothing = (key: string): Vouch => ({ key, safe: all });

function vouchIn(context: Context, env: Env, vouches: Implied['yes']): void {
  vouch(env, vouches, (at, key) => readKey(context, at, key));
}

function runStatement(context: Context, stmt: Stmt, env: Env, frame: Frame): End {
  switch (stmt.kind) {
    case 'expr': {
      const fact = factOf(context, stmt.value, env);
      return fact.name === '\u0000never' || isExit(fact.name) ? 'over' : 'next';
    }
    case 'assign':
      runAssign(context, stmt, env);
      return 'next';
    case 'return': {
      const implied = stmt.value ? impliedBy(context, stmt.value, env) : noImplied;
      const fact = stmt.value ? factOf(context, stmt.value, env) : { ...nothingKnown, value: nothing };
      frame.exits.push({
        fact,
        env: branch(env),
        implied,
        truth: stmt.value ? knownTruth(fact) : false,
        modes: [...frame.modes],
      });
      return 'over';
    }
    case 'throw':
      if (stmt.value) factOf(context, stmt.value, env);
      return 'over';
    case 'if':
      return runIf(context, stmt, env, frame);
    case 'while': {
      runStatements(context, stmt.init, env, frame);
      if (stmt.test) vouchIn(context, env, impliedBy(context, stmt.test, env).yes);
      loop(env, frame, (inner) => {
        if (stmt.test) factOf(context, stmt.test, inner);
        const end = runStatements(context, stmt.body, inner, frame);
        if (stmt.update) factOf(context, stmt.update, inner);
        return end;
      });
      return 'next';
    }
    case 'for': {
      const iterable = factOf(context, stmt.iterable, env);
      const isPython = env.module.language === 'python';
      const list = keyOf(stmt.iterable);
      const [only, ...others] = stmt.body;
      const tests = only?.kind === 'if' && others.length === 0 && only.no.length === 0 ? [only.test] : [];
      const element =
        stmt.over === 'keys'
          ? { taints: iterable.taints }
          : (meantItem(context, stmt.target, iterable, tests, env) ??
            ofList(turnOf(iterable, isPython), iterable, list));
      const breaks = loop(env, frame, (inner) => {
        assignTo(context, stmt.target, element, inner);
        return runStatements(context, stmt.body, inner, frame);
      });
      const end = runStatements(context, stmt.else, env, frame);
      // Whoever gets past an `else` that ends the path has left the loop by a `break`.
      if (end === 'over') meet(env, breaks);
      return end === 'over' && breaks.length === 0 ? 'over' : 'next';
    }
    case 'try':
      return runTry(context, stmt, env, frame);
    case 'with':
      for (const item of stmt.items) {
        const fact = factOf(context, item.context, env);
        if (item.target) assignTo(context, item.target, fact, env);
      }
      return runStatements(context, stmt.body, env, frame);
    case 'switch':
      return runSwitch(context, stmt, env, frame);
    case 'block':
      return runStatements(context, stmt.body, env, frame);
    case 'assert':
      vouchIn(context, env, impliedBy(context, stmt.test, env).yes);
      return 'next';
    case 'class':
      if (stmt.cls.name !== undefined) env.vars.set(stmt.cls.name, localClass(context, stmt.cls, env));
      return 'next';
    case 'import':
      runLocalImport(context, stmt, env);
      return 'next';
    case 'break':
    case 'continue': {
      const left = branch(env);
      frame.loops.at(-1)?.push(left);
      if (stmt.kind === 'break') frame.breaks.at(-1)?.push(left);
      return 'over';
    }
    default:
      return 'next';
  }
}

const isExit = (name: string | undefined): boolean =>
  name === 'process.exit()' || name === 'sys.exit()' || name === 'exit()' || name === 'quit()' || name === 'os._exit()';

function runAssign(context: Context, stmt: Stmt & { kind: 'assign' }, env: Env): void {
  if (!stmt.value) {
    if (stmt.declares && stmt.target.kind === 'name') env.vars.set(stmt.target.name, nothingKnown);
    return;
  }
  const implied =
    stmt.target.kind === 'name' && stmt.value.kind !== 'name' ? impliedBy(context, stmt.value, env) : noImplied;
  let fact = factOf(context, stmt.value, env);
  if (implied.yes.length > 0 || implied.no.length > 0) fact = { ...fact, implies: implied };
  else fact = raised(stmt.value, fact, env);
  if (stmt.op !== undefined) {
    const key = keyOf(stmt.target);
    const before = (key === undefined ? undefined : readKey(context, env, key)) ?? nothingKnown;
    fact =
      stmt.op === '+'
        ? before.fields
          ? listFact([
              { fact: before, spread: true },
              { fact, spread: true },
            ])
          : concat([before, fact])
        : stmt.op === '??' || stmt.op === '||'
          ? joinFacts(before, fact)
          : stmt.op === '/'
            ? joinFacts(before, fact)
            : before;
  }
  if (stmt.declares && stmt.target.kind === 'name' && stmt.declares !== 'var') {
    env.vars.set(stmt.target.name, nothingKnown);
    fact = aliasOf(stmt.value, fact);
  }
  assignTo(context, stmt.target, fact, env);
}

function runIf(context: Context, stmt: Stmt & { kind: 'if' }, env: Env, frame: Frame): End {
  const test = factOf(context, stmt.test, env);
  const known = knownTruth(test);
  if (known !== undefined) return runStatements(context, known ? stmt.yes : stmt.no, env, frame);
  const implied = impliedBy(context, stmt.test, env);
  const [yes, no] = [branch(env, implied.yes), branch(env, implied.no)];
  // A turn that ends at once for what is no text has nothing to do with it, and speaks for no other item.
  const isPassed = stmt.yes.length === 1 && stmt.yes[0]?.kind === 'continue';
  const { whenTrue, whenFalse } = emptiness(stmt.test, isPassed);
  const lists = isPassed ? whenTrue.flatMap((key) => readKey(context, env, key)?.from ?? []) : [];
  vouchIn(context, yes, [...implied.yes, ...[...whenTrue, ...lists.map(({ key }) => key)].map(isNothing)]);
  vouchIn(context, no, [...implied.no, ...whenFalse.map(isNothing)]);
  const lifted = liftedBranch(context, stmt.test, env);
  const isMode = isOwnState(context, stmt.test, env);
  const under = frame.modes.length;
  const side = (body: readonly Stmt[], at: Env, taken: boolean): End => {
    if (isMode) frame.modes.push({ at: stmt, taken });
    const end = runBranch(context, body, at, frame, lifted === (taken ? 'yes' : 'no'));
    frame.modes.length = under;
    return end;
  };
  const ends = [side(stmt.yes, yes, true), side(stmt.no, no, false)];
  const open = [yes, no].filter((_, at) => ends[at] === 'next');
  const kept = open.filter((each) => each !== (lifted === 'yes' ? yes : lifted === 'no' ? no : undefined));
  meet(env, kept.length > 0 ? kept : open);
  if (isMode && kept.length === 2) heldOnOneSide(yes, no, env);
  // What follows is the other side of a branch that left.
  if (isMode && open.length === 1) frame.modes.push({ at: stmt, taken: ends[0] === 'next' });
  return open.length === 0 ? 'over' : 'next';
}

/** Runs one branch; ways out of it are marked where it runs only after a check was switched off. */
function runBranch(context: Context, body: readonly Stmt[], env: Env, frame: Frame, isLifted: boolean): End {
  const before = frame.exits.length;
  const end = runStatements(context, body, env, frame);
  if (isLifted) for (const exit of frame.exits.splice(before)) frame.exits.push({ ...exit, isLifted });
  return end;
}

/** A loop is run twice, so that what one turn leaves behind reaches the next; answers what was known at each `break`. */
function loop(env: Env, frame: Frame, turn: (inner: Env) => End): readonly Env[] {
  let breaks: readonly Env[] = [];
  for (let round = 0; round < 2; round += 1) {
    const inner = branch(env);
    frame.loops.push([]);
    frame.breaks.push([]);
    const end = turn(inner);
    const left = frame.loops.pop() ?? [];
    breaks = frame.breaks.pop() ?? [];
    const open = end === 'next' ? [inner, ...left] : left;
    if (open.length > 0) {
      const after = branch(env);
      meet(after, open);
      meet(env, [env, after], true);
    }
  }
  return breaks;
}

function runTry(context: Context, stmt: Stmt & { kind: 'try' }, env: Env, frame: Frame): End {
  const before = branch(env);
  const end = runStatements(context, stmt.body, env, frame);
  const after = branch(env);
  if (end === 'next') runStatements(context, stmt.else, env, frame);
  const open: Env[] = end === 'next' ? [branch(env)] : [];
  for (const handler of stmt.handlers) {
    const inner = branch(before);
    meet(inner, [branch(before), after]);
    if (handler.param) assignTo(context, handler.param, nothingKnown, inner);
    if (runStatements(context, handler.body, inner, frame) === 'next') open.push(inner);
  }
  if (open.length > 0) meet(env, open);
  const last = runStatements(context, stmt.finally, env, frame);
  return open.length === 0 || last === 'over' ? 'over' : 'next';
}

function runSwitch(context: Context, stmt: Stmt & { kind: 'switch' }, env: Env, frame: Frame): End {
  const subject = factOf(context, stmt.subject, env);
  const known = plainConstant(subject)?.value;
  const open: Env[] = [];
  let falls: Env | undefined;
  let isTaken = false;
  let hasDefault = false;
  for (const one of stmt.cases) {
    const inner = branch(env);
    const values = one.tests.map((test) => plainConstant(factOf(context, test, env)));
    const isDefault = one.tests.length === 0;
    hasDefault ||= isDefault;
    if (known !== undefined && !falls) {
      const matches = values.some((value) => value?.kind === 'constant' && value.value === known);
      const isOther = !isDefault && values.every((value) => value?.kind === 'constant');
      if ((!matches && isOther) || (isDefault && isTaken)) continue;
      isTaken ||= matches;
    }
    const key = keyOf(stmt.subject);
    if (!isDefault && key !== undefined && values.every((value) => value?.kind === 'constant'))
      vouchIn(context, inner, [{ key, safe: all }]);
    if (falls) meet(inner, [inner, falls]);
    frame.loops.push([]);
    const end = runStatements(context, one.body, inner, frame);
    const left = frame.loops.pop() ?? [];
    open.push(...left);
    falls = end === 'next' && stmt.fallsThrough ? inner : undefined;
    if (end === 'next' && !stmt.fallsThrough) open.push(inner);
  }
  if (falls) open.push(falls);
  if (!hasDefault && !isTaken) open.push(branch(env));
  meet(env, open);
  return open.length === 0 ? 'over' : 'next';
}

function runLocalImport(context: Context, stmt: Stmt & { kind: 'import' }, env: Env): void {
  runImport(context.machine, stmt, env.scope, frameIn(context, env));
}
