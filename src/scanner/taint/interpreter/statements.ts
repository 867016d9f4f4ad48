import { concatFacts, listFact, plainConstant, iterationFact } from '../facts/combine.js';
import type { Stmt } from '../../ir/nodes.js';
import { runImport } from '../../evaluate/modules/modules.js';
import { undefinedValue } from '../../evaluate/values/values.js';
import { frameIn, localClass } from './local-classes.js';
import { withAlias } from '../facts/aliases.js';
import { assignTo } from './assign.js';
import { readKey, takeStep, type Context, type Frame } from './context.js';
import { forkEnv, keyOf, joinEnvs, applyProofs, type Env } from '../facts/environment.js';
import { factOf, knownTruth, withFlagProof } from './expressions.js';
import { isPromise } from '../checks/promises.js';
import {
  allSafe,
  joinFacts,
  noImplication,
  taintsIn,
  untaintedFact,
  type Implication,
  type Proof,
} from '../facts/facts.js';
import { issuesName } from '../facts/param-names.js';
import { emptiness } from '../checks/emptiness.js';
import { withListKeys } from '../checks/guard-lists.js';
import { implicationsOf } from '../checks/guards.js';
import { optOutBranch } from '../checks/opt-outs.js';
import { selectItem } from './table-lookups.js';
import { markOneSidedContainment, isServerState } from '../checks/config-branches.js';

/** Whether control falls through or the path ends (return, throw, break, exit). */
type End = 'next' | 'over';

/** Transfer function of a statement list on one path. */
export function runStatements(context: Context, body: readonly Stmt[], env: Env, frame: Frame): End {
  for (const stmt of body) {
    // Function declarations are hoisted.
    if (stmt.kind === 'function' && stmt.fn.name !== undefined)
      env.vars.set(stmt.fn.name, { taints: [], closure: { fn: stmt.fn, env } });
  }
  for (const stmt of body) if (!takeStep(context) || runStatement(context, stmt, env, frame) === 'over') return 'over';
  return 'next';
}

const emptyProof = (key: string): Proof => ({ key, safe: allSafe });

function applyProofsIn(context: Context, env: Env, vouches: Implication['yes']): void {
  applyProofs(env, vouches, (at, key) => readKey(context, at, key));
}

