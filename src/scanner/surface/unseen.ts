import { dottedName } from '../ir/names.js';
import type { Expr, Module } from '../ir/nodes.js';
import { positionAt } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import type { CallSeen, Machine } from '../evaluate/machine.js';
import { isAside } from '../project/aside.js';
import type { Unresolved } from './report.js';

const registering = new Set(['registerTool', 'registerToolTask', 'addTool', 'addTools', 'add_tool']);
const sdkMembers = new Set(['sendToolListChanged', 'assertCanSetRequestHandler', '_createRegisteredTool']);
const most = 20;

const siteOf = (module: Module, start: number): string => `${module.path}:${start}`;

/** `.tool(…)` is a common word: it counts on something that is called like a server. */
function registers({ callee }: Expr & { kind: 'call' }): boolean {
  if (callee.kind !== 'member') return false;
  if (registering.has(callee.property)) return true;
  return callee.property === 'tool' && /(?:mcp|server|srv|app)$/i.test(dottedName(callee.object) ?? '');
}

/** Notes a call that registers tools by its name, whether or not it was understood. */
export function noteSite(sites: Set<string>, seen: CallSeen): void {
  if (registering.has(seen.method) || seen.method === 'tool') sites.add(siteOf(seen.at.module, seen.at.spot.start));
}

/** Registrations written in modules that ran but never reached: a loop over a list that came out empty, a branch wrongly left out. */
export function unseenSites(machine: Machine, sites: ReadonlySet<string>): Unresolved[] {
  const found: Unresolved[] = [];
  for (const { module } of machine.runs.values()) {
    if (isAside(module.path) || !/\.(?:registerTool|addTool|add_tool|tool)/.test(module.text)) continue;
    walk(module.body, {
      mayHold: (text) => /registerTool|addTools?\b|add_tool|\btool\b/.test(text),
      cls: (cls) => !cls.members.some((member) => sdkMembers.has(member.name)),
      expr: (expr) => {
        if (expr.kind !== 'call' || !registers(expr)) return;
        if (sites.has(siteOf(module, expr.start)) || found.length >= most) return;
        const { line } = positionAt(module, expr.start);
        found.push({
          kind: 'tool',
          reason: 'a registration stands here that no followed path reaches',
          location: { file: module.path, start_line: line },
        });
      },
    });
  }
  return found;
}
