import type { Arg, FunctionNode, Param } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import { scopeIn, type Scope } from '../evaluate/scope.js';
import type { FunctionValue } from '../evaluate/values.js';
import { assignTo } from './assign.js';
import { isShown, readKey, showAgain, spend, type Context, type Exit, type Frame } from './context.js';
import { keyOf, vouch, type Env } from './environment.js';
import { factOf } from './expressions.js';
import { danger, joinFacts, nothingKnown, taintsIn, type Fact, type Taint } from './facts.js';
import { failsForInternal } from './internal-addresses.js';
import { callKey, holdsCode } from './keys.js';
import { answerByMode } from './modes.js';
import { runStatements } from './statements.js';
import { leftOn, routeBetween } from './routes.js';
import { through } from './traces.js';
import { typed } from './typed.js';
import { flagged, implication, provable } from './proofs.js';
import { failsForOtherCode } from './syntax-checks.js';
import { include, includeAll, keep, kept, recorderAt, summaryOf, type Left } from './summaries.js';

/** The arguments of a call. */
export interface Given {
  readonly positional: readonly Fact[];
  readonly named: ReadonlyMap<string, Fact>;
  /** Taints of a `**` argument whose keys are not known. */
  readonly rest: readonly Taint[];
  readonly exprs: readonly Arg[];
}

/** What is called: a function that the run knows, or one met on this path. */
export interface Callee {
  readonly target?: FunctionValue;
  readonly closure?: { readonly fn: FunctionNode; readonly env: Env };
}

const maxDepth = 9;
const maxActive = 2;

/** Follows a call into code of the project, and brings back what it returns and what it proved of its arguments. */
export function callProject(
  context: Context,
  { target, closure }: Callee,
  given: Given,
  self: Fact | undefined,
  caller: Env,
  keepSelf?: (fields: ReadonlyMap<string, Fact>) => void,
): Fact {
  const fn = closure?.fn ?? target?.fn;
  const module = closure?.env.module ?? target?.module;
  const base = target?.scope ?? closure?.env.scope;
  if (!fn || !module || !base || !mayEnter(context, fn)) return nothingKnown;
  const env: Env = {
    vars: new Map(),
    parent: closure?.env,
    scope: scopeIn(base, 0, true),
    module,
    clock: caller.clock,
  };
  caller.clock.ticks += 1;
  const selfName = bindParams(context, fn, target, given, self, env);
  for (const [key, field] of self?.fields ?? []) if (selfName !== undefined) env.vars.set(`${selfName}.${key}`, field);
  const { exits: ways, fields } = runOnce(context, fn, closure ? undefined : base, env, selfName);
  const exits = ways.some(({ isLifted }) => !isLifted) ? ways.filter(({ isLifted }) => !isLifted) : ways;
  caller.clock.ticks += 1;
  if (exits.length === 0) return { taints: [], name: '\u0000never' };
  if (selfName !== undefined) keepSelf?.(fields);
  const params = fn.params.filter((param) => param.target.kind === 'name');
  const isMethod = self !== undefined && module.language === 'python' && !isStatic(fn, target);
  const proved = (failsForInternal(fn, module) ? danger.url : 0) | (failsForOtherCode(fn, module) ? danger.code : 0);
  const implied = implication(context, exits, given, fn, isMethod, proved);
  vouch(caller, implied.always, (at, key) => readKey(context, at, key));
  const left = answerByMode(
    exits,
    exits.map((exit) => exit.fact).reduce((one, other) => joinFacts(one, other)),
  );
  const fact = module.language === 'python' ? typed(context, left, fn.returns, env) : left;
  const returned: Fact = {
    ...fact,
    from: outerKeys(fact, params, given, isMethod),
    taints: through(fact.taints, module, fn, 'comes back from', fn.name ?? 'a function'),
    implies: undefined,
  };
  const told = flagged(context, returned, [exits, given, fn, isMethod]);
  return implied.yes.length > 0 || implied.no.length > 0
    ? { ...told, implies: { yes: implied.yes, no: implied.no } }
    : told;
}

/** Whether a function is run: not where calls are too deep in each other, and not once more inside itself. */
function mayEnter(context: Context, fn: FunctionNode): boolean {
  const { recorder, running, depth } = context;
  recorder?.touched.add(fn);
  if (depth >= maxDepth) {
    if (recorder) recorder.isCut = true;
    return false;
  }
  return running.reduce((times, each) => (each === fn ? times + 1 : times), 0) < maxActive;
}

