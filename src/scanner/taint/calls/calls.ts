import { concatFacts, constantFact, elementOf, constantText } from '../facts/combine.js';
import { hasTransferModel, modelOf } from '../models/models.js';
import type { Call, Expr } from '../../ir/nodes.js';
import { dottedName } from '../../ir/names.js';
import { findMethod } from '../../evaluate/calls/classes.js';
import { memberOf } from '../../evaluate/values/members.js';
import { object, type ClassValue } from '../../evaluate/values/values.js';
import { objectAssign } from './object-assign.js';
import { containedBits } from '../checks/containment.js';
import { fileContentFact } from '../models/side-effects.js';
import { allocate, attributeCall, namedTuple } from './allocation.js';
import { callProject, type CallArgs } from './functions.js';
import { mutateReceiver } from './receiver-mutation.js';
import { runCallbacks } from './callbacks.js';
import { foldedString } from './string-folding.js';
import { constructorOf, superCall } from './super-calls.js';
import { resolveIndirectCall } from './indirect-calls.js';
import { unfollowedHit } from './unfollowed.js';
import { resolveDynamicLoad } from './dynamic-imports.js';
import { readKey, recordHit, recordCall, type Context } from '../interpreter/context.js';
import { keyOf, applyProofs, writeVariable, type Env } from '../facts/environment.js';
import { factOf } from '../interpreter/expressions.js';
import { joinFacts, mergeTaints, untaintedFact, taintsIn, type Fact, type Taint } from '../facts/facts.js';
import { parsedMessage } from '../sources/messages.js';
import { parsedFact } from '../sources/schemas.js';
import { callAllTargets, candidateFunctions } from './dynamic-dispatch.js';
import { sinksOf, type CallSite } from '../models/sinks.js';
import { boundMethodCalls } from './bound-methods.js';
import { newSite } from '../facts/sites.js';
import { knownText } from '../models/query-sinks.js';
import { receiverIndex, transfer } from '../models/transfers.js';

/** Transfer function of a call: project functions are analysed, external ones are looked up in the model tables. */
export function callFact(context: Context, expr: Call, env: Env): Fact {
  const receiver = expr.callee.kind === 'member' ? factOf(context, expr.callee.object, env) : undefined;
  const callee =
    expr.callee.kind === 'function'
      ? { taints: [], closure: { fn: expr.callee.fn, env } }
      : factOf(context, expr.callee, env);
  const given = withContent(context, evaluateArguments(context, expr, env), env);
  const method = expr.callee.kind === 'member' ? expr.callee.property : '';
  // Folded first: a constant result prunes branches of dispatchers before any other model applies.
  const folded = foldedString(method, receiver, given, { module: env.module, spot: expr });
  if (folded) return folded;
  const mutated = receiver && mutateReceiver(context, expr, method, receiver, given, env);
  if (mutated) return mutated;
  const indirect = resolveIndirectCall(callee.name ?? '', method, receiver, given);
  if (!indirect) return invoke(context, expr, { callee, receiver, method }, given, env);
  // `partial(f)` without arguments calls nothing yet: analysing it here would report a call without data.
  const isTied = indirect.isDeferred && indirect.given.positional.length + indirect.given.named.size === 0;
  const answer = isTied
    ? untaintedFact
    : invoke(context, expr, { callee: indirect.callee, receiver: undefined, method: '' }, indirect.given, env);
  // The bound function is returned, so that its later call is analysed as well.
  return indirect.isDeferred ? indirect.callee : answer;
}

interface CallTarget {
  readonly callee: Fact;
  readonly receiver: Fact | undefined;
  readonly method: string;
}

