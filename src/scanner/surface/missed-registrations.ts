import { dottedName } from '../ir/names.js';
import type { Expr, Module } from '../ir/nodes.js';
import { positionAt } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import type { ObservedCall, Machine } from '../evaluate/interpreter/abstract-machine.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import type { Unresolved } from './report.js';

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
const sdkMembers = new Set(['sendToolListChanged', 'assertCanSetRequestHandler', '_createRegisteredTool']);
const registrationCall =
  /\.(?:register(?:Tool|Prompt|Resource)|add(?:Tools?|Prompt|ResourceTemplate)\b|add_(?:tool|prompt|resource)|(?:tool|prompt|resource)\()/;
const maxMissed = 20;

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
  if (registrationMethods.has(seen.method) || ambiguousMethods.has(seen.method))
    sites.add(siteKey(seen.at.module, seen.at.spot.start));
}

/** Registration calls in evaluated modules that the evaluation never reached: a loop over a list with unknown items, a skipped branch. */
export function missedRegistrations(machine: Machine, sites: ReadonlySet<string>): Unresolved[] {
  const found: Unresolved[] = [];
  for (const { module } of machine.runs.values()) {
    if (isAuxiliary(module.path) || !registrationCall.test(module.text)) continue;
    walk(module.body, {
      mayContain: (text) => registrationCall.test(text),
      cls: (cls) => !cls.members.some((member) => sdkMembers.has(member.name)),
      expr: (expr) => {
        const kind = expr.kind === 'call' ? registeredKind(expr) : undefined;
        if (!kind || sites.has(siteKey(module, expr.start)) || found.length >= maxMissed) return;
        const { line } = positionAt(module, expr.start);
        found.push({
          kind,
          reason: 'a registration that the analysis did not reach',
          location: { file: module.path, start_line: line },
        });
      },
    });
  }
  return found;
}
