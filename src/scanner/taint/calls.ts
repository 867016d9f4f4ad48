import { concat, constantFact, elementOf, plainConstant, textOf } from './combine.js';
import { isListed, proves } from './transfer-names.js';
import type { Call, Expr } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import { findMethod } from '../evaluate/classes.js';
import { memberOf } from '../evaluate/members.js';
import { object, type ClassValue, type FunctionValue } from '../evaluate/values.js';
import { addPart } from './assign.js';
import { assigned } from './assigned.js';
import { held } from './containment.js';
import { contentRead } from './behaviour.js';
import { callProject, type Given } from './functions.js';
import { tableEntry } from './meant.js';
import { runCallbacks } from './callbacks.js';
import { handed } from './handed.js';
import { loaded } from './loaded.js';
import { partOf, readKey, report, see, type Context } from './context.js';
import { keyOf, vouch, write, type Env } from './environment.js';
import { factOf } from './expressions.js';
import { joinFacts, mergeTaints, nothingKnown, taintsIn, type Fact, type Taint } from './facts.js';
import { lastWord } from './names.js';
import { knownText } from './queries.js';
import { schemaFact } from './schemas.js';
import { callEach, functionsIn } from './several.js';
import { sinksOf, type SeenCall } from './sinks.js';
import { tiedMethods } from './tied.js';
import { ofReceiver, transfer } from './transfers.js';

/** Makes a call: code of the project is followed, anything else is looked up in the tables. */
export function callFact(context: Context, expr: Call, env: Env): Fact {
  const receiver = expr.callee.kind === 'member' ? factOf(context, expr.callee.object, env) : undefined;
  const callee =
    expr.callee.kind === 'function'
      ? { taints: [], closure: { fn: expr.callee.fn, env } }
      : factOf(context, expr.callee, env);
  const given = withContent(context, givenOf(context, expr, env), env);
  const method = expr.callee.kind === 'member' ? expr.callee.property : '';
  const mapped = receiver && mutation(context, expr, method, receiver, given, env);
  if (mapped) return mapped;
  const other = handed(callee.name ?? '', method, receiver, given);
  if (!other) return invoke(context, expr, { callee, receiver, method }, given, env);
  const isTied = other.isLater && other.given.positional.length + other.given.named.size === 0;
  const answer = isTied
    ? nothingKnown
    : invoke(context, expr, { callee: other.callee, receiver: undefined, method: '' }, other.given, env);
  return other.isLater ? other.callee : answer;
}

interface Called {
  readonly callee: Fact;
  readonly receiver: Fact | undefined;
  readonly method: string;
}

function invoke(context: Context, expr: Call, called: Called, given: Given, env: Env): Fact {
  const { callee, receiver, method } = called;
  const project = projectCall(context, expr, callee, receiver, given, env);
  if (project) return project;
  const at = { module: env.module, spot: expr };
  const name = callee.name ?? `?.${dottedName(expr.callee) ?? method}`;
  const code = loaded(context, name, given.positional, at);
  if (code) return code;
  const call: SeenCall = {
    name,
    args: given.positional,
    named: given.named,
    receiver,
    at,
    language: env.module.language,
    isNew: expr.isNew,
    textOf,
  };
  show(context, call);
  for (const tied of tiedMethods(context, name, expr, given, env)) show(context, { ...call, ...tied, isNew: false });
  const list = expr.callee.kind === 'member' ? keyOf(expr.callee.object) : undefined;
  const ran = runCallbacks(context, { name, method, receiver, list }, given, env, (other, args, named) => {
    const inner: SeenCall = { ...call, name: other, args, named, receiver: undefined, isNew: false };
    show(context, inner);
    return transfer(inner, () => undefined);
  });
  const content = contentRead(call);
  if (content) return content;
  const parsed = isListed(name) ? undefined : schemaFact(context, method, receiver, given.positional[0], env);
  if (parsed) return parsed;
  proven(context, name, method, receiver, expr, env);
  if (name === 'Object.assign') return assigned(context, expr, given, env);
  return (
    formatted(method, receiver, given, ran) ??
    opened(name, given, expr) ??
    ran ??
    transfer(call, (index) => argKey(expr, index))
  );
}

