import type { Arg, FunctionNode, Param } from '../../ir/nodes.js';
import { dottedName } from '../../ir/names.js';
import { scopeIn, type Scope } from '../../evaluate/values/scope.js';
import type { FunctionValue } from '../../evaluate/values/values.js';
import { assignTo } from '../interpreter/assign.js';
import {
  markReplayed,
  readKey,
  replaySummary,
  takeStep,
  type Context,
  type Exit,
  type Frame,
} from '../interpreter/context.js';
import { keyOf, applyProofs, type Env } from '../facts/environment.js';
import { withParts, withShared } from '../facts/heap.js';
import { withSite } from '../facts/sites.js';
import { objectsIn, updateAliases, writesBetween, type FieldWrite } from '../facts/updates.js';
import { factOf } from '../interpreter/expressions.js';
import { danger, joinFacts, untaintedFact, taintsIn, type Fact, type Taint } from '../facts/facts.js';
import { throwsOnInternal } from '../checks/internal-addresses.js';
import { callKey, hasClosure } from '../summaries/call-keys.js';
import { returnedByConfig } from '../checks/config-branches.js';
import { runStatements } from '../interpreter/statements.js';
import { relocate, substituteOutcome, substitutionBetween } from '../summaries/substitution.js';
import { addTraceStep } from '../facts/traces.js';
import { withAnnotation } from '../interpreter/annotations.js';
import { withFlagProofs, callImplication, trimExits } from '../checks/proofs.js';
import { allowsListedSyntaxOnly } from '../checks/syntax-checks.js';
import {
  includeSummary,
  includeRecorder,
  storeSummary,
  findSummary,
  startRecorder,
  summaryOf,
  type FunctionOutcome,
} from '../summaries/summaries.js';

/** Arguments of a call. */
export interface CallArgs {
  readonly positional: readonly Fact[];
  readonly named: ReadonlyMap<string, Fact>;
  /** Taints of a `**` argument with unknown keys. */
  readonly rest: readonly Taint[];
  readonly exprs: readonly Arg[];
}

/** Function found by the first pass, or a closure created on this path. */
interface Callee {
  readonly target?: FunctionValue;
  readonly closure?: { readonly fn: FunctionNode; readonly env: Env };
}

/** Depth of the call string; deeper calls count as untainted, and the summary as truncated. */
const maxCallDepth = 9;
/** Two rounds, so that a taint passed down by recursion is seen once. */
const maxRecursion = 2;

/** Analyses a project function (context-sensitive, with summaries); returns its result and applies what it proved about the arguments. */
export function callProject(
  context: Context,
  { target, closure }: Callee,
  given: CallArgs,
  self: Fact | undefined,
  caller: Env,
  keepSelf?: (fields: ReadonlyMap<string, Fact>) => void,
): Fact {
  const fn = closure?.fn ?? target?.fn;
  const module = closure?.env.module ?? target?.module;
  const base = target?.scope ?? closure?.env.scope;
  if (!fn || !module || !base || !canEnter(context, fn)) return untaintedFact;
  const env: Env = {
    vars: new Map(),
    parent: closure && currentEnv(context, closure.env, caller),
    scope: scopeIn(base, 0, true),
    module,
    clock: caller.clock,
    activation: {},
    ...(target?.home && methodReceiver(fn, target) !== undefined
      ? { method: { home: target.home, selfName: methodReceiver(fn, target) ?? 'this' } }
      : {}),
  };
  // Memoised results are dropped before and after: the callee may change variables of its caller.
  caller.clock.ticks += 1;
  const selfName = bindParams(context, fn, target, given, self, env);
  for (const [key, field] of self?.fields ?? []) if (selfName !== undefined) env.vars.set(`${selfName}.${key}`, field);
  context.active.push(caller);
  const outcome = runWithSummary(context, fn, closure ? undefined : base, env, selfName);
  context.active.pop();
  const { exits: allExits, fields } = outcome;
  context.thrown.push(...outcome.thrown);
  // Exits of a disabled check do not weaken the proofs of the others.
  const exits = allExits.some(({ isOptOut }) => !isOptOut) ? allExits.filter(({ isOptOut }) => !isOptOut) : allExits;
  caller.clock.ticks += 1;
  // No exit: the function always throws, so the path ends at the call.
  if (exits.length === 0) return { taints: [], name: '\u0000never' };
  applyWrites(context, outcome.writes, caller);
  if (selfName !== undefined) keepSelf?.(fields);
  const params = fn.params.filter((param) => param.target.kind === 'name');
  const isMethod = self !== undefined && module.language === 'python' && !isStatic(fn, target);
  const proved =
    (throwsOnInternal(fn, module) ? danger.url : 0) | (allowsListedSyntaxOnly(fn, module) ? danger.code : 0);
  const implied = callImplication(context, exits, given, fn, isMethod, proved);
  applyProofs(caller, implied.always, (at, key) => readKey(context, at, key));
  const left = returnedByConfig(
    exits,
    exits.map((exit) => exit.fact).reduce((one, other) => joinFacts(one, other)),
  );
  const fact = module.language === 'python' ? withAnnotation(context, left, fn.returns, env) : left;
  const returned: Fact = {
    ...fact,
    from: outerKeys(fact, params, given, isMethod),
    taints: addTraceStep(fact.taints, module, fn, 'is returned from', fn.name ?? 'a function'),
    // Proofs of the callee name its own variables; `callImplication` translates those that the caller can use.
    implies: undefined,
  };
  const flagged = withFlagProofs(context, returned, [exits, given, fn, isMethod]);
  return implied.yes.length > 0 || implied.no.length > 0
    ? { ...flagged, implies: { yes: implied.yes, no: implied.no } }
    : flagged;
}

