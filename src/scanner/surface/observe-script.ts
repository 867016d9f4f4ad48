import type { ObservedCall } from '../evaluate/interpreter/abstract-machine.js';
import { callResult } from '../evaluate/calls/calls.js';
import { itemsOf } from '../evaluate/values/items.js';
import type { Machine } from '../evaluate/interpreter/abstract-machine.js';
import { memberOf } from '../evaluate/values/members.js';
import { optionsOf, soleOption, stringOf, type FunctionValue, type Value } from '../evaluate/values/values.js';
import type { Dispatcher, Discoveries, Registration } from './registrations.js';
import { methodNameIn } from './methods.js';
import { isSdkMethod, serverKind } from './sdk.js';
import { recordToolMap } from './tool-maps.js';

/** The first function among the possible values. */
const toFunctionValue = (value: Value | undefined): FunctionValue | undefined => {
  for (const each of value ? optionsOf(value) : []) if (each.kind === 'function') return each;
  return undefined;
};
/** Whether a value is a text, known or partly known. */
const isText = (value: Value | undefined): boolean => value?.kind === 'text' || stringOf(value) !== undefined;

/** Records the registrations of JavaScript and TypeScript servers. */
export function observeScript(discoveries: Discoveries, seen: ObservedCall, machine: Machine): Value | undefined {
  const { method, args } = seen;
  const owner = seen.receiver;
  if (seen.isNew) recordToolMap(discoveries, seen, machine);
  // Helpers of the apps extension take the server as their first argument.
  if (method === 'registerAppTool' || method === 'registerAppResource') {
    if (seen.callee.kind === 'function') return undefined;
    const [server, ...rest] = args.positional;
    return recordMcpServerCall(
      discoveries,
      { ...seen, receiver: server, args: { ...args, positional: rest } },
      method === 'registerAppTool' ? 'registerTool' : 'registerResource',
      machine,
    );
  }
  if (!owner) return undefined;
  const kind = serverKind(owner);
  // A project method with the same name is evaluated instead.
  const isOwn = (seen.callee.kind === 'function' || seen.callee.kind === 'native') && kind === undefined;
  if (isOwn) return undefined;
  // Methods added by a subclass are evaluated; SDK methods never are.
  if (kind !== undefined && seen.callee.kind === 'function' && !isSdkMethod(seen.callee)) return undefined;
  if (method === 'setRequestHandler') return recordRequestHandler(discoveries, seen, machine);
  // On an unknown receiver the method name alone decides for FastMCP.
  if (kind === 'script-fastmcp' || (kind === undefined && (method === 'addTool' || method === 'addTools')))
    return recordFastMcpCall(discoveries, seen, machine);
  if (kind === 'script-low') return undefined;
  if (kind === undefined && !looksLikeRegistration(seen)) return undefined;
  return recordMcpServerCall(discoveries, seen, method, machine);
}

// Project classes have methods of these names, too.
/** On an unknown receiver only calls with the typical arguments of a registration count. */
function looksLikeRegistration({ method, args, receiver, callee }: ObservedCall): boolean {
  if (callee.kind === 'external' || receiver?.kind === 'external' || receiver?.kind === 'constant') return false;
  const [name, second] = args.positional;
  const hasHandler = args.positional.some((value) => toFunctionValue(value));
  if (method === 'registerTool' || method === 'registerToolTask' || method === 'registerPrompt')
    return name !== undefined && (second?.kind === 'object' || hasHandler) && args.positional.length >= 2;
  if (method === 'registerResource') return args.positional.length >= 3;
  return method === 'tool' && isText(name) && args.positional.length >= 2 && hasHandler;
}