/** Shows a call to whoever watches, with the harm that it does. */
function show(context: Context, call: SeenCall): void {
  see(context, call);
  for (const hit of sinksOf(call)) report(context, hit, call);
}

/** The key of an argument, or of the receiver; after the last argument, those of the items of a list that is the first: `commonpath([path, root])`. */
const argKey = (expr: Call, at: number): string | undefined => {
  if (at === ofReceiver) return expr.callee.kind === 'member' ? keyOf(expr.callee.object) : undefined;
  const arg = expr.args[at]?.value;
  if (arg) return keyOf(arg);
  const first = expr.args[0]?.value;
  const item = first?.kind === 'list' ? first.items[at - expr.args.length] : undefined;
  return item && keyOf(item.value);
};

function givenOf(context: Context, expr: Call, env: Env): Given {
  const positional: Fact[] = [];
  const named = new Map<string, Fact>();
  let rest: readonly Taint[] = [];
  for (const arg of expr.args) {
    const fact = factOf(context, arg.value, env);
    if (arg.name !== undefined) named.set(arg.name, fact);
    else if (arg.spread === 'list') {
      // Known places first: what was appended later does not take the place of the program's name.
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

/** Code of the project: a local function, a function or method that the run knows, or a class. */
function projectCall(
  context: Context,
  expr: Call,
  callee: Fact,
  receiver: Fact | undefined,
  given: Given,
  env: Env,
): Fact | undefined {
  if (callee.closure) return callProject(context, { closure: callee.closure }, given, undefined, env);
  const value = callee.value;
  if (value?.kind === 'class') return construct(context, value, given, env, expr);
  const targets = functionsIn(value);
  if (targets.length > 0)
    return callEach(context, targets, given, receiver, env, receiver && keeping(expr, receiver, env));
  if (value?.kind === 'object' && value.cls) {
    const method = findMethod(context.machine, value.cls, '__call__');
    if (method) return callProject(context, { target: method }, given, callee, env);
  }
  // A method of an instance that was made on this path.
  if (receiver?.value?.kind === 'object' && receiver.value.cls && expr.callee.kind === 'member') {
    const found = memberOf(context.machine, receiver.value, expr.callee.property);
    if (found.kind === 'function')
      return callProject(context, { target: found }, given, receiver, env, keeping(expr, receiver, env));
  }
  return undefined;
}

/** What a method keeps of the caller's text in its instance is there for the next one. */
function keeping(expr: Call, receiver: Fact, env: Env): ((fields: ReadonlyMap<string, Fact>) => void) | undefined {
  const key = expr.callee.kind === 'member' ? keyOf(expr.callee.object) : undefined;
  if (key === undefined || receiver.value?.kind !== 'object' || !receiver.value.cls) return undefined;
  return (fields) => {
    const kept = [...fields].filter(([name, fact]) => fact !== receiver.fields?.get(name) && taintsIn(fact).length > 0);
    if (kept.length > 0) write(env, key, { ...receiver, fields: new Map([...(receiver.fields ?? []), ...kept]) });
  };
}

/** An instance with what its constructor keeps of the arguments. */
function construct(context: Context, cls: ClassValue, given: Given, env: Env, expr: Call): Fact {
  const made: Fact = { taints: [], value: object([], { cls, at: { module: env.module, spot: expr } }) };
  const isPython = cls.module.language === 'python';
  const name = isPython ? '__init__' : 'constructor';
  const method = isPython ? findMethod(context.machine, cls, name) : undefined;
  const fn = method?.fn ?? cls.cls.members.find((member) => member.name === 'constructor' && !member.isStatic)?.fn;
  if (!fn) {
    const fields = new Map(given.named);
    const names = cls.cls.members.filter((member) => member.kind === 'field').map((member) => member.name);
    given.positional.forEach((fact, at) => fields.set(names[at] ?? '*', fact));
    return { ...made, taints: given.rest, fields };
  }
  const target: FunctionValue = method ?? {
    kind: 'function',
    fn,
    scope: cls.scope,
    module: cls.module,
    home: cls,
    props: new Map(),
  };
  const kept = new Map<string, Fact>();
  callProject(context, { target }, given, made, env, (self) => {
    for (const [key, fact] of self) kept.set(key, fact);
  });
  return kept.size > 0 ? { ...made, fields: kept } : made;
}

const isQueue = ({ name, fields }: Fact): boolean => fields !== undefined && name?.endsWith('Queue()') === true;

/** Methods that change their receiver: lists grow, files are written. */
function mutation(
  context: Context,
  expr: Call,
  method: string,
  receiver: Fact,
  given: Given,
  env: Env,
): Fact | undefined {
  const key = expr.callee.kind === 'member' ? keyOf(expr.callee.object) : undefined;
  if (key === undefined) return undefined;
  const [first] = given.positional;
  if (
    (/^(?:append|push|add|unshift|insert|appendleft)$/.test(method) ||
      (/^put(?:_nowait)?$/.test(method) && isQueue(receiver))) &&
    !receiver.closure &&
    // A part of something from outside is no list of ours: `repo.index.add` stages files.
    !/\(\)\.\w/.test(receiver.name ?? '') &&
    receiver.value?.kind !== 'function'
  ) {
    const list =
      receiver.fields && !receiver.fields.has('*') && /^(?:append|push)$/.test(method)
        ? String(receiver.fields.size)
        : '*';
    let at = Number(list);
    for (const fact of given.positional) addPart(env, key, list === '*' ? '*' : String(at++), fact, context);
    return taintsIn(receiver).length > 0 ||
      given.positional.some((fact) => taintsIn(fact).length > 0) ||
      receiver.fields
      ? nothingKnown
      : undefined;
  }
  if (method === 'extend' && first) {
    const isOrdered = receiver.fields && first.fields && !receiver.fields.has('*') && !first.fields.has('*');
    let at = receiver.fields?.size ?? 0;
    if (isOrdered) for (const fact of first.fields?.values() ?? []) addPart(env, key, String(at++), fact, context);
    else addPart(env, key, '*', elementOf(first), context);
    return nothingKnown;
  }
  if (/^(?:update|set|setdefault)$/.test(method) && first && receiver.fields) {
    if (method === 'update')
      for (const [name, fact] of [...(first.fields ?? []), ...given.named]) addPart(env, key, name, fact, context);
    else if (given.positional[1]) addPart(env, key, textOf(first) ?? '*', given.positional[1], context);
    return undefined;
  }
  if (/^(?:write|writelines)$/.test(method) && first && taintsIn(first).length > 0) {
    const file = readKey(context, env, key) ?? nothingKnown;
    for (const each of [key, ...(file.from ?? []).map((from) => from.key)]) {
      const held = readKey(context, env, each) ?? nothingKnown;
      write(env, each, { ...held, content: mergeTaints(held.content ?? [], taintsIn(first)) });
    }
  }
  if (/^get(?:_nowait)?$/.test(method) && isQueue(receiver)) return elementOf(receiver);
  if (method === 'get' && first && (receiver.fields || receiver.taints.length > 0)) {
    const name = textOf(first);
    const part = name === undefined ? elementOf(receiver) : partOf(receiver, name);
    const otherwise = given.positional[1];
    // What is sure to be there is not replaced.
    if (name !== undefined && part && part === receiver.fields?.get(name) && plainConstant(part)) return part;
    return part && otherwise ? joinFacts(part, otherwise) : (part ?? otherwise ?? nothingKnown);
  }
  return method === 'get' && first ? tableEntry(receiver, first) : undefined;
}

const emptyStores =
  /^(?:Map|Set|WeakMap|collections\.(?:deque|OrderedDict)|(?:queue|asyncio|multiprocessing)\.\w*Queue)$/;

/** A file that text is written to stands for its path; a store that is empty yet will hold what is put into it. */
function opened(name: string, given: Given, expr: Call): Fact | undefined {
  if (given.positional.length === 0 && emptyStores.test(name))
    return { taints: [], name: `${name}()`, fields: new Map() };
  if (/^(?:open|io\.open|aiofiles\.open|codecs\.open)$/.test(name) && expr.args[0]) {
    const key = keyOf(expr.args[0].value);
    return {
      taints: [],
      name: `${name.replace('io.open', 'open')}()`,
      lead: given.positional[0] ? knownText(given.positional[0]) : '',
      ...(key === undefined ? {} : { from: [{ key, kinds: 0 }] }),
    };
  }
  // A request keeps its address and body for whoever sends it.
  if (/(?:^|\.)Request$/.test(name))
    return {
      taints: [],
      name: `${name}()`,
      fields: new Map([...given.positional.map((fact, at): [string, Fact] => [String(at), fact]), ...given.named]),
    };
  return undefined;
}

/** A file that was written with the caller's text carries it to whoever runs the file. */
function withContent(context: Context, given: Given, env: Env): Given {
  const filled = (fact: Fact, depth = 0): Fact => {
    const content =
      fact.content ??
      fact.from
        ?.map((from) => (from.kinds === 0 ? readKey(context, env, from.key)?.content : undefined))
        .find((taints) => taints !== undefined);
    const fields =
      fact.fields && depth < 2 && [...fact.fields.values()].some((field) => field.from)
        ? new Map([...fact.fields].map(([key, field]) => [key, filled(field, depth + 1)]))
        : fact.fields;
    return content || fields !== fact.fields ? { ...fact, ...(content ? { content } : {}), fields } : fact;
  };
  return given.positional.some((fact) => fact.from || fact.fields)
    ? { ...given, positional: given.positional.map((fact) => filled(fact)) }
    : given;
}

/** Calls that throw on bad input leave their argument proven. */
function proven(
  context: Context,
  name: string,
  method: string,
  receiver: Fact | undefined,
  expr: Call,
  env: Env,
): void {
  const safe = proves.get(name);
  const first = expr.args[0]?.value;
  const readAt = (at: Env, key: string): Fact | undefined => readKey(context, at, key);
  if (safe !== undefined && first) {
    const key = keyOf(first);
    const fact = factOf(context, first, env);
    if (key !== undefined) vouch(env, [{ key, safe }], readAt);
    vouch(
      env,
      (fact.from ?? []).map((from) => ({ key: from.key, safe: safe & from.kinds })),
      readAt,
    );
  }
  // `resolved.relative_to(base)` raises unless it is inside.
  if (method === 'relative_to' && receiver?.isResolved && expr.callee.kind === 'member') {
    const key = keyOf(expr.callee.object);
    const inside = held(receiver);
    vouch(
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
function formatted(method: string, receiver: Fact | undefined, given: Given, ran?: Fact): Fact | undefined {
  if (!receiver) return undefined;
  const text = textOf(receiver);
  if (method === 'format' && text !== undefined) {
    const cut = text.indexOf('{');
    const inner: Fact = {
      taints: mergeTaints(
        ...given.positional.map((fact) => taintsIn(fact)),
        ...[...given.named.values()].map((fact) => taintsIn(fact)),
      ),
    };
    return concat([constantFact(text.slice(0, Math.max(cut, 0))), inner, constantFact(text.slice(cut))]);
  }
  if (/^replace(?:All)?$/.test(method) && text !== undefined) {
    const [pattern, by] = given.positional;
    const wanted = textOf(pattern);
    const cut = wanted === undefined ? 0 : Math.max(text.indexOf(wanted), 0);
    const inner: Fact = { taints: taintsIn(ran ?? by ?? nothingKnown) };
    return concat([constantFact(text.slice(0, cut)), inner, constantFact(text.slice(cut + (wanted ?? '').length))]);
  }
  if (method === 'concat' && (text !== undefined || receiver.value?.kind === 'text'))
    return concat([receiver, ...given.positional]);
  if (method === 'join' && (text !== undefined || receiver.fields)) {
    const list = text === undefined ? receiver : (given.positional[0] ?? nothingKnown);
    const parts = list.fields ? [...list.fields.values()] : [list];
    return concat(parts.flatMap((part, at) => (at === 0 ? [part] : [constantFact(text ?? ' '), part])));
  }
  if (method === 'concat' && receiver.fields)
    return {
      taints: [],
      fields: new Map([
        ...receiver.fields,
        ['*', given.positional.reduce((joined, fact) => joinFacts(joined, elementOf(fact)), nothingKnown)],
      ]),
    };
  return undefined;
}

/** The last word of what is called, for messages. */
export const calledName = (expr: Expr): string => lastWord(dottedName(expr) ?? '');