/** Bounds call depth and recursion. */
function canEnter(context: Context, fn: FunctionNode): boolean {
  const { recorder, callStack, depth } = context;
  recorder?.visited.add(fn);
  context.entered.add(fn);
  if (depth >= maxCallDepth) {
    if (recorder) recorder.isTruncated = true;
    return false;
  }
  return callStack.reduce((times, each) => (each === fn ? times + 1 : times), 0) < maxRecursion;
}

/** Reuses a summary if one exists for these arguments; closures are always analysed, as their variables may change. */
function runWithSummary(
  context: Context,
  fn: FunctionNode,
  scope: Scope | undefined,
  env: Env,
  selfName: string | undefined,
): FunctionOutcome {
  // A handler is analysed once: its summary would never be reused.
  const { heap } = context;
  const { version } = heap;
  const call = scope && context.depth > 0 ? callKey(fn, scope, env, version) : undefined;
  if (call === undefined) return runBody(context, fn, env, selfName);
  const { given, sites } = call;
  // What a read loop parses depends on the tool, so its summaries do too.
  const key = context.message ? `${context.message.tool}\u0000${call.key}` : call.key;
  const { summaries, callStack, depth, recorder } = context;
  const before = findSummary(summaries, key, depth, maxCallDepth, callStack);
  if (before) {
    takeStep(context);
    const route = substitutionBetween(before.given, given);
    replaySummary(context, before, given, route);
    if (recorder) includeSummary(recorder, before, given, depth);
    return relocate(route ? substituteOutcome(route, before) : before, before.sites, sites);
  }
  const inner = startRecorder(depth);
  context.recorder = inner;
  const left = runBody(context, fn, env, selfName);
  context.recorder = recorder;
  const summary = summaryOf(
    inner,
    { ...left, exits: given.length === 0 ? joinExits(left.exits) : trimExits(fn, left.exits) },
    given,
    sites,
  );
  // Recursion was cut inside: the outcome holds for this call stack only.
  const isWhole = context.stepsLeft > 0 && !callStack.some((each) => inner.visited.has(each));
  // Writes to shared state and closures depend on more than the key.
  const isSteady =
    isWhole &&
    heap.version === version &&
    !summary.exits.some(({ fact }) => hasClosure(fact)) &&
    ![...left.fields.values()].some((fact) => hasClosure(fact));
  const isKept = isSteady && storeSummary(summaries, key, summary);
  if (isKept) markReplayed(context, summary, given);
  if (recorder && isKept) includeSummary(recorder, summary, given, depth);
  else if (recorder) includeRecorder(recorder, inner);
  return left;
}

