import { ancestry } from '../evaluate/calls/classes.js';
import type { ObservedCall, Machine } from '../evaluate/interpreter/abstract-machine.js';
import {
  optionsOf,
  stringOf,
  truth,
  type Args,
  type ClassValue,
  type Place,
  type Value,
} from '../evaluate/values/values.js';
import type { Discoveries, Registration } from './registrations.js';
import { serverKind } from './sdk.js';

/** Methods that remove an item by name. */
const removeMethods = new Map([
  ['remove_tool', 'tool'],
  ['remove_resource', 'resource'],
  ['remove_prompt', 'prompt'],
  ['removeTool', 'tool'],
  ['removeResource', 'resource'],
  ['removePrompt', 'prompt'],
] as const);
/** Internal stores of servers, which some code changes directly. */
const storeFields = new Map([
  ['._tools', 'tool'],
  ['._resources', 'resource'],
  ['._prompts', 'prompt'],
] as const);
/** Fast pre-check, because it runs for every call. */
const withdrawalMethods = new Set([
  ...removeMethods.keys(),
  'pop',
  'clear',
  'remove',
  'disable',
  'update',
]) as ReadonlySet<string>;
/** What can be withdrawn. */
type OfferKind = 'tool' | 'resource' | 'prompt';

/** Records removals: `remove_tool(name)`, `remove()` and `disable()` of a handle, and direct changes of a server's store. */
export function recordWithdrawal(discoveries: Discoveries, seen: ObservedCall, machine: Machine): void {
  const { method, receiver, args } = seen;
  if (!withdrawalMethods.has(method)) return;
  // A project method of the same name is evaluated instead.
  if (!receiver || (seen.callee.kind !== 'external' && seen.callee.kind !== 'result' && seen.callee.kind !== 'unknown'))
    return;
  const kind = removeMethods.get(method as 'remove_tool');
  if (kind && (belongsToServer(receiver) || receiver.kind === 'unknown'))
    withdraw(discoveries, seen, machine, kind, args.positional[0] ?? args.named.get('name'));
  else if (method === 'pop' || method === 'clear') {
    const store = storeOf(receiver);
    if (store) withdraw(discoveries, seen, machine, store, method === 'pop' ? args.positional[0] : undefined);
  } else if (method === 'remove' || method === 'disable' || method === 'update')
    recordHandleCall(discoveries, seen, machine);
}

/** The item kind of a server's internal store: `server._tool_manager._tools`. */
const storeOf = (value: Value): OfferKind | undefined =>
  value.kind === 'result' && belongsToServer(value) ? storeFields.get(value.method as '._tools') : undefined;

/** Whether a value is a server or a part of one: `server.local_provider`, `server._tool_manager`. */
const belongsToServer = (value: Value): boolean =>
  serverKind(value) !== undefined ||
  (value.kind === 'result' &&
    value.method.startsWith('.') &&
    value.receiver !== undefined &&
    belongsToServer(value.receiver));

/** Removes a registration; if it is uncertain whether the call runs, the tool stays and is reported as unresolved. */
function withdraw(
  discoveries: Discoveries,
  { at }: ObservedCall,
  machine: Machine,
  kind: OfferKind,
  given: Value | undefined,
): void {
  const name = stringOf(given);
  const matches = (each: Registration) => sameKind(each, kind) && stringOf(each.name) === name;
  // Level 0 is code that certainly runs: inside of a branch the tool may stay.
  if (name !== undefined && machine.level === 0 && discoveries.registrations.some(matches))
    removeRegistrations(discoveries, matches);
  else discoveries.unresolved.push({ kind, reason: `${name ?? 'something'} may be removed at run time`, at });
}

/** Whether a registration is of this kind; templates count as resources. */
const sameKind = (each: Registration, kind: OfferKind): boolean =>
  (each.kind === 'template' ? 'resource' : each.kind) === kind;

/** Removes matching registrations in place, since others hold the array. */
function removeRegistrations(discoveries: Discoveries, matches: (each: Registration) => boolean): void {
  const kept = discoveries.registrations.filter((each) => !matches(each));
  discoveries.registrations.splice(0, discoveries.registrations.length, ...kept);
}

/** Records calls on the handle returned by `registerTool(…)`, which can remove, disable or rename the tool. */
function recordHandleCall(
  discoveries: Discoveries,
  { method, receiver, args, at }: ObservedCall,
  machine: Machine,
): void {
  const known = discoveries.registrations.find((each) => each.handle !== undefined && each.handle === receiver);
  if (!known) return;
  const [change] = args.positional;
  // An update that changes nothing visible leaves the offer as it is.
  if (method === 'update' && change?.kind === 'object' && !change.open && !changesOffer(change)) return;
  if (machine.level === 0 && method !== 'update') removeRegistrations(discoveries, (each) => each === known);
  else
    discoveries.unresolved.push({
      kind: known.kind === 'template' ? 'resource' : known.kind,
      reason: `${stringOf(known.name) ?? 'something'} may be ${method === 'update' ? 'changed' : 'removed'} at run time`,
      at,
    });
}

/** Whether an update concerns what clients see. */
const changesOffer = ({ props }: Value & { kind: 'object' }): boolean =>
  ['name', 'description', 'paramsSchema', 'enabled', 'title'].some((key) => props.has(key));

/** Whether a registration is offered despite `enabled=…`; an unknown value counts as offered and is reported as unresolved. */
export function isOffered(discoveries: Discoveries, args: Args, { at }: ObservedCall): boolean {
  const enabled = args.named.get('enabled');
  // `enabled` defaults to true.
  const known = enabled ? truth(enabled) : true;
  if (known === undefined)
    discoveries.unresolved.push({ kind: 'any', reason: 'the enabled items depend on settings', at });
  return known !== false;
}

/** Reports tag filters (`FastMCP(include_tags=…, exclude_tags=…)`) as unresolved, because they change the surface. */
export function recordTagFilter(discoveries: Discoveries, seen: ObservedCall): void {
  const given = ['include_tags', 'exclude_tags'].flatMap((key) => seen.args.named.get(key) ?? []);
  if (given.some((value) => !(value.kind === 'constant' && value.value === null)))
    discoveries.unresolved.push({ kind: 'any', reason: 'a tag filter changes what is offered', at: seen.at });
}

/** Hooks of FastMCP middleware that see lists. */
const listChangers = ['on_list_tools', 'on_list_resources', 'on_list_prompts'];

/** Reports a project middleware that handles list requests, because it may remove or add anything. */
export function recordMiddleware(discoveries: Discoveries, given: readonly Value[], at: Place): void {
  for (const each of given.flatMap(optionsOf))
    if (each.kind === 'object' && each.cls && answersLists(each.cls))
      discoveries.unresolved.push({ kind: 'any', reason: 'a middleware changes the list at run time', at });
}

/** Whether a middleware class, or one of its bases, handles lists. */
const answersLists = (cls: ClassValue): boolean =>
  ancestry(cls).some((each) => each.cls.members.some((member) => listChangers.includes(member.name)));