function invoke(context: Context, expr: Call, called: CallTarget, given: CallArgs, env: Env): Fact {
  const { callee, receiver, method } = called;
  // The order is from the most to the least certain: language constructs, project code, then models of libraries.
  const attribute = attributeCall(context, expr, callee.name, given, env);
  if (attribute) return attribute;
  const tuple = namedTuple(callee.value, given);
  if (tuple) return tuple;
  const above = superCall(context, expr, given, env);
  if (above) return above;
  const project = projectCall(context, expr, callee, receiver, given, env);
  if (project) return project;
  const at = { module: env.module, spot: expr };
  // An unresolved callee gets a name that no table has, except for rows that match any receiver.
  const name = callee.name ?? `?.${dottedName(expr.callee) ?? method}`;
  const code = resolveDynamicLoad(context, name, given.positional, at);
  if (code) return code;
  const call: CallSite = {
    name,
    args: given.positional,
    named: given.named,
    receiver,
    at,
    language: env.module.language,
    isNew: expr.isNew,
    textOf: constantText,
  };
  recordCallAndSinks(context, call);
  const message = parsedMessage(context, call);
  if (message) return message;
  for (const tied of boundMethodCalls(context, name, expr, given, env))
    recordCallAndSinks(context, { ...call, ...tied, isNew: false });
  const list = expr.callee.kind === 'member' ? keyOf(expr.callee.object) : undefined;
  const ran = runCallbacks(context, { name, method, receiver, list }, given, env, (other, args, named) => {
    const inner: CallSite = { ...call, name: other, args, named, receiver: undefined, isNew: false };
    recordCallAndSinks(context, inner);
    return transfer(inner, () => undefined);
  });
  const unfollowed = unfollowedHit(call, ran !== undefined);
  // A known sink is reported as such; "unfollowed" only where nothing else is known.
  if (unfollowed && sinksOf(call).length === 0) recordHit(context, unfollowed, call);
  const content = fileContentFact(call);
  if (content) return content;
  const parsed = hasTransferModel(name) ? undefined : parsedFact(context, method, receiver, given.positional[0], env);
  if (parsed) return parsed;
  // Last, because a validator proves its argument only after the call returned.
  applyValidator(context, name, method, receiver, expr, env);
  if (name === 'Object.assign') return objectAssign(context, expr, given, env);
  return (
    formatString(method, receiver, given, ran) ??
    allocate(name, given, expr) ??
    ran ??
    transfer(call, (index) => argKey(expr, index))
  );
}

/** Records a call and matches it against the sinks. */
function recordCallAndSinks(context: Context, call: CallSite): void {
  recordCall(context, call);
  for (const hit of sinksOf(call)) recordHit(context, hit, call);
}

/** Access path of an argument or of the receiver; indexes past the end address the items of a first list argument, as in `commonpath([path, root])`. */
const argKey = (expr: Call, at: number): string | undefined => {
  if (at === receiverIndex) return expr.callee.kind === 'member' ? keyOf(expr.callee.object) : undefined;
  const arg = expr.args[at]?.value;
  if (arg) return keyOf(arg);
  const first = expr.args[0]?.value;
  const item = first?.kind === 'list' ? first.items[at - expr.args.length] : undefined;
  return item && keyOf(item.value);
};

function evaluateArguments(context: Context, expr: Call, env: Env): CallArgs {
  const positional: Fact[] = [];
  const named = new Map<string, Fact>();
  let rest: readonly Taint[] = [];
  for (const arg of expr.args) {
    const fact = withProvenFields(arg.value, factOf(context, arg.value, env), env);
    if (arg.name !== undefined) named.set(arg.name, fact);
    else if (arg.spread === 'list') {
      // Known positions first: an appended item must not move to position 0, the program name.
      const known = [...(fact.fields ?? [])].filter(([key]) => key !== '*').map(([, field]) => field);
      const others = fact.fields?.get('*') ?? (known.length === 0 ? elementOf(fact) : undefined);
      positional.push(...known, ...(others ? [others] : []));
    } else if (arg.spread === 'dict') {
      for (const [key, field] of fact.fields ?? []) if (key !== '*') named.set(key, field);
      rest = mergeTaints(rest, fact.taints);
    } else positional.push(fact);
  }
  return { positional, named, rest, exprs: expr.args };
}

/** An argument together with what was proved about its fields: `check(args.host); run(args)`. */
function withProvenFields(expr: Expr, fact: Fact, { vars }: Env): Fact {
  if (expr.kind !== 'name' || (fact.taints.length === 0 && !fact.fields)) return fact;
  const prefix = `${expr.name}.`;
  let fields: Map<string, Fact> | undefined;
  for (const [key, field] of vars) {
    const name = key.startsWith(prefix) ? key.slice(prefix.length) : '';
    if (name !== '' && !name.includes('.')) (fields ??= new Map(fact.fields)).set(name, field);
  }
  return fields ? { ...fact, fields } : fact;
}

