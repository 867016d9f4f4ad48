import type { CallSeen } from '../evaluate/machine.js';
import { symbol } from '../evaluate/calls.js';
import { itemsOf } from '../evaluate/iterate.js';
import type { Machine } from '../evaluate/machine.js';
import { memberOf } from '../evaluate/members.js';
import { optionsOf, solid, stringOf, type FunctionValue, type Value } from '../evaluate/values.js';
import type { Dispatcher, Findings, Registration } from './registrations.js';
import { methodNameIn } from './methods.js';
import { isSdkMethod, serverKind } from './sdk.js';

const asFunction = (value: Value | undefined): FunctionValue | undefined => {
  for (const each of value ? optionsOf(value) : []) if (each.kind === 'function') return each;
  return undefined;
};
const isText = (value: Value | undefined): boolean => value?.kind === 'text' || stringOf(value) !== undefined;

/** Sees the registrations of JavaScript and TypeScript servers. */
export function watchScript(findings: Findings, seen: CallSeen, machine: Machine): Value | undefined {
  const { method, args } = seen;
  const owner = seen.receiver;
  if (method === 'registerAppTool' || method === 'registerAppResource') {
    if (seen.callee.kind === 'function') return undefined;
    const [server, ...rest] = args.positional;
    return seeHigh(
      findings,
      { ...seen, receiver: server, args: { ...args, positional: rest } },
      method === 'registerAppTool' ? 'registerTool' : 'registerResource',
      machine,
    );
  }
  if (!owner) return undefined;
  const kind = serverKind(owner);
  // A project's own method of the same name is followed, not believed.
  const isOwn = (seen.callee.kind === 'function' || seen.callee.kind === 'native') && kind === undefined;
  if (isOwn) return undefined;
  // A subclass of a server may have methods of its own; those of the SDK's classes are never run.
  if (kind !== undefined && seen.callee.kind === 'function' && !isSdkMethod(seen.callee)) return undefined;
  if (method === 'setRequestHandler') return seeListing(findings, seen, machine);
  if (kind === 'script-fastmcp' || (kind === undefined && (method === 'addTool' || method === 'addTools')))
    return seeFast(findings, seen, machine);
  if (kind === 'script-low') return undefined;
  if (kind === undefined && !looksRight(seen)) return undefined;
  return seeHigh(findings, seen, method, machine);
}

/** On a receiver that is not known, only calls that can hardly mean anything else count. */
function looksRight({ method, args, receiver, callee }: CallSeen): boolean {
  if (callee.kind === 'external' || receiver?.kind === 'external' || receiver?.kind === 'constant') return false;
  const [name, second] = args.positional;
  const hasHandler = args.positional.some((value) => asFunction(value));
  if (method === 'registerTool' || method === 'registerToolTask' || method === 'registerPrompt')
    return name !== undefined && (second?.kind === 'object' || hasHandler) && args.positional.length >= 2;
  if (method === 'registerResource') return args.positional.length >= 3;
  return method === 'tool' && isText(name) && args.positional.length >= 2 && hasHandler;
}

