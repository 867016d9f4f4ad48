import { dottedName } from '../ir/names.js';
import { symbol } from '../evaluate/calls.js';
import { original } from '../evaluate/functions.js';
import { itemsOf } from '../evaluate/iterate.js';
import type { CallSeen, Machine } from '../evaluate/machine.js';
import { constant, optionsOf, stringOf, type Args, type FunctionValue, type Value } from '../evaluate/values.js';
import type { Dispatcher, Findings, Registration } from './registrations.js';
import { kindOfClass, serverKind } from './sdk.js';
import { isOffered, seeMiddleware, seeTagFilter } from './withdrawals.js';

const kinds = new Map([
  ['tool', 'tool'],
  ['resource', 'resource'],
  ['prompt', 'prompt'],
  ['custom_tool', 'tool'],
] as const);
const listers = new Map([
  ['list_tools', 'tool'],
  ['list_resources', 'resource'],
  ['list_resource_templates', 'template'],
  ['list_prompts', 'prompt'],
] as const);
const answerers = new Map<string, Dispatcher['kind']>([
  ['call_tool', 'tool'],
  ['read_resource', 'resource'],
  ['get_prompt', 'prompt'],
]);
const adders = new Map([
  ['add_tool', 'tool'],
  ['add_resource', 'resource'],
  ['add_template', 'template'],
  ['add_prompt', 'prompt'],
  ['add_tool_from_fn', 'tool'],
] as const);
const providers = new Map([
  ['add_provider', 'tools come from a provider at run time'],
  ['add_transform', 'a transform changes the list at run time'],
  ['add_tool_transformation', 'a transform changes the list at run time'],
  ['enable', 'what is visible changes at run time'],
  ['disable', 'what is visible changes at run time'],
]);

/** Sees the registrations of Python servers. */
export function watchPython(findings: Findings, seen: CallSeen, machine: Machine): Value | undefined {
  seeConstruction(findings, seen, machine);
  const pending = seen.callee.kind === 'result' && !seen.callee.method.startsWith('.') ? seen.callee : undefined;
  // `@server.tool(...)` gave a decorator, and now it meets its function.
  if (pending?.receiver && isServerLike(pending.receiver, machine))
    return seeDecoration(findings, pending, seen, machine);
  const { method, receiver } = seen;
  if (!receiver || seen.callee.kind === 'function' || seen.callee.kind === 'native' || seen.callee.kind === 'class')
    return undefined;
  if (!isServerLike(receiver, machine)) return undefined;
  const [first] = seen.args.positional;
  const kind = kinds.get(method as 'tool');
  if (kind && callableOf(first ?? constant(null))) {
    register(findings, kind, receiver, seen, first, seen.args, decoratorName(seen), machine);
    return first;
  }
  const adder = adders.get(method as 'add_tool');
  if (adder) return seeAdded(findings, adder, seen, machine);
  if (method === 'mount' || method === 'import_server') return seeMount(findings, seen);
  if (method === 'add_middleware' && first) seeMiddleware(findings, [first], seen.at);
  const reason = providers.get(method);
  if (reason && serverKind(receiver)) findings.unresolved.push({ kind: 'any', reason, at: seen.at });
  return undefined;
}

/** A server, or something unknown that is used as one in a project that has an SDK. */
const isServerLike = (value: Value, machine: Machine): boolean => {
  void machine;
  if (serverKind(value)) return true;
  return (
    value.kind === 'unknown' ||
    (value.kind === 'choice' && value.options.some((option) => serverKind(option) !== undefined))
  );
};

function callableOf(value: Value): FunctionValue | undefined {
  for (const each of optionsOf(value)) {
    if (each.kind === 'function') return each;
    if (each.kind === 'result' && each.args.positional[0]?.kind === 'function') return each.args.positional[0];
  }
  return undefined;
}

