import { dottedName } from '../ir/names.js';
import type { Expr, Module } from '../ir/nodes.js';
import { positionAt } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import type { ObservedCall, Machine } from '../evaluate/interpreter/abstract-machine.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import type { Unresolved } from './report.js';

/** Methods that register something, whatever the receiver is called. */
const registrationMethods = new Map<string, Unresolved['kind']>([
  ['registerTool', 'tool'],
  ['registerToolTask', 'tool'],
  ['addTool', 'tool'],
  ['addTools', 'tool'],
  ['add_tool', 'tool'],
  ['registerPrompt', 'prompt'],
  ['addPrompt', 'prompt'],
  ['add_prompt', 'prompt'],
  ['registerResource', 'resource'],
  ['addResourceTemplate', 'resource'],
  ['add_resource', 'resource'],
]);
/** Method names with other common meanings; they count only if the receiver is named like a server. */
const ambiguousMethods = new Map<string, Unresolved['kind']>([
  ['tool', 'tool'],
  ['prompt', 'prompt'],
  ['resource', 'resource'],
]);
/** Members of the SDK's own classes: a bundled SDK is not the project's code. */
const sdkMembers = new Set(['sendToolListChanged', 'assertCanSetRequestHandler', '_createRegisteredTool']);
/** Pre-check on text, because walking every module is the expensive part. */
const registrationText =
  /\.(?:register(?:Tool|Prompt|Resource)|add(?:Tools?|Prompt|ResourceTemplate)\b|add_(?:tool|prompt|resource)|(?:tool|prompt|resource)\b)|\w\[|getattr\(/i;
/** Bound of reports; twenty are enough to show that the surface is incomplete. */
const maxMissed = 20;

/** Identity of a call across evaluations. */
const siteKey = (module: Module, start: number): string => `${module.path}:${start}`;

/** What a call registers, according to its method name. */
function registeredKind({ callee }: Expr & { kind: 'call' }): Unresolved['kind'] | undefined {
  if (callee.kind !== 'member') return undefined;
  const sure = registrationMethods.get(callee.property);
  if (sure) return sure;
  const kind = ambiguousMethods.get(callee.property);
  return kind && /(?:mcp|server|srv|app)$/i.test(dottedName(callee.object) ?? '') ? kind : undefined;
}

/** Records a call whose method name indicates a registration, whether or not it was evaluated successfully. */
export function recordSite(sites: Set<string>, seen: ObservedCall): void {
  if (!registrationMethods.has(seen.method) && !ambiguousMethods.has(seen.method)) return;
  sites.add(siteKey(seen.at.module, seen.at.spot.start));
  // A call that does not spell the method uses a value that was read elsewhere; each such read is matched by one call.
  const { module, spot } = seen.at;
  if (!new RegExp(`\\b${seen.method}\\b`).test(module.text.slice(spot.start, Math.min(spot.end, spot.start + 200))))
    sites.add(`${aliasMark}${seen.method} ${siteKey(module, spot.start)}`);
}

/** Marks calls through a value in the set of sites. */
const aliasMark = 'alias ';

/** How often each registration method was called through a value. */
function aliasCalls(sites: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const site of sites) {
    if (!site.startsWith(aliasMark)) continue;
    const method = site.slice(aliasMark.length).split(' ', 1)[0] ?? '';
    counts.set(method, (counts.get(method) ?? 0) + 1);
  }
  return counts;
}

/** Takes one call through a value for this method; false if none is left. */
function takeAlias(aliases: Map<string, number>, method: string): boolean {
  const left = aliases.get(method) ?? 0;
  aliases.set(method, left - 1);
  return left > 0;
}

/** Assignments of a server to a variable. */
const serverVariable =
  /\b(\w+)\s*(?::[^=\n]{1,80})?=\s*(?:await\s+)?(?:new\s+)?(?:\w+\.)*(?:McpServer|MCPServer|FastMCP|Server)\s*\(/g;

/** Names of variables that hold a server in a module, whatever they are called. */
const serverNames = ({ text }: Module): ReadonlySet<string> =>
  new Set([...text.matchAll(serverVariable)].map(([, name]) => name ?? ''));

/** Whether an expression is named like a server, or was assigned one in this module. */
const isServerName = (object: Expr, servers: ReadonlySet<string>): boolean => {
  const name = dottedName(object) ?? '';
  return /(?:mcp|server|srv|app)$/i.test(name) || servers.has(name);
};

/** The registration method that a member expression reads without calling it. */
const methodValue = (
  { object, property }: Expr & { kind: 'member' },
  servers: ReadonlySet<string>,
): string | undefined =>
  registrationMethods.has(property) || (ambiguousMethods.has(property) && isServerName(object, servers))
    ? property
    : undefined;

/** `server[name](…)` and `getattr(server, name)(…)` with a name that is not a constant. */
function isChosenAtRunTime(expr: Expr, servers: ReadonlySet<string>): boolean {
  if (expr.kind !== 'call') return false;
  const { callee } = expr;
  if (callee.kind === 'index') return isServerName(callee.object, servers) && callee.index.kind !== 'literal';
  if (callee.kind !== 'call' || callee.callee.kind !== 'name' || callee.callee.name !== 'getattr') return false;
  const [object, name] = callee.args.map(({ value }) => value);
  return object !== undefined && isServerName(object, servers) && name !== undefined && name.kind !== 'literal';
}

/** Registration calls in evaluated modules that the evaluation never reached: a loop over a list with unknown items, a skipped branch. */
export function missedRegistrations(machine: Machine, sites: ReadonlySet<string>): Unresolved[] {
  const found: Unresolved[] = [];
  const aliases = aliasCalls(sites);
  for (const { module } of machine.runs.values()) {
    if (isAuxiliary(module.path) || !registrationText.test(module.text)) continue;
    const called = new Set<Expr>();
    const servers = serverNames(module);
    walk(module.body, {
      mayContain: (text) => registrationText.test(text),
      cls: (cls) => !cls.members.some((member) => sdkMembers.has(member.name)),
      // A bare decorator, `@mcp.tool`, is a call.
      fn: ({ decorators }) => decorators.forEach((each) => called.add(each)),
      expr: (expr) => {
        if (expr.kind === 'call') called.add(expr.callee);
        // A test for the method, or its replacement, does not hand it to other code.
        if (expr.kind === 'unary') called.add(expr.value);
        if (expr.kind === 'assign') called.add(expr.target as Expr);
        // The walk continues, so that `called` is complete, but nothing more is reported.
        if (found.length >= maxMissed) return;
        const location = { file: module.path, start_line: positionAt(module, expr.start).line };
        const kind = expr.kind === 'call' ? registeredKind(expr) : undefined;
        if (kind && !sites.has(siteKey(module, expr.start)))
          found.push({ kind, reason: 'a registration that the analysis did not reach', location });
        const method = expr.kind === 'member' && !called.has(expr) ? methodValue(expr, servers) : undefined;
        if (method !== undefined && !takeAlias(aliases, method))
          found.push({ kind: 'any', reason: `${method} is read as a value and its call was not found`, location });
        if (isChosenAtRunTime(expr, servers) && !sites.has(siteKey(module, expr.start)))
          found.push({ kind: 'any', reason: 'a method of the server is chosen at run time', location });
      },
    });
  }
  return found;
}