/** Runs a function, unless it is known what it does with just this; a function inside another is always run. */
function runOnce(
  context: Context,
  fn: FunctionNode,
  scope: Scope | undefined,
  env: Env,
  selfName: string | undefined,
): Left {
  // A tool itself is called once: what it did is of no use to another.
  const call = scope && context.depth > 0 ? callKey(fn, scope, env) : undefined;
  if (call === undefined) return runBody(context, fn, env, selfName);
  const { key, given } = call;
  const { shelf, running, depth, recorder } = context;
  const before = kept(shelf, key, depth, maxDepth, running);
  if (before) {
    spend(context);
    const route = routeBetween(before.given, given);
    showAgain(context, before, given, route);
    if (recorder) include(recorder, before, given, depth);
    return route ? leftOn(route, before) : before;
  }
  const inner = recorderAt(depth);
  context.recorder = inner;
  const left = runBody(context, fn, env, selfName);
  context.recorder = recorder;
  const summary = summaryOf(
    inner,
    { ...left, exits: given.length === 0 ? joined(left.exits) : provable(fn, left.exits) },
    given,
  );
  const isWhole = context.stepsLeft > 0 && !running.some((each) => inner.touched.has(each));
  const isSteady =
    isWhole &&
    !summary.exits.some(({ fact }) => holdsCode(fact)) &&
    ![...left.fields.values()].some((fact) => holdsCode(fact));
  const isKept = isSteady && keep(shelf, key, summary);
  if (isKept) isShown(context, summary, given);
  if (recorder && isKept) include(recorder, summary, given, depth);
  else if (recorder) includeAll(recorder, inner);
  return left;
}

/** The ways out of a function as one: nothing was given that a way could have proved something of. */
const joined = (exits: readonly Exit[]): readonly Exit[] => {
  const [first, ...others] = exits;
  if (!first) return [];
  const fact = others.reduce((one, other) => joinFacts(one, other.fact), first.fact);
  return [{ fact, env: { ...first.env, vars: new Map(), parent: undefined }, implied: undefined, truth: undefined }];
};

function runBody(context: Context, fn: FunctionNode, env: Env, selfName: string | undefined): Left {
  const frame: Frame = { exits: [], loops: [], breaks: [], modes: [] };
  const { recorder, yielded } = context;
  const given: Fact[] = [];
  context.yielded = given;
  context.running.push(fn);
  context.depth += 1;
  if (recorder) recorder.deepest = Math.max(recorder.deepest, context.depth);
  recorder?.touched.add(fn);
  const end = runStatements(context, fn.body, env, frame);
  context.depth -= 1;
  context.running.pop();
  context.yielded = yielded;
  if (fn.isGenerator && given.length > 0) return { exits: [generated(fn, given, env)], fields: new Map() };
  if (end === 'next')
    frame.exits.push({ fact: nothingKnown, env, implied: undefined, truth: false, modes: [...frame.modes] });
  return { exits: frame.exits, fields: selfName === undefined ? new Map() : fieldsOf(frame.exits, selfName) };
}

const managers = /(?:^|\.)(?:async)?contextmanager$/;

/** A generator gives what it yields one by one; as a context it gives the one thing. */
function generated(fn: FunctionNode, yields: readonly Fact[], env: Env): Exit {
  const each = yields.reduce((one, other) => joinFacts(one, other));
  const isManager = fn.decorators.some((decorator) => managers.test(dottedName(decorator) ?? ''));
  const fact: Fact = isManager ? each : { taints: taintsIn(each), fields: new Map([['*', each]]) };
  return { fact, env, implied: undefined, truth: undefined };
}

function fieldsOf(exits: readonly Exit[], selfName: string): ReadonlyMap<string, Fact> {
  const fields = new Map<string, Fact>();
  for (const { env } of exits) {
    for (const [key, fact] of env.vars)
      if (key.startsWith(`${selfName}.`) && !key.slice(selfName.length + 1).includes('.'))
        fields.set(key.slice(selfName.length + 1), fact);
  }
  return fields;
}

/** A method that is called on an instance and does not get it. */
const isStatic = (fn: FunctionNode, target: FunctionValue | undefined): boolean =>
  target?.home?.cls.members.some((member) => member.fn === fn && member.isStatic) === true;

/** Binds the arguments; answers the name of the receiver inside the function. */
function bindParams(
  context: Context,
  fn: FunctionNode,
  target: FunctionValue | undefined,
  given: Given,
  self: Fact | undefined,
  env: Env,
): string | undefined {
  const isPython = env.module.language === 'python';
  const owner: Fact | undefined = self ?? (target?.self ? { taints: [], value: target.self } : undefined);
  const isMethod = isPython && target?.home !== undefined && !isStatic(fn, target);
  let selfName: string | undefined;
  if (!isPython && owner) {
    env.vars.set('this', owner);
    selfName = 'this';
  }
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
          : nothingKnown);
    const bound = {
      ...withoutNames(typed(context, fact, param.annotation, env)),
      taints: through(fact.taints, env.module, param, 'is passed to', fn.name ?? 'a function'),
    };
    if (name === undefined) assignTo(context, param.target, bound, env);
    else env.vars.set(name, bound);
  }
  return selfName;
}

/** A value in a function that does not know the names of its caller. */
function withoutNames(fact: Fact): Fact {
  const fields =
    fact.fields && [...fact.fields.values()].some(({ from }) => from)
      ? new Map([...fact.fields].map(([key, field]) => [key, field.from ? { ...field, from: undefined } : field]))
      : fact.fields;
  return { ...fact, from: undefined, fields };
}

/** Names that the answer was computed from, as the caller knows them. */
function outerKeys(fact: Fact, params: readonly Param[], given: Given, isMethod: boolean): Fact['from'] {
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