/** Joins all exits: without tainted arguments there is nothing an exit could prove. */
const joinExits = (exits: readonly Exit[]): readonly Exit[] => {
  const [first, ...others] = exits;
  if (!first) return [];
  const fact = others.reduce((one, other) => joinFacts(one, other.fact), first.fact);
  return [{ fact, env: { ...first.env, vars: new Map(), parent: undefined }, implied: undefined, truth: undefined }];
};

function runBody(context: Context, fn: FunctionNode, env: Env, selfName: string | undefined): FunctionOutcome {
  const frame: Frame = { exits: [], loops: [], breaks: [], configBranches: [] };
  const { recorder, yielded, thrown } = context;
  const given: Fact[] = [];
  const raised: Fact[] = [];
  // Taken before the body runs, to find what it wrote into objects of the caller.
  const before = objectsIn(env.vars.values());
  context.yielded = given;
  context.thrown = raised;
  context.callStack.push(fn);
  context.depth += 1;
  if (recorder) recorder.deepest = Math.max(recorder.deepest, context.depth);
  recorder?.visited.add(fn);
  const end = runStatements(context, fn.body, env, frame);
  context.depth -= 1;
  context.callStack.pop();
  context.yielded = yielded;
  context.thrown = thrown;
  if (fn.isGenerator && given.length > 0)
    return { exits: [generatorExit(fn, given, env)], fields: new Map(), writes: [], thrown: raised };
  // Falling off the end returns `undefined`.
  if (end === 'next')
    frame.exits.push({
      fact: untaintedFact,
      env,
      implied: undefined,
      truth: false,
      configBranches: [...frame.configBranches],
    });
  foldParts(context, frame.exits);
  return {
    exits: frame.exits,
    fields: selfName === undefined ? new Map() : fieldsOf(context, frame.exits, selfName),
    writes: writesBetween(
      before,
      frame.exits.map((exit) => objectsIn(exit.env.vars.values())),
    ),
    // Bounded: a loop that throws would otherwise collect one fact per round.
    thrown: raised.slice(0, maxThrown),
  };
}

/** Adds fields that were assigned separately to their objects, so that the caller sees them. */
function foldParts({ heap }: Context, exits: readonly Exit[]): void {
  for (const { env } of exits)
    for (const [name, fact] of env.vars)
      if (heap.owners.has(name)) env.vars.set(name, withParts(heap, env, name, fact));
}

/** Applies what a callee wrote into objects it was given. */
function applyWrites(context: Context, writes: readonly FieldWrite[], caller: Env): void {
  for (const { site, field, fact, isCertain } of writes)
    updateAliases(context, caller, [site], field, (before, isThis) => {
      // A strong update needs certainty on both sides: written on every exit, and to this very object.
      if (isCertain && isThis) return fact;
      return before ? joinFacts(before, fact) : fact;
    });
}

/** Variables a closure captured, as they are on the path that calls it. */
function currentEnv({ active }: Context, captured: Env, caller: Env): Env {
  for (const start of [caller, ...active.toReversed()])
    for (let at: Env | undefined = start; at; at = at.parent) if (at.activation === captured.activation) return at;
  // The activation is gone from the stack: the closure keeps the variables it captured.
  return captured;
}

/** Name of the instance inside a method. */
function methodReceiver(fn: FunctionNode, { module, home }: FunctionValue): string | undefined {
  if (module.language !== 'python') return 'this';
  const [first] = fn.params;
  return home && first?.target.kind === 'name' ? first.target.name : undefined;
}

const maxThrown = 4;

const contextManagers = /(?:^|\.)(?:async)?contextmanager$/;

/** A generator returns a list of its yields; a context manager returns the single one. */
function generatorExit(fn: FunctionNode, yields: readonly Fact[], env: Env): Exit {
  const each = yields.reduce((one, other) => joinFacts(one, other));
  const isManager = fn.decorators.some((decorator) => contextManagers.test(dottedName(decorator) ?? ''));
  const fact: Fact = isManager ? each : { taints: taintsIn(each), fields: new Map([['*', each]]) };
  return { fact, env, implied: undefined, truth: undefined };
}