function decoratorName(seen: CallSeen): string {
  const text = seen.at.module.text.slice(seen.at.spot.start, seen.at.spot.end);
  return /^[\w.]+/.exec(text)?.[0] ?? seen.method;
}

function seeDecoration(
  findings: Findings,
  pending: Value & { kind: 'result' },
  seen: CallSeen,
  machine: Machine,
): Value | undefined {
  const [target] = seen.args.positional;
  const { method, receiver } = pending;
  const lister = listers.get(method as 'list_tools');
  if (lister && target) {
    findings.listings.push({ kind: lister, server: receiver, handler: target, at: pending.at });
    return target;
  }
  const fn = target && callableOf(target);
  const answers = answerers.get(method);
  if (answers && fn) findings.dispatchers.push({ kind: answers, server: receiver, handler: fn });
  const kind = kinds.get(method as 'tool');
  if (kind && target)
    register(findings, kind, receiver, seen, target, pending.args, decoratorName({ ...seen, at: pending.at }), machine);
  return kind || fn ? target : undefined;
}

/** A registration from a decorator's arguments and the function under it. */
function register(
  findings: Findings,
  kind: 'tool' | 'resource' | 'prompt',
  server: Value | undefined,
  seen: CallSeen,
  target: Value | undefined,
  args: Args,
  decorator: string,
  machine: Machine,
): void {
  const handler = target && callableOf(target);
  const plain = handler && (original(handler) ?? handler);
  const named = args.positional.filter((value) => !callableOf(value));
  const name = args.named.get('name') ?? (kind === 'resource' ? undefined : named[0]);
  const uri = kind === 'resource' ? (args.named.get('uri') ?? named[0]) : undefined;
  const isTemplate = kind === 'resource' && (stringOf(uri)?.includes('{') ?? false);
  if ((kind === 'resource' && uri === undefined) || !isOffered(findings, args, seen)) return;
  void machine;
  const registration: Registration = {
    kind: isTemplate ? 'template' : kind,
    server,
    name: isNothing(name) ? ownName(handler, plain) : name,
    title: args.named.get('title') ?? (kind === 'resource' ? undefined : named[1]),
    description:
      args.named.get('description') ?? (kind === 'resource' ? undefined : named[2]) ?? plain?.props.get('__doc__'),
    uri,
    handler: plain,
    decorators: decoratorsOf(plain, decorator),
    at: placeOf(plain, seen),
  };
  findings.registrations.push(registration);
}

/** The name that a function goes by: the one it was given later (`fn.__name__ = …`), or the one it was written with. */
const ownName = (handler: FunctionValue | undefined, plain: FunctionValue | undefined): Value | undefined =>
  handler?.props.get('__name__') ??
  plain?.props.get('__name__') ??
  (plain?.fn.name === undefined ? undefined : constant(plain.fn.name));

const isNothing = (value: Value | undefined): boolean =>
  !value || (value.kind === 'constant' && (value.value === null || value.value === undefined));

const decoratorsOf = (fn: FunctionValue | undefined, decorator: string): string[] => {
  const names = (fn?.fn.decorators ?? []).flatMap((each) => dottedName(each) ?? []);
  return names.length > 0 ? names : [decorator];
};

/** A decorated function is placed at its first decorator; anything else where it was registered. */
const placeOf = (fn: FunctionValue | undefined, seen: CallSeen) =>
  fn && fn.fn.decorators.length > 0 && seen.at.spot.start >= fn.fn.decoratedStart && seen.at.spot.end <= fn.fn.end
    ? { module: fn.module, spot: { start: fn.fn.decoratedStart, end: fn.fn.end } }
    : seen.at;

function seeAdded(
  findings: Findings,
  kind: 'tool' | 'resource' | 'template' | 'prompt',
  seen: CallSeen,
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
  for (const each of optionsOf(first)) addDefinition(findings, kind, seen.receiver, each, seen, machine);
  return symbol(seen);
}