/** Calls project code: a closure, a function or method found by the first pass, or a constructor. */
function projectCall(
  context: Context,
  expr: Call,
  callee: Fact,
  receiver: Fact | undefined,
  given: CallArgs,
  env: Env,
): Fact | undefined {
  if (callee.closure) return callProject(context, { closure: callee.closure }, given, undefined, env);
  const value = callee.value;
  if (value?.kind === 'class') return construct(context, value, given, env, expr);
  const targets = candidateFunctions(value);
  if (targets.length > 0)
    return callAllTargets(context, targets, given, receiver, env, receiver && receiverWriter(expr, receiver, env));
  if (value?.kind === 'object' && value.cls) {
    const method = findMethod(context.machine, value.cls, '__call__');
    if (method) return callProject(context, { target: method }, given, callee, env);
  }
  // Method of an instance allocated on this path.
  if (receiver?.value?.kind === 'object' && receiver.value.cls && expr.callee.kind === 'member') {
    const found = memberOf(context.machine, receiver.value, expr.callee.property);
    if (found.kind === 'function')
      return callProject(context, { target: found }, given, receiver, env, receiverWriter(expr, receiver, env));
  }
  return undefined;
}

/** Writes tainted fields back to the receiver, so that the next method call sees them. */
function receiverWriter(
  expr: Call,
  receiver: Fact,
  env: Env,
): ((fields: ReadonlyMap<string, Fact>) => void) | undefined {
  const key = expr.callee.kind === 'member' ? keyOf(expr.callee.object) : undefined;
  // Without an access path there is no variable to write back to; aliases are updated by site instead.
  if (key === undefined || receiver.value?.kind !== 'object' || !receiver.value.cls) return undefined;
  return (fields) => {
    // Untainted fields are left out: they would hide what the first pass found.
    const kept = [...fields].filter(([name, fact]) => fact !== receiver.fields?.get(name) && taintsIn(fact).length > 0);
    if (kept.length > 0)
      writeVariable(env, key, { ...receiver, fields: new Map([...(receiver.fields ?? []), ...kept]) });
  };
}

/** Allocates an instance with the fields its constructor assigns. */
function construct(context: Context, cls: ClassValue, given: CallArgs, env: Env, expr: Call): Fact {
  const made: Fact = { ...instanceFact(cls, env, expr), sites: [newSite()] };
  const isPython = cls.module.language === 'python';
  const name = isPython ? '__init__' : 'constructor';
  const method = isPython ? findMethod(context.machine, cls, name) : undefined;
  const target = method ?? (isPython ? undefined : constructorOf(cls));
  if (!target) {
    const fields = new Map(given.named);
    const names = cls.cls.members.filter((member) => member.kind === 'field').map((member) => member.name);
    given.positional.forEach((fact, at) => fields.set(names[at] ?? '*', fact));
    // A named tuple is read by position, too.
    if (isNamedTuple(cls)) names.forEach((field, at) => fields.set(String(at), fields.get(field) ?? untaintedFact));
    return { ...made, taints: given.rest, fields };
  }
  const kept = new Map<string, Fact>();
  callProject(context, { target }, given, made, env, (self) => {
    for (const [key, fact] of self) kept.set(key, fact);
  });
  return kept.size > 0 ? { ...made, fields: kept } : made;
}

/** Fields of `class Job(NamedTuple)` are its items too. */
const isNamedTuple = ({ bases }: ClassValue): boolean =>
  bases.some((base) => base.kind === 'external' && base.path.at(-1) === 'NamedTuple');

const instanceFact = (cls: ClassValue, { module }: Env, spot: Call): Fact => ({
  taints: [],
  value: object([], { cls, at: { module, spot } }),
});

