import { dottedName } from '../ir/names.js';
import { callResult } from '../evaluate/calls/calls.js';
import { unwrapDecorators } from '../evaluate/calls/functions.js';
import { itemsOf } from '../evaluate/values/items.js';
import type { ObservedCall, Machine } from '../evaluate/interpreter/abstract-machine.js';
import { constant, optionsOf, stringOf, type Args, type FunctionValue, type Value } from '../evaluate/values/values.js';
import type { Dispatcher, Discoveries, Registration } from './registrations.js';
import { kindOfClass, serverKind } from './sdk.js';
import { isOffered, recordMiddleware, recordTagFilter } from './withdrawals.js';

/** Decorators of both Python SDKs, and what each registers. */
const decoratorKinds = new Map([
  ['tool', 'tool'],
  ['resource', 'resource'],
  ['prompt', 'prompt'],
  ['custom_tool', 'tool'],
] as const);
/** Decorators of functions that answer list requests (low-level API). */
const listDecorators = new Map([
  ['list_tools', 'tool'],
  ['list_resources', 'resource'],
  ['list_resource_templates', 'template'],
  ['list_prompts', 'prompt'],
] as const);
/** Decorators of functions that answer calls (low-level API). */
const dispatchDecorators = new Map<string, Dispatcher['kind']>([
  ['call_tool', 'tool'],
  ['read_resource', 'resource'],
  ['get_prompt', 'prompt'],
]);
/** Methods that register an existing function or definition. */
const addMethods = new Map([
  ['add_tool', 'tool'],
  ['add_resource', 'resource'],
  ['add_template', 'template'],
  ['add_prompt', 'prompt'],
  ['add_tool_from_fn', 'tool'],
] as const);
/** Methods after which the list can no longer be known before run time. */
const runtimeChanges = new Map([
  ['add_provider', 'tools come from a provider at run time'],
  ['add_transform', 'a transform changes the list at run time'],
  ['add_tool_transformation', 'a transform changes the list at run time'],
  ['enable', 'what is visible changes at run time'],
  ['disable', 'what is visible changes at run time'],
]);

/** Records the registrations of Python servers. */
export function observePython(discoveries: Discoveries, seen: ObservedCall, machine: Machine): Value | undefined {
  recordConstruction(discoveries, seen, machine);
  // A bare decorator is a call on the server; with arguments it is a call of what the first call returned.
  const pending = seen.callee.kind === 'result' && !seen.callee.method.startsWith('.') ? seen.callee : undefined;
  // The decorator returned by `@server.tool(...)` is applied to its function.
  if (pending?.receiver && isServerLike(pending.receiver, machine))
    return recordDecoration(discoveries, pending, seen, machine);
  const { method, receiver } = seen;
  if (!receiver || seen.callee.kind === 'function' || seen.callee.kind === 'native' || seen.callee.kind === 'class')
    return undefined;
  if (!isServerLike(receiver, machine)) return undefined;
  const [first] = seen.args.positional;
  const kind = decoratorKinds.get(method as 'tool');
  // `@server.tool` without parentheses passes the function itself.
  if (kind && callableOf(first ?? constant(null))) {
    recordFunction(discoveries, kind, receiver, seen, first, seen.args, decoratorName(seen), machine);
    return first;
  }
  const adder = addMethods.get(method as 'add_tool');
  if (adder) return recordAdded(discoveries, adder, seen, machine);
  if (method === 'mount' || method === 'import_server') return recordMount(discoveries, seen);
  if (method === 'add_middleware' && first) recordMiddleware(discoveries, [first], seen.at);
  const reason = runtimeChanges.get(method);
  // Reported: silence would claim that the list is complete.
  if (reason && serverKind(receiver)) discoveries.unresolved.push({ kind: 'any', reason, at: seen.at });
  return undefined;
}

/** Whether a value is a server, or an unknown value that is used as one. */
const isServerLike = (value: Value, machine: Machine): boolean => {
  void machine;
  if (serverKind(value)) return true;
  return (
    value.kind === 'unknown' ||
    (value.kind === 'choice' && value.options.some((option) => serverKind(option) !== undefined))
  );
};

/** The function in a value, also inside of a definition object. */
function callableOf(value: Value): FunctionValue | undefined {
  for (const each of optionsOf(value)) {
    if (each.kind === 'function') return each;
    if (each.kind === 'result' && each.args.positional[0]?.kind === 'function') return each.args.positional[0];
  }
  return undefined;
}

/** The decorator as written, for the report. */
function decoratorName(seen: ObservedCall): string {
  const text = seen.at.module.text.slice(seen.at.spot.start, seen.at.spot.end);
  return /^[\w.]+/.exec(text)?.[0] ?? seen.method;
}