/** A function, or the object that describes one: `Tool.from_function(fn, name=…)`, `FunctionTool(…)`, `Prompt(…)`. */
function addDefinition(
  findings: Findings,
  kind: 'tool' | 'resource' | 'template' | 'prompt',
  server: Value | undefined,
  value: Value,
  seen: CallSeen,
  machine: Machine,
): void {
  if (value.kind === 'function') {
    register(
      findings,
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
  if (value.kind !== 'result' && value.kind !== 'object') {
    findings.unresolved.push({
      kind: kind === 'template' ? 'resource' : kind,
      reason: 'a definition that is not known',
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
    (fn?.fn.name === undefined ? undefined : constant(original(fn)?.fn.name ?? fn.fn.name));
  findings.registrations.push({
    kind,
    server,
    name,
    title: field('title'),
    description: field('description'),
    uri: field('uri') ?? field('uri_template'),
    schema: field('parameters') ?? field('inputSchema') ?? field('input_schema'),
    handler: fn && (original(fn) ?? fn),
    decorators: [seen.method],
    at: value.kind === 'result' ? value.at : seen.at,
  });
}

const builders = new Set(['from_openapi', 'from_fastapi', 'as_proxy', 'from_client']);

/** `FastMCP(tools=[…])` and `Server(on_list_tools=fn)`. */
function seeConstruction(findings: Findings, seen: CallSeen, machine: Machine): void {
  const kind = kindOfClass(seen.callee, true);
  if (!kind) {
    if (seen.callee.kind === 'external' && builders.has(seen.callee.path.at(-1) ?? '')) {
      findings.unresolved.push({
        kind: 'tool',
        reason: `tools are made at run time by ${seen.callee.path.join('.')}`,
        at: seen.at,
      });
    }
    return;
  }
  const server = seen.method === 'super' ? seen.receiver : undefined;
  const holder: CallSeen = { ...seen, receiver: server ?? { kind: 'unknown', why: 'constructor' } };
  const tools = seen.args.named.get('tools');
  if (tools) {
    const { items, open } = itemsOf(machine, tools, 'values');
    for (const item of items)
      addDefinition(
        findings,
        'tool',
        server,
        item,
        { ...holder, args: { positional: [], named: new Map(), open: false } },
        machine,
      );
    if (open)
      findings.unresolved.push({ kind: 'tool', reason: 'a list of tools that is not fully known', at: seen.at });
  }
  seeTagFilter(findings, seen);
  const middleware = seen.args.named.get('middleware');
  if (middleware) seeMiddleware(findings, itemsOf(machine, middleware, 'values').items, seen.at);
  for (const option of ['providers', 'transforms'])
    if (seen.args.named.has(option))
      findings.unresolved.push({ kind: 'any', reason: `${option} change the list at run time`, at: seen.at });
  for (const [name, value] of seen.args.named) {
    const lister = name.startsWith('on_') ? listers.get(name.slice(3) as 'list_tools') : undefined;
    if (lister) findings.listings.push({ kind: lister, server, handler: value, at: seen.at });
    const answers = name.startsWith('on_') ? answerers.get(name.slice(3)) : undefined;
    const fn = answers && callableOf(value);
    if (fn) findings.dispatchers.push({ kind: answers, server, handler: fn });
  }
}

function seeMount(findings: Findings, seen: CallSeen): Value | undefined {
  const [first, second] = seen.args.positional;
  const [child, prefix] =
    stringOf(first) === undefined
      ? [first ?? seen.args.named.get('server'), second]
      : [second ?? seen.args.named.get('server'), first];
  if (!child) return undefined;
  const named = stringOf(seen.args.named.get('prefix') ?? seen.args.named.get('namespace') ?? prefix);
  findings.mounts.push({ parent: seen.receiver, child, prefix: named });
  if (!serverKind(child))
    findings.unresolved.push({ kind: 'any', reason: 'a mounted server that is not known', at: seen.at });
  return undefined;
}