function runStatement(context: Context, stmt: Stmt, env: Env, frame: Frame): End {
  switch (stmt.kind) {
    case 'expr': {
      // A check that is not awaited has not run yet: what it proves does not hold here.
      const isPending = stmt.value.kind === 'call' && isPromise(context, stmt.value, env);
      // A fork keeps its sink hits and drops its proofs.
      const fact = factOf(context, stmt.value, isPending ? forkEnv(env) : env);
      if (isPending) return 'next';
      return fact.name === '\u0000never' || isProcessExit(fact.name) ? 'over' : 'next';
    }
    case 'assign':
      runAssign(context, stmt, env);
      return 'next';
    case 'return': {
      // Proofs are taken before the value is evaluated, which may change the variables they name.
      const implied = stmt.value ? implicationsOf(context, stmt.value, env) : noImplication;
      const fact = stmt.value ? factOf(context, stmt.value, env) : { ...untaintedFact, value: undefinedValue };
      frame.exits.push({
        fact,
        env: forkEnv(env),
        implied,
        truth: stmt.value ? knownTruth(fact) : false,
        configBranches: [...frame.configBranches],
      });
      return 'over';
    }
    case 'throw': {
      const fact = stmt.value ? factOf(context, stmt.value, env) : frame.caught;
      // Untainted exceptions carry nothing a handler could pass on.
      if (fact && taintsIn(fact).length > 0) context.thrown.push(fact);
      return 'over';
    }
    case 'if':
      return runIf(context, stmt, env, frame);
    case 'while': {
      // `while` also models the C-style `for`: `init` and `update` are empty for a plain loop.
      runStatements(context, stmt.init, env, frame);
      if (stmt.test) applyProofsIn(context, env, implicationsOf(context, stmt.test, env).yes);
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
      // A body that is a single `if` is a search loop: its test selects the item.
      const tests = only?.kind === 'if' && others.length === 0 && only.no.length === 0 ? [only.test] : [];
      const element =
        stmt.over === 'keys'
          ? { taints: iterable.taints }
          : (selectItem(context, stmt.target, iterable, tests, env) ??
            withListKeys(iterationFact(iterable, isPython), iterable, list));
      const breaks = loop(env, frame, (inner) => {
        assignTo(context, stmt.target, element, inner);
        return runStatements(context, stmt.body, inner, frame);
      });
      const end = runStatements(context, stmt.else, env, frame);
      // If the loop's `else` ends the path, code after the loop is reached by `break` only.
      if (end === 'over') joinEnvs(env, breaks);
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
      applyProofsIn(context, env, implicationsOf(context, stmt.test, env).yes);
      return 'next';
    case 'class':
      if (stmt.cls.name !== undefined) env.vars.set(stmt.cls.name, localClass(context, stmt.cls, env));
      return 'next';
    case 'import':
      runLocalImport(context, stmt, env);
      return 'next';
    case 'break':
    case 'continue': {
      const left = forkEnv(env);
      frame.loops.at(-1)?.push(left);
      if (stmt.kind === 'break') frame.breaks.at(-1)?.push(left);
      return 'over';
    }
    default:
      return 'next';
  }
}

const isProcessExit = (name: string | undefined): boolean =>
  name === `${issuesName}.addIssue()` ||
  name === 'process.exit()' ||
  name === 'sys.exit()' ||
  name === 'exit()' ||
  name === 'quit()' ||
  name === 'os._exit()';

function runAssign(context: Context, stmt: Stmt & { kind: 'assign' }, env: Env): void {
  if (!stmt.value) {
    if (stmt.declares && stmt.target.kind === 'name') env.vars.set(stmt.target.name, untaintedFact);
    return;
  }
  const implied =
    stmt.target.kind === 'name' && stmt.value.kind !== 'name'
      ? implicationsOf(context, stmt.value, env)
      : noImplication;
  let fact = factOf(context, stmt.value, env);
  // A named condition: `ok = check(x)` lets a later `if (ok)` use the proofs.
  if (implied.yes.length > 0 || implied.no.length > 0) fact = { ...fact, implies: implied };
  else fact = withFlagProof(stmt.value, fact, env);
  if (stmt.op !== undefined) {
    const key = keyOf(stmt.target);
    const before = (key === undefined ? undefined : readKey(context, env, key)) ?? untaintedFact;
    fact =
      stmt.op === '+'
        ? before.fields
          ? listFact([
              { fact: before, spread: true },
              { fact, spread: true },
            ])
          : concatFacts([before, fact])
        : stmt.op === '??' || stmt.op === '||'
          ? joinFacts(before, fact)
          : stmt.op === '/'
            ? joinFacts(before, fact)
            : before;
  }
  // Block scope: a shadowed outer variable must not be written by the declaration.
  if (stmt.declares && stmt.target.kind === 'name' && stmt.declares !== 'var') {
    env.vars.set(stmt.target.name, untaintedFact);
    fact = withAlias(stmt.value, fact);
  }
  assignTo(context, stmt.target, fact, env);
}

function runIf(context: Context, stmt: Stmt & { kind: 'if' }, env: Env, frame: Frame): End {
  const test = factOf(context, stmt.test, env);
  const known = knownTruth(test);
  // A constant condition prunes the other branch.
  if (known !== undefined) return runStatements(context, known ? stmt.yes : stmt.no, env, frame);
  const implied = implicationsOf(context, stmt.test, env);
  const [yes, no] = [forkEnv(env, implied.yes), forkEnv(env, implied.no)];
  // `continue` on a non-string item proves nothing about the remaining items.
  const skipsItem = stmt.yes.length === 1 && stmt.yes[0]?.kind === 'continue';
  const { whenTrue, whenFalse } = emptiness(stmt.test, skipsItem);
  const lists = skipsItem ? whenTrue.flatMap((key) => readKey(context, env, key)?.from ?? []) : [];
  applyProofsIn(context, yes, [...implied.yes, ...[...whenTrue, ...lists.map(({ key }) => key)].map(emptyProof)]);
  applyProofsIn(context, no, [...implied.no, ...whenFalse.map(emptyProof)]);
  // A branch that exists only because an operator disabled the check must not undo the proofs of the other one.
  const lifted = optOutBranch(context, stmt.test, env);
  const isConfig = isServerState(context, stmt.test, env);
  const under = frame.configBranches.length;
  const side = (body: readonly Stmt[], at: Env, taken: boolean): End => {
    if (isConfig) frame.configBranches.push({ at: stmt, taken });
    const end = runBranch(context, body, at, frame, lifted === (taken ? 'yes' : 'no'));
    frame.configBranches.length = under;
    return end;
  };
  const ends = [side(stmt.yes, yes, true), side(stmt.no, no, false)];
  const open = [yes, no].filter((_, at) => ends[at] === 'next');
  const remaining = open.filter((each) => each !== (lifted === 'yes' ? yes : lifted === 'no' ? no : undefined));
  joinEnvs(env, remaining.length > 0 ? remaining : open);
  if (isConfig && remaining.length === 2) markOneSidedContainment(yes, no, env);
  // Only one branch falls through: the following code depends on that branch.
  if (isConfig && open.length === 1) frame.configBranches.push({ at: stmt, taken: ends[0] === 'next' });
  return open.length === 0 ? 'over' : 'next';
}

/** Runs one branch; its exits are marked if it runs only after an operator's opt-out. */
function runBranch(context: Context, body: readonly Stmt[], env: Env, frame: Frame, isOptOut: boolean): End {
  const before = frame.exits.length;
  const end = runStatements(context, body, env, frame);
  if (isOptOut) for (const exit of frame.exits.splice(before)) frame.exits.push({ ...exit, isOptOut });
  return end;
}

/** Runs a loop body twice instead of to a fixpoint, enough for a taint to reach the next iteration; returns the state at each `break`. */
function loop(env: Env, frame: Frame, turn: (inner: Env) => End): readonly Env[] {
  let breaks: readonly Env[] = [];
  for (let round = 0; round < 2; round += 1) {
    const inner = forkEnv(env);
    frame.loops.push([]);
    frame.breaks.push([]);
    const end = turn(inner);
    const left = frame.loops.pop() ?? [];
    breaks = frame.breaks.pop() ?? [];
    const open = end === 'next' ? [inner, ...left] : left;
    if (open.length > 0) {
      const after = forkEnv(env);
      joinEnvs(after, open);
      // Joined with the state before, since the loop may run zero times; optimistic, so that a check of each item survives.
      joinEnvs(env, [env, after], true);
    }
  }
  return breaks;
}

function runTry(context: Context, stmt: Stmt & { kind: 'try' }, env: Env, frame: Frame): End {
  // An exception can occur anywhere in the body, so a handler sees the join of its start and its end.
  const before = forkEnv(env);
  const { thrown } = context;
  context.thrown = [];
  const end = runStatements(context, stmt.body, env, frame);
  const [first, ...others] = stmt.handlers.length > 0 ? context.thrown : [];
  const caught = first && others.reduce((one, other) => joinFacts(one, other), first);
  // Without handlers (`try … finally`) exceptions leave the statement.
  context.thrown = stmt.handlers.length > 0 ? thrown : [...thrown, ...context.thrown];
  const after = forkEnv(env);
  if (end === 'next') runStatements(context, stmt.else, env, frame);
  const open: Env[] = end === 'next' ? [forkEnv(env)] : [];
  for (const handler of stmt.handlers) {
    const inner = forkEnv(before);
    joinEnvs(inner, [forkEnv(before), after]);
    if (handler.param) assignTo(context, handler.param, caught ?? untaintedFact, inner);
    const outer = frame.caught;
    frame.caught = caught;
    if (runStatements(context, handler.body, inner, frame) === 'next') open.push(inner);
    frame.caught = outer;
  }
  // If every way ended the path, `finally` still runs on the state at the end of the body.
  if (open.length > 0) joinEnvs(env, open);
  const last = runStatements(context, stmt.finally, env, frame);
  return open.length === 0 || last === 'over' ? 'over' : 'next';
}

function runSwitch(context: Context, stmt: Stmt & { kind: 'switch' }, env: Env, frame: Frame): End {
  const subject = factOf(context, stmt.subject, env);
  const known = plainConstant(subject)?.value;
  const open: Env[] = [];
  let fallThrough: Env | undefined;
  let isTaken = false;
  let hasDefault = false;
  for (const one of stmt.cases) {
    const inner = forkEnv(env);
    const values = one.tests.map((test) => plainConstant(factOf(context, test, env)));
    const isDefault = one.tests.length === 0;
    hasDefault ||= isDefault;
    // A constant subject selects cases as the program would; the others report nothing.
    if (known !== undefined && !fallThrough) {
      const matches = values.some((value) => value?.kind === 'constant' && value.value === known);
      const isOther = !isDefault && values.every((value) => value?.kind === 'constant');
      if ((!matches && isOther) || (isDefault && isTaken)) continue;
      isTaken ||= matches;
    }
    const key = keyOf(stmt.subject);
    // Inside a case the subject equals one of its constants, so it is a fixed string (allow-list).
    if (!isDefault && key !== undefined && values.every((value) => value?.kind === 'constant'))
      applyProofsIn(context, inner, [{ key, safe: allSafe }]);
    if (fallThrough) joinEnvs(inner, [inner, fallThrough]);
    // `break` inside a case leaves the switch, so it is collected like that of a loop.
    frame.loops.push([]);
    const end = runStatements(context, one.body, inner, frame);
    const left = frame.loops.pop() ?? [];
    open.push(...left);
    fallThrough = end === 'next' && stmt.fallsThrough ? inner : undefined;
    if (end === 'next' && !stmt.fallsThrough) open.push(inner);
  }
  if (fallThrough) open.push(fallThrough);
  // Without a default, control may pass the whole switch.
  if (!hasDefault && !isTaken) open.push(forkEnv(env));
  joinEnvs(env, open);
  return open.length === 0 ? 'over' : 'next';
}

function runLocalImport(context: Context, stmt: Stmt & { kind: 'import' }, env: Env): void {
  runImport(context.machine, stmt, env.scope, frameIn(context, env));
}