/** Records a decorator with arguments, applied to a function. */
function recordDecoration(
  discoveries: Discoveries,
  pending: Value & { kind: 'result' },
  seen: ObservedCall,
  machine: Machine,
): Value | undefined {
  const [target] = seen.args.positional;
  const { method, receiver } = pending;
  const lister = listDecorators.get(method as 'list_tools');
  if (lister && target) {
    discoveries.listings.push({ kind: lister, server: receiver, handler: target, at: pending.at });
    return target;
  }
  const fn = target && callableOf(target);
  const answers = dispatchDecorators.get(method);
  if (answers && fn) discoveries.dispatchers.push({ kind: answers, server: receiver, handler: fn });
  const kind = decoratorKinds.get(method as 'tool');
  if (kind && target)
    recordFunction(
      discoveries,
      kind,
      receiver,
      seen,
      target,
      pending.args,
      decoratorName({ ...seen, at: pending.at }),
      machine,
    );
  return kind || fn ? target : undefined;
}

/** Records a registration from the arguments of a decorator and the decorated function. */
function recordFunction(
  discoveries: Discoveries,
  kind: 'tool' | 'resource' | 'prompt',
  server: Value | undefined,
  seen: ObservedCall,
  target: Value | undefined,
  args: Args,
  decorator: string,
  machine: Machine,
): void {
  // Wrappers such as `functools.wraps` are looked through: the inner function has the code to analyse.
  const handler = target && callableOf(target);
  const plain = handler && (unwrapDecorators(handler) ?? handler);
  // Positional arguments of the decorator; the function itself is none of them.
  const named = args.positional.filter((value) => !callableOf(value));
  const name = args.named.get('name') ?? (kind === 'resource' ? undefined : named[0]);
  const uri = kind === 'resource' ? (args.named.get('uri') ?? named[0]) : undefined;
  const isTemplate = kind === 'resource' && (stringOf(uri)?.includes('{') ?? false);
  // A resource without a URI is another decorator of the same name.
  if ((kind === 'resource' && uri === undefined) || !isOffered(discoveries, args, seen)) return;
  void machine;
  const registration: Registration = {
    kind: isTemplate ? 'template' : kind,
    server,
    name: isAbsent(name) ? ownName(handler, plain) : name,
    title: args.named.get('title') ?? (kind === 'resource' ? undefined : named[1]),
    description:
      args.named.get('description') ?? (kind === 'resource' ? undefined : named[2]) ?? plain?.props.get('__doc__'),
    uri,
    annotations: args.named.get('annotations'),
    handler: plain,
    ...(handler === plain ? {} : { wrapper: handler }),
    decorators: decoratorsOf(plain, decorator),
    at: registrationPlace(plain, seen),
  };
  discoveries.registrations.push(registration);
}

/** The name of a function: an assigned one (`fn.__name__ = …`), else the declared one. */
const ownName = (handler: FunctionValue | undefined, plain: FunctionValue | undefined): Value | undefined =>
  handler?.props.get('__name__') ??
  plain?.props.get('__name__') ??
  (plain?.fn.name === undefined ? undefined : constant(plain.fn.name));

/** Whether an argument is missing or None. */
const isAbsent = (value: Value | undefined): boolean =>
  !value || (value.kind === 'constant' && (value.value === null || value.value === undefined));

/** Names of all decorators; the registering one if the function has none. */
const decoratorsOf = (fn: FunctionValue | undefined, decorator: string): string[] => {
  const names = (fn?.fn.decorators ?? []).flatMap((each) => dottedName(each) ?? []);
  return names.length > 0 ? names : [decorator];
};

/** The location of a registration: the first decorator of a decorated function, else the registering call. */
const registrationPlace = (fn: FunctionValue | undefined, seen: ObservedCall) =>
  fn && fn.fn.decorators.length > 0 && seen.at.spot.start >= fn.fn.decoratedStart && seen.at.spot.end <= fn.fn.end
    ? { module: fn.module, spot: { start: fn.fn.decoratedStart, end: fn.fn.end } }
    : seen.at;

/** Records what an `add_…` method gets, by position or by name. */
function recordAdded(
  discoveries: Discoveries,
  kind: 'tool' | 'resource' | 'template' | 'prompt',
  seen: ObservedCall,
  machine: Machine,
): Value | undefined {
  const [given] = seen.args.positional;
  const first =
    given ??
    seen.args.named.get('tool') ??
    seen.args.named.get('fn') ??
    seen.args.named.get('resource') ??
    seen.args.named.get('prompt');
  if (!first) return undefined;
  // A choice of definitions registers each of them.
  for (const each of optionsOf(first)) addDefinition(discoveries, kind, seen.receiver, each, seen, machine);
  return callResult(seen);
}

