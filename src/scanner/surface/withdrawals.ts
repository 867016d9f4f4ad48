import { ancestry } from '../evaluate/classes.js';
import type { CallSeen, Machine } from '../evaluate/machine.js';
import { optionsOf, stringOf, truth, type Args, type ClassValue, type Place, type Value } from '../evaluate/values.js';
import type { Findings, Registration } from './registrations.js';
import { serverKind } from './sdk.js';

const removers = new Map([
  ['remove_tool', 'tool'],
  ['remove_resource', 'resource'],
  ['remove_prompt', 'prompt'],
  ['removeTool', 'tool'],
  ['removeResource', 'resource'],
  ['removePrompt', 'prompt'],
] as const);
const stores = new Map([
  ['._tools', 'tool'],
  ['._resources', 'resource'],
  ['._prompts', 'prompt'],
] as const);
/** Every call of a run passes here; most end at this list. */
const words = new Set([...removers.keys(), 'pop', 'clear', 'remove', 'disable', 'update']) as ReadonlySet<string>;
type Kind = 'tool' | 'resource' | 'prompt';

/** Sees what takes an offer back: `remove_tool(name)`, the handle's `remove()` and `disable()`, a store emptied by hand. */
export function seeWithdrawal(findings: Findings, seen: CallSeen, machine: Machine): void {
  const { method, receiver, args } = seen;
  if (!words.has(method)) return;
  if (!receiver || (seen.callee.kind !== 'external' && seen.callee.kind !== 'result' && seen.callee.kind !== 'unknown'))
    return;
  const kind = removers.get(method as 'remove_tool');
  if (kind && (belongsToServer(receiver) || receiver.kind === 'unknown'))
    withdraw(findings, seen, machine, kind, args.positional[0] ?? args.named.get('name'));
  else if (method === 'pop' || method === 'clear') {
    const store = storeOf(receiver);
    if (store) withdraw(findings, seen, machine, store, method === 'pop' ? args.positional[0] : undefined);
  } else if (method === 'remove' || method === 'disable' || method === 'update') seeHandle(findings, seen, machine);
}

/** What a store that belongs to a server holds: `server._tool_manager._tools`. */
const storeOf = (value: Value): Kind | undefined =>
  value.kind === 'result' && belongsToServer(value) ? stores.get(value.method as '._tools') : undefined;

/** A server, or a part of one: `server.local_provider`, `server._tool_manager`. */
const belongsToServer = (value: Value): boolean =>
  serverKind(value) !== undefined ||
  (value.kind === 'result' &&
    value.method.startsWith('.') &&
    value.receiver !== undefined &&
    belongsToServer(value.receiver));

function withdraw(findings: Findings, { at }: CallSeen, machine: Machine, kind: Kind, given: Value | undefined): void {
  const name = stringOf(given);
  const matches = (each: Registration) => sameKind(each, kind) && stringOf(each.name) === name;
  if (name !== undefined && machine.level === 0 && findings.registrations.some(matches)) drop(findings, matches);
  else findings.unresolved.push({ kind, reason: `${name ?? 'something'} may be removed again at run time`, at });
}

const sameKind = (each: Registration, kind: Kind): boolean =>
  (each.kind === 'template' ? 'resource' : each.kind) === kind;

function drop(findings: Findings, matches: (each: Registration) => boolean): void {
  const kept = findings.registrations.filter((each) => !matches(each));
  findings.registrations.splice(0, findings.registrations.length, ...kept);
}

/** What `registerTool(…)` gives back can end, hide or rename what it registered. */
function seeHandle(findings: Findings, { method, receiver, args, at }: CallSeen, machine: Machine): void {
  const known = findings.registrations.find((each) => each.handle !== undefined && each.handle === receiver);
  if (!known) return;
  const [change] = args.positional;
  if (method === 'update' && change?.kind === 'object' && !change.open && !changesOffer(change)) return;
  if (machine.level === 0 && method !== 'update') drop(findings, (each) => each === known);
  else
    findings.unresolved.push({
      kind: known.kind === 'template' ? 'resource' : known.kind,
      reason: `${stringOf(known.name) ?? 'something'} may be ${method === 'update' ? 'changed' : 'removed'} at run time`,
      at,
    });
}

const changesOffer = ({ props }: Value & { kind: 'object' }): boolean =>
  ['name', 'description', 'paramsSchema', 'enabled', 'title'].some((key) => props.has(key));

/** Whether `enabled=False` keeps a registration from being offered; where that cannot be told it is offered, and said. */
export function isOffered(findings: Findings, args: Args, { at }: CallSeen): boolean {
  const enabled = args.named.get('enabled');
  const known = enabled ? truth(enabled) : true;
  if (known === undefined) findings.unresolved.push({ kind: 'any', reason: 'what is enabled depends on settings', at });
  return known !== false;
}

/** Which of a server's offers its tags leave, as `FastMCP(include_tags=…, exclude_tags=…)` says; said where that cannot be told. */
export function seeTagFilter(findings: Findings, seen: CallSeen): void {
  const given = ['include_tags', 'exclude_tags'].flatMap((key) => seen.args.named.get(key) ?? []);
  if (given.some((value) => !(value.kind === 'constant' && value.value === null)))
    findings.unresolved.push({ kind: 'any', reason: 'tags decide what is offered', at: seen.at });
}

const listChangers = ['on_list_tools', 'on_list_resources', 'on_list_prompts'];

/** A middleware of the project that answers list requests may leave out or add what it likes. */
export function seeMiddleware(findings: Findings, given: readonly Value[], at: Place): void {
  for (const each of given.flatMap(optionsOf))
    if (each.kind === 'object' && each.cls && answersLists(each.cls))
      findings.unresolved.push({ kind: 'any', reason: 'a middleware changes the list at run time', at });
}

const answersLists = (cls: ClassValue): boolean =>
  ancestry(cls).some((each) => each.cls.members.some((member) => listChangers.includes(member.name)));