/** Attaches the content written to a file to arguments that refer to the file: running it runs that content. */
function withContent(context: Context, given: CallArgs, env: Env): CallArgs {
  const filled = (fact: Fact, depth = 0): Fact => {
    const content =
      fact.content ??
      fact.from
        ?.map((from) => (from.kinds === 0 ? readKey(context, env, from.key)?.content : undefined))
        .find((taints) => taints !== undefined);
    const fields =
      // Two levels: an argument, and the items of a list argument.
      fact.fields && depth < 2 && [...fact.fields.values()].some((field) => field.from)
        ? new Map([...fact.fields].map(([key, field]) => [key, filled(field, depth + 1)]))
        : fact.fields;
    return content || fields !== fact.fields ? { ...fact, ...(content ? { content } : {}), fields } : fact;
  };
  return given.positional.some((fact) => fact.from || fact.fields)
    ? { ...given, positional: given.positional.map((fact) => filled(fact)) }
    : given;
}

/** Validators throw on bad input: after the call their argument is proven. */
function applyValidator(
  context: Context,
  name: string,
  method: string,
  receiver: Fact | undefined,
  expr: Call,
  env: Env,
): void {
  const safe = modelOf('validator', name)?.safe;
  const first = expr.args[0]?.value;
  const readAt = (at: Env, key: string): Fact | undefined => readKey(context, at, key);
  if (safe !== undefined && first) {
    const key = keyOf(first);
    const fact = factOf(context, first, env);
    if (key !== undefined) applyProofs(env, [{ key, safe }], readAt);
    applyProofs(
      env,
      (fact.from ?? []).map((from) => ({ key: from.key, safe: safe & from.kinds })),
      readAt,
    );
  }
  // `resolved.relative_to(base)` raises unless it is inside.
  if (method === 'relative_to' && receiver?.isResolved && expr.callee.kind === 'member') {
    const key = keyOf(expr.callee.object);
    const inside = containedBits(receiver);
    applyProofs(
      env,
      [
        ...(key === undefined ? [] : [{ key, safe: inside }]),
        ...(receiver.from ?? []).map((from) => ({ key: from.key, safe: inside & from.kinds })),
      ],
      readAt,
    );
  }
}

/** `'…{}…'.format(x)`, `'…X…'.replace('X', x)`, `'…'.concat(x)` and `sep.join(list)`. */
function formatString(method: string, receiver: Fact | undefined, given: CallArgs, ran?: Fact): Fact | undefined {
  if (!receiver) return undefined;
  const text = constantText(receiver) ?? (receiver.value?.kind === 'choice' ? knownText(receiver) : undefined);
  if ((method === 'format' || method === 'format_map') && text !== undefined) {
    // Placeholders are not matched one by one: all arguments count as inserted at the first one.
    const cut = text.indexOf('{');
    const inner: Fact = {
      taints: mergeTaints(
        ...given.positional.map((fact) => taintsIn(fact)),
        ...[...given.named.values()].map((fact) => taintsIn(fact)),
      ),
    };
    return concatFacts([constantFact(text.slice(0, Math.max(cut, 0))), inner, constantFact(text.slice(cut))]);
  }
  if (/^replace(?:All)?$/.test(method) && text !== undefined) {
    const [pattern, by] = given.positional;
    const wanted = constantText(pattern);
    const cut = wanted === undefined ? 0 : Math.max(text.indexOf(wanted), 0);
    const inner: Fact = { taints: taintsIn(ran ?? by ?? untaintedFact) };
    return concatFacts([
      constantFact(text.slice(0, cut)),
      inner,
      constantFact(text.slice(cut + (wanted ?? '').length)),
    ]);
  }
  if (method === 'concat' && (text !== undefined || receiver.value?.kind === 'text'))
    return concatFacts([receiver, ...given.positional]);
  if (method === 'join' && (text !== undefined || receiver.fields)) {
    const list = text === undefined ? receiver : (given.positional[0] ?? untaintedFact);
    const parts = list.fields ? [...list.fields.values()] : [list];
    return concatFacts(parts.flatMap((part, at) => (at === 0 ? [part] : [constantFact(text ?? ' '), part])));
  }
  if (method === 'concat' && receiver.fields)
    return {
      taints: [],
      fields: new Map([
        ...receiver.fields,
        ['*', given.positional.reduce((joined, fact) => joinFacts(joined, elementOf(fact)), untaintedFact)],
      ]),
    };
  return undefined;
}