/** Records a function or a definition object: `Tool.from_function(fn, name=…)`, `FunctionTool(…)`, `Prompt(…)`. */
function addDefinition(
  discoveries: Discoveries,
  kind: 'tool' | 'resource' | 'template' | 'prompt',
  server: Value | undefined,
  value: Value,
  seen: ObservedCall,
  machine: Machine,
): void {
  if (value.kind === 'function') {
    recordFunction(
      discoveries,
      kind === 'template' ? 'resource' : kind,
      server,
      seen,
      value,
      { ...seen.args, positional: seen.args.positional.slice(1) },
      seen.method,
      machine,
    );
    return;
  }
  // An unknown definition is still a tool.
  if (value.kind !== 'result' && value.kind !== 'object') {
    discoveries.unresolved.push({
      kind: kind === 'template' ? 'resource' : kind,
      reason: 'an unknown definition',
      at: seen.at,
    });
    return;
  }
  const field = (key: string): Value | undefined =>
    value.kind === 'result' ? (value.args.named.get(key) ?? value.props.get(key)) : value.props.get(key);
  const fn =
    value.kind === 'result'
      ? (callableOf(value) ?? callableOf(field('fn') ?? constant(null)))
      : callableOf(field('fn') ?? constant(null));
  const name =
    field('name') ??
    seen.args.named.get('name') ??
    (fn?.fn.name === undefined ? undefined : constant(unwrapDecorators(fn)?.fn.name ?? fn.fn.name));
  discoveries.registrations.push({
    kind,
    server,
    name,
    title: field('title'),
    description: field('description'),
    uri: field('uri') ?? field('uri_template'),
    schema: field('parameters') ?? field('inputSchema') ?? field('input_schema'),
    handler: fn && (unwrapDecorators(fn) ?? fn),
    ...(fn?.wraps ? { wrapper: fn } : {}),
    decorators: [seen.method],
    at: value.kind === 'result' ? value.at : seen.at,
  });
}

/** Factories whose tools exist only at run time. */
const runtimeBuilders = new Set(['from_openapi', 'from_fastapi', 'as_proxy', 'from_client']);

/** Records the constructor arguments of `FastMCP(tools=[…])` and `Server(on_list_tools=fn)`. */
function recordConstruction(discoveries: Discoveries, seen: ObservedCall, machine: Machine): void {
  const kind = kindOfClass(seen.callee, true);
  if (!kind) {
    // The methods of the base class are evaluated as the server's own.
    if (seen.callee.kind === 'external' && runtimeBuilders.has(seen.callee.path.at(-1) ?? '')) {
      discoveries.unresolved.push({
        kind: 'tool',
        reason: `tools are generated at run time by ${seen.callee.path.join('.')}`,
        at: seen.at,
      });
    }
    return;
  }
  // A subclass passes its tools through `super().__init__`.
  const server = seen.method === 'super' ? seen.receiver : undefined;
  const holder: ObservedCall = { ...seen, receiver: server ?? { kind: 'unknown', why: 'constructor' } };
  const tools = seen.args.named.get('tools');
  if (tools) {
    const { items, open } = itemsOf(machine, tools, 'values');
    for (const item of items)
      addDefinition(
        discoveries,
        'tool',
        server,
        item,
        { ...holder, args: { positional: [], named: new Map(), open: false } },
        machine,
      );
    // An open list may hold further tools.
    if (open)
      discoveries.unresolved.push({
        kind: 'tool',
        reason: 'a list of tools that is not completely known',
        at: seen.at,
      });
  }
  recordTagFilter(discoveries, seen);
  const middleware = seen.args.named.get('middleware');
  if (middleware) recordMiddleware(discoveries, itemsOf(machine, middleware, 'values').items, seen.at);
  // Providers and transforms may add, hide or rename anything.
  for (const option of ['providers', 'transforms'])
    if (seen.args.named.has(option))
      discoveries.unresolved.push({ kind: 'any', reason: `${option} change the list at run time`, at: seen.at });
  for (const [name, value] of seen.args.named) {
    const lister = name.startsWith('on_') ? listDecorators.get(name.slice(3) as 'list_tools') : undefined;
    if (lister) discoveries.listings.push({ kind: lister, server, handler: value, at: seen.at });
    const answers = name.startsWith('on_') ? dispatchDecorators.get(name.slice(3)) : undefined;
    const fn = answers && callableOf(value);
    if (fn) discoveries.dispatchers.push({ kind: answers, server, handler: fn });
  }
}

/** Records a mounted server; FastMCP 2 takes the prefix first, later versions take the server first. */
function recordMount(discoveries: Discoveries, seen: ObservedCall): Value | undefined {
  const [first, second] = seen.args.positional;
  const [child, prefix] =
    stringOf(first) === undefined
      ? [first ?? seen.args.named.get('server'), second]
      : [second ?? seen.args.named.get('server'), first];
  if (!child) return undefined;
  const named = stringOf(seen.args.named.get('prefix') ?? seen.args.named.get('namespace') ?? prefix);
  discoveries.mounts.push({ parent: seen.receiver, child, prefix: named });
  // An unknown child may offer anything under its prefix.
  if (!serverKind(child))
    discoveries.unresolved.push({ kind: 'any', reason: 'an unknown mounted server', at: seen.at });
  return undefined;
}