function fieldsOf({ heap }: Context, exits: readonly Exit[], selfName: string): ReadonlyMap<string, Fact> {
  const fields = new Map<string, Fact>();
  for (const { env } of exits) {
    for (const [key, fact] of env.vars)
      if (key.startsWith(`${selfName}.`) && !key.slice(selfName.length + 1).includes('.'))
        fields.set(key.slice(selfName.length + 1), withParts(heap, env, key, fact));
  }
  return fields;
}

/** Whether a method is static and so receives no instance. */
const isStatic = (fn: FunctionNode, target: FunctionValue | undefined): boolean =>
  target?.home?.cls.members.some((member) => member.fn === fn && member.isStatic) === true;

/** Binds arguments to parameters; returns the name of the receiver (`self`, `this`). */
function bindParams(
  context: Context,
  fn: FunctionNode,
  target: FunctionValue | undefined,
  given: CallArgs,
  self: Fact | undefined,
  env: Env,
): string | undefined {
  const isPython = env.module.language === 'python';
  const instance = self ?? (target?.self ? { taints: [], value: target.self } : undefined);
  const owner = instance && withShared(context.heap, instance);
  const isMethod = isPython && target?.home !== undefined && !isStatic(fn, target);
  let selfName: string | undefined;
  if (!isPython && owner) {
    env.vars.set('this', owner);
    selfName = 'this';
  }
  // Arguments bound by `partial` or `bind` come first.
  const preset: readonly Fact[] = target?.given ? target.given.positional.map((value) => ({ taints: [], value })) : [];
  const positional = [...(isMethod && owner ? [owner] : []), ...preset, ...given.positional];
  let at = 0;
  for (const param of fn.params) {
    const name = param.target.kind === 'name' ? param.target.name : undefined;
    const named = name === undefined ? undefined : given.named.get(name);
    if (at === 0 && isMethod && owner) selfName = name;
    if (param.rest === 'list') {
      const rest = positional.slice(at);
      assignTo(
        context,
        param.target,
        { taints: [], fields: new Map(rest.map((fact, index) => [String(index), fact])) },
        env,
      );
      at = positional.length;
      continue;
    }
    if (param.rest === 'dict') {
      // Unknown keys of `**kwargs` stay tainted as a whole.
      assignTo(context, param.target, { taints: given.rest, fields: new Map(given.named) }, env);
      continue;
    }
    const passed = named ?? (param.keywordOnly ? undefined : positional[at]);
    if (!named && !param.keywordOnly) at += 1;
    env.vars.delete(name ?? '');
    const fact =
      passed ??
      (given.rest.length > 0
        ? { taints: given.rest }
        : param.default
          ? factOf(context, param.default, env)
          : untaintedFact);
    const bound = {
      ...withSite(withoutKeys(withAnnotation(context, fact, param.annotation, env))),
      taints: addTraceStep(fact.taints, env.module, param, 'is passed to', fn.name ?? 'a function'),
    };
    if (name === undefined) assignTo(context, param.target, bound, env);
    else env.vars.set(name, bound);
  }
  return selfName;
}

/** Drops the caller's keys: they mean nothing inside the callee. */
function withoutKeys(fact: Fact): Fact {
  const fields =
    fact.fields && [...fact.fields.values()].some(({ from }) => from)
      ? new Map([...fact.fields].map(([key, field]) => [key, field.from ? { ...field, from: undefined } : field]))
      : fact.fields;
  return { ...fact, from: undefined, fields };
}

/** Maps keys of the callee's parameters back to the caller's argument expressions. */
function outerKeys(fact: Fact, params: readonly Param[], given: CallArgs, isMethod: boolean): Fact['from'] {
  if (!fact.from) return undefined;
  const names = params.flatMap((param) => (param.target.kind === 'name' ? [param.target.name] : []));
  const found = fact.from.flatMap((from) => {
    const at = names.indexOf(from.key) - (isMethod ? 1 : 0);
    const arg = names.includes(from.key) ? given.exprs.filter((each) => each.name === undefined)[at] : undefined;
    const key = arg && keyOf(arg.value);
    return key === undefined ? [] : [{ key, kinds: from.kinds }];
  });
  return found.length > 0 ? found : undefined;
}
