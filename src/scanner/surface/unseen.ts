import { dottedName } from '../ir/names.js';
import type { Expr, Module } from '../ir/nodes.js';
import { positionAt } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import type { CallSeen, Machine } from '../evaluate/machine.js';
import { isAside } from '../project/aside.js';
import type { Unresolved } from './report.js';

const registering = new Map<string, Unresolved['kind']>([
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
/** The same words for other things: they count on something that is called like a server. */
const common = new Map<string, Unresolved['kind']>([
  ['tool', 'tool'],
  ['prompt', 'prompt'],
  ['resource', 'resource'],
]);
const sdkMembers = new Set(['sendToolListChanged', 'assertCanSetRequestHandler', '_createRegisteredTool']);
const mentions =
  /\.(?:register(?:Tool|Prompt|Resource)|add(?:Tools?|Prompt|ResourceTemplate)\b|add_(?:tool|prompt|resource)|(?:tool|prompt|resource)\()/;
const most = 20;

const siteOf = (module: Module, start: number): string => `${module.path}:${start}`;

/** What a call registers by its name. */
function registers({ callee }: Expr & { kind: 'call' }): Unresolved['kind'] | undefined {
  if (callee.kind !== 'member') return undefined;
  const sure = registering.get(callee.property);
  if (sure) return sure;
  const kind = common.get(callee.property);
  return kind && /(?:mcp|server|srv|app)$/i.test(dottedName(callee.object) ?? '') ? kind : undefined;
}

/** Notes a call that registers tools by its name, whether or not it was understood. */
export function noteSite(sites: Set<string>, seen: CallSeen): void {
  if (registering.has(seen.method) || common.has(seen.method)) sites.add(siteOf(seen.at.module, seen.at.spot.start));
}

/** Registrations written in modules that ran but never reached: a loop over a list that came out empty, a branch wrongly left out. */
export function unseenSites(machine: Machine, sites: ReadonlySet<string>): Unresolved[] {
  const found: Unresolved[] = [];
  for (const { module } of machine.runs.values()) {
    if (isAside(module.path) || !mentions.test(module.text)) continue;
    walk(module.body, {
      mayHold: (text) => mentions.test(text),
      cls: (cls) => !cls.members.some((member) => sdkMembers.has(member.name)),
      expr: (expr) => {
        const kind = expr.kind === 'call' ? registers(expr) : undefined;
        if (!kind || sites.has(siteOf(module, expr.start)) || found.length >= most) return;
        const { line } = positionAt(module, expr.start);
        found.push({
          kind,
          reason: 'a registration stands here that no followed path reaches',
          location: { file: module.path, start_line: line },
        });
      },
    });
  }
  return found;
}