function seeHigh(findings: Findings, seen: CallSeen, method: string, machine: Machine): Value | undefined {
  const { positional } = seen.args;
  const [name, second, third, fourth] = positional;
  const common = { server: seen.receiver, name, at: seen.at, decorators: [`${method}`] };
  const field = (value: Value | undefined, key: string): Value | undefined =>
    value ? present(memberOf(machine, value, key)) : undefined;
  const add = (registration: Registration) => {
    const handle = symbol(seen);
    findings.registrations.push({ ...registration, handle });
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
        schema: field(second, 'inputSchema'),
        handler: asFunction(third),
      });
    case 'registerPrompt':
      return add({
        ...common,
        kind: 'prompt',
        title: field(second, 'title'),
        description: field(second, 'description'),
        schema: field(second, 'argsSchema'),
        handler: asFunction(third),
      });
    case 'tool':
    case 'prompt': {
      // Some SDKs take one definition and the function behind it.
      const own = name?.kind === 'object' ? field(name, 'name') : undefined;
      if (own)
        return add({
          ...common,
          name: own,
          kind: method,
          title: field(name, 'title'),
          description: field(name, 'description'),
          schema: field(name, 'schema') ?? field(name, 'inputSchema'),
          handler: asFunction(second),
        });
      const rest = positional.slice(1);
      const description =
        isText(rest[0]) || (rest[0]?.kind === 'unknown' && rest.length > 2) ? rest.shift() : undefined;
      // What stands behind the function is not looked at by the SDK, so it does not hide the function either.
      const at = rest.findLastIndex((value) => asFunction(value) !== undefined);
      const [schema] = rest.slice(0, at);
      return add({ ...common, kind: method, description, schema, handler: asFunction(rest[at]) });
    }
    case 'resource':
    case 'registerResource': {
      const isTemplate = second?.kind === 'result' && second.method.endsWith('ResourceTemplate');
      const isOwnTemplate = second?.kind === 'object' && second.cls !== undefined;
      const uri =
        second?.kind === 'result'
          ? second.args.positional[0]
          : isOwnTemplate
            ? (present(memberOf(machine, second, '_uriTemplate')) ?? second)
            : second;
      const meta = positional.length > 3 ? third : undefined;
      return add({
        ...common,
        kind: isTemplate || isOwnTemplate ? 'template' : 'resource',
        uri,
        title: field(meta, 'title'),
        description: field(meta, 'description'),
        handler: asFunction(fourth ?? third),
      });
    }
    default:
      return undefined;
  }
}

const present = (given: Value): Value | undefined => {
  const value = solid(given);
  return value.kind === 'constant' && value.value === undefined ? undefined : value;
};

function seeFast(findings: Findings, seen: CallSeen, machine: Machine): Value | undefined {
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
  // Only names of the table reach this line.
  const kind = kinds[seen.method as keyof typeof kinds];
  const [given] = seen.args.positional;
  if (!given) return undefined;
  const many =
    seen.method.endsWith('s') && seen.method !== 'address'
      ? itemsOf(machine, given, 'values')
      : { items: optionsOf(given), open: false };
  const isKnown = serverKind(seen.receiver) !== undefined;
  if (
    !isKnown &&
    !many.items.every((item) => item.kind === 'object' && item.props.has('name') && item.props.has('execute'))
  )
    return undefined;
  for (const item of many.items) {
    const field = (key: string) => present(memberOf(machine, item, key));
    findings.registrations.push({
      kind,
      server: seen.receiver,
      name: field('name'),
      title: field('title'),
      description: field('description'),
      schema: field('parameters') ?? field('arguments'),
      uri: field('uri') ?? field('uriTemplate'),
      handler: asFunction(field('execute') ?? field('load')),
      decorators: [seen.method],
      at: item.kind === 'object' && item.at ? item.at : seen.at,
    });
  }
  if (many.open)
    findings.unresolved.push({
      kind: kind === 'template' ? 'resource' : kind,
      reason: 'a list of definitions that is not fully known',
      at: seen.at,
    });
  return symbol(seen);
}

const listings = new Map([
  ['tools/list', 'tool'],
  ['resources/list', 'resource'],
  ['resources/templates/list', 'template'],
  ['prompts/list', 'prompt'],
] as const);

const answerers = new Map<string, Dispatcher['kind']>([
  ['tools/call', 'tool'],
  ['resources/read', 'resource'],
  ['prompts/get', 'prompt'],
]);

function seeListing(findings: Findings, seen: CallSeen, machine: Machine): Value | undefined {
  const [schema, handler] = seen.args.positional;
  const name = schema && methodNameIn(schema);
  const kind = name === undefined ? undefined : listings.get(name as 'tools/list');
  if (handler && kind) findings.listings.push({ kind, server: seen.receiver, handler, at: seen.at });
  const fn = asFunction(handler);
  const answers = name === undefined ? undefined : answerers.get(name);
  if (answers && fn) findings.dispatchers.push({ kind: answers, server: seen.receiver, handler: fn });
  void machine;
  return symbol(seen);
}