/** Records one call of the high-level SDK by its method. */
function recordMcpServerCall(
  discoveries: Discoveries,
  seen: ObservedCall,
  method: string,
  machine: Machine,
): Value | undefined {
  const { positional } = seen.args;
  const [name, second, third, fourth] = positional;
  const common = { server: seen.receiver, name, at: seen.at, decorators: [`${method}`] };
  const field = (value: Value | undefined, key: string): Value | undefined =>
    value ? definedValue(memberOf(machine, value, key)) : undefined;
  const add = (registration: Registration) => {
    // The handle identifies the registration when code disables or removes it later.
    const handle = callResult(seen);
    discoveries.registrations.push({ ...registration, handle });
    return handle;
  };
  switch (method) {
    case 'registerTool':
    case 'registerToolTask':
      return add({
        ...common,
        kind: 'tool',
        title: field(second, 'title'),
        description: field(second, 'description'),
        annotations: field(second, 'annotations'),
        schema: field(second, 'inputSchema'),
        handler: toFunctionValue(third),
      });
    case 'registerPrompt':
      return add({
        ...common,
        kind: 'prompt',
        title: field(second, 'title'),
        description: field(second, 'description'),
        schema: field(second, 'argsSchema'),
        handler: toFunctionValue(third),
      });
    case 'tool':
    case 'prompt': {
      // Some SDKs take a definition object and a handler.
      const own = name?.kind === 'object' ? field(name, 'name') : undefined;
      if (own)
        return add({
          ...common,
          name: own,
          kind: method,
          title: field(name, 'title'),
          description: field(name, 'description'),
          schema: field(name, 'schema') ?? field(name, 'inputSchema'),
          handler: toFunctionValue(second),
        });
      // The older overloads: name, optional description, optional schema, handler.
      const rest = positional.slice(1);
      const description =
        // An unknown value before two others can only be the description.
        isText(rest[0]) || (rest[0]?.kind === 'unknown' && rest.length > 2) ? rest.shift() : undefined;
      // The SDK ignores arguments after the handler, so they must not hide it.
      const at = rest.findLastIndex((value) => toFunctionValue(value) !== undefined);
      const [schema] = rest.slice(0, at);
      return add({ ...common, kind: method, description, schema, handler: toFunctionValue(rest[at]) });
    }
    case 'resource':
    case 'registerResource': {
      // A template is built by a class of the SDK, or by one that the project bundles.
      const isTemplate = second?.kind === 'result' && second.method.endsWith('ResourceTemplate');
      const isOwnTemplate = second?.kind === 'object' && second.cls !== undefined;
      const uri =
        second?.kind === 'result'
          ? second.args.positional[0]
          : isOwnTemplate
            ? (definedValue(memberOf(machine, second, '_uriTemplate')) ?? second)
            : second;
      const meta = positional.length > 3 ? third : undefined;
      return add({
        ...common,
        kind: isTemplate || isOwnTemplate ? 'template' : 'resource',
        uri,
        title: field(meta, 'title'),
        description: field(meta, 'description'),
        handler: toFunctionValue(fourth ?? third),
      });
    }
    default:
      return undefined;
  }
}

/** A value that is set; undefined members are absent. */
const definedValue = (given: Value): Value | undefined => {
  const value = soleOption(given);
  return value.kind === 'constant' && value.value === undefined ? undefined : value;
};

/** Records `addTool` and its relatives of FastMCP for TypeScript. */
function recordFastMcpCall(discoveries: Discoveries, seen: ObservedCall, machine: Machine): Value | undefined {
  const kinds = {
    addTool: 'tool',
    addTools: 'tool',
    addResource: 'resource',
    addResources: 'resource',
    addResourceTemplate: 'template',
    addPrompt: 'prompt',
    addPrompts: 'prompt',
  } as const;
  if (!Object.hasOwn(kinds, seen.method)) return undefined;
  // Safe cast: only names of the table reach this line.
  const kind = kinds[seen.method as keyof typeof kinds];
  const [given] = seen.args.positional;
  if (!given) return undefined;
  // The plural methods take a list.
  const many =
    seen.method.endsWith('s') && seen.method !== 'address'
      ? itemsOf(machine, given, 'values')
      : { items: optionsOf(given), open: false };
  const isKnown = serverKind(seen.receiver) !== undefined;
  // On an unknown receiver only complete definitions count.
  if (
    !isKnown &&
    !many.items.every((item) => item.kind === 'object' && item.props.has('name') && item.props.has('execute'))
  )
    return undefined;
  for (const item of many.items) {
    const field = (key: string) => definedValue(memberOf(machine, item, key));
    discoveries.registrations.push({
      kind,
      server: seen.receiver,
      name: field('name'),
      title: field('title'),
      description: field('description'),
      schema: field('parameters') ?? field('arguments'),
      uri: field('uri') ?? field('uriTemplate'),
      handler: toFunctionValue(field('execute') ?? field('load')),
      decorators: [seen.method],
      at: item.kind === 'object' && item.at ? item.at : seen.at,
    });
  }
  // An open list may hold further definitions.
  if (many.open)
    discoveries.unresolved.push({
      kind: kind === 'template' ? 'resource' : kind,
      reason: 'a list of definitions that is not completely known',
      at: seen.at,
    });
  return callResult(seen);
}

/** List requests by method. */
const listMethods = new Map([
  ['tools/list', 'tool'],
  ['resources/list', 'resource'],
  ['resources/templates/list', 'template'],
  ['prompts/list', 'prompt'],
] as const);

/** Requests that run something, by method. */
const dispatchMethods = new Map<string, Dispatcher['kind']>([
  ['tools/call', 'tool'],
  ['resources/read', 'resource'],
  ['prompts/get', 'prompt'],
]);

/** Records a handler of the low-level server by the method in its schema. */
function recordRequestHandler(discoveries: Discoveries, seen: ObservedCall, machine: Machine): Value | undefined {
  const [schema, handler] = seen.args.positional;
  const name = schema && methodNameIn(schema);
  const kind = name === undefined ? undefined : listMethods.get(name as 'tools/list');
  if (handler && kind) discoveries.listings.push({ kind, server: seen.receiver, handler, at: seen.at });
  const fn = toFunctionValue(handler);
  const answers = name === undefined ? undefined : dispatchMethods.get(name);
  if (answers && fn) discoveries.dispatchers.push({ kind: answers, server: seen.receiver, handler: fn });
  void machine;
  return callResult(seen);
}
