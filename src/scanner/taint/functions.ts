import type { Arg, FunctionNode, Param } from '../ir/nodes.js';
import { scopeIn } from '../evaluate/scope.js';
import type { FunctionValue } from '../evaluate/values.js';
import { assignTo } from './assign.js';
import { readKey, type Context, type Exit, type Frame } from './context.js';
import { keyOf, vouch, type Env } from './environment.js';
import { factOf } from './expressions.js';
import { danger, joinFacts, nothingKnown, taintsIn, through, type Fact, type Taint } from './facts.js';
import { failsForInternal } from './internal-addresses.js';
import { runStatements } from './statements.js';
import { typed } from './typed.js';
import { flagged, implication } from './proofs.js';

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
  if (!fn || !module) return nothingKnown;
  const active = context.active.get(fn) ?? 0;
  const facts = [...given.positional, ...given.named.values(), ...(self ? [self] : [])];
  const isTainted =
    closure !== undefined ||
    given.rest.length > 0 ||
    facts.some((fact) => taintsIn(fact).length > 0 || fact.closure !== undefined);
  if (context.depth >= maxDepth || active >= maxActive || (!isTainted && !context.sees)) return nothingKnown;
  const base = target?.scope ?? closure?.env.scope;
  if (!base) return nothingKnown;
  const env: Env = {
    vars: new Map(),
    parent: closure?.env,
    scope: scopeIn(base, 0, true),
    module,
    clock: caller.clock,
  };
  caller.clock.ticks += 1;
  const frame: Frame = { exits: [], loops: [] };
  const selfName = bindParams(context, fn, target, given, self, env);
  for (const [key, field] of self?.fields ?? []) if (selfName !== undefined) env.vars.set(`${selfName}.${key}`, field);
  context.active.set(fn, active + 1);
  context.depth += 1;
  const end = runStatements(context, fn.body, env, frame);
  context.depth -= 1;
  context.active.set(fn, active);
  caller.clock.ticks += 1;
  if (end === 'next') frame.exits.push({ fact: nothingKnown, env, implied: undefined, truth: false });
  if (frame.exits.length === 0) return { taints: [], name: '\u0000never' };
  if (keepSelf && selfName !== undefined) keepSelf(fieldsOf(frame.exits, selfName));
  const params = fn.params.filter((param) => param.target.kind === 'name');
  const implied = implication(
    context,
    frame.exits,
    given,
    fn,
    self !== undefined && module.language === 'python',
    failsForInternal(fn, module) ? danger.url : 0,
  );
  vouch(caller, implied.always, (at, key) => readKey(context, at, key));
  const fact = frame.exits.map((exit) => exit.fact).reduce((one, other) => joinFacts(one, other));
  const returned: Fact = {
    ...fact,
    from: outerKeys(fact, params, given, self !== undefined && module.language === 'python'),
    taints: through(fact.taints, { module, spot: fn }, `comes back from ${fn.name ?? 'a function'}`),
    implies: undefined,
  };
  const told = flagged(context, returned, [frame.exits, given, fn, self !== undefined && module.language === 'python']);
  return implied.yes.length > 0 || implied.no.length > 0
    ? { ...told, implies: { yes: implied.yes, no: implied.no } }
    : told;
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
  const isMethod =
    isPython &&
    target?.home !== undefined &&
    !target.home.cls.members.some((member) => member.fn === fn && member.isStatic);
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
      ...typed(context, fact, param.annotation, env),
      from: undefined,
      taints: through(fact.taints, { module: env.module, spot: param }, `is passed to ${fn.name ?? 'a function'}`),
    };
    if (name === undefined) assignTo(context, param.target, bound, env);
    else env.vars.set(name, bound);
  }
  return selfName;
}

/** Names that the answer was computed from, as the caller knows them. */
function outerKeys(fact: Fact, params: readonly Param[], given: Given, isMethod: boolean): Fact['from'] {
  const names = params.flatMap((param) => (param.target.kind === 'name' ? [param.target.name] : []));
  const found = (fact.from ?? []).flatMap((from) => {
    const at = names.indexOf(from.key) - (isMethod ? 1 : 0);
    const arg = names.includes(from.key) ? given.exprs.filter((each) => each.name === undefined)[at] : undefined;
    const key = arg && keyOf(arg.value);
    return key === undefined ? [] : [{ key, kinds: from.kinds }];
  });
  return found.length > 0 ? found : undefined;
}
