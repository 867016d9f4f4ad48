import type { Machine, ObservedCall } from '../evaluate/interpreter/abstract-machine.js';
import { memberOf } from '../evaluate/values/members.js';
import {
  constant,
  optionsOf,
  soleOption,
  stringOf,
  type FunctionValue,
  type Value,
} from '../evaluate/values/values.js';
import type { Discoveries } from './registrations.js';

/** Packages whose servers take their tools as a map. */
const frameworks = /^(?:@mastra\/mcp|@mastra\/core(?:\/.*)?)$/;

/** The first function among the possible values. */
const functionIn = (value: Value | undefined): FunctionValue | undefined => {
  for (const each of value ? optionsOf(value) : []) if (each.kind === 'function') return each;
  return undefined;
};

/** Records `new MCPServer({ tools: { key: createTool({…}) } })`: the key is the name of the tool. */
export function recordToolMap(discoveries: Discoveries, seen: ObservedCall, machine: Machine): void {
  const { callee, args, at } = seen;
  if (callee.kind !== 'external' || !frameworks.test(callee.source) || callee.path.at(-1) !== 'MCPServer') return;
  const [options] = args.positional;
  const tools = options && soleOption(memberOf(machine, options, 'tools'));
  // An unknown map may hold any tool; an absent one holds none.
  if (tools?.kind !== 'object') {
    if (tools && tools.kind !== 'constant')
      discoveries.unresolved.push({ kind: 'tool', reason: 'the map of tools is not known before run time', at });
    return;
  }
  for (const [key, value] of tools.props) {
    const tool = soleOption(value);
    // `createTool({…})` of the library returns what it is given, and may be unknown itself.
    const given = tool.kind === 'result' ? tool.args.positional[0] : tool;
    const field = (name: string): Value | undefined =>
      given?.kind === 'object' ? soleOption(memberOf(machine, given, name)) : undefined;
    const own = field('name');
    discoveries.registrations.push({
      kind: 'tool',
      server: undefined,
      name: stringOf(own) === undefined || tool.kind === 'result' ? constant(key) : own,
      description: field('description'),
      schema: field('inputSchema') ?? field('parameters'),
      handler: functionIn(field('execute')),
      decorators: ['createTool'],
      at: tool.kind === 'result' ? tool.at : at,
    });
  }
  if (tools.open) discoveries.unresolved.push({ kind: 'tool', reason: 'the map of tools may have more entries', at });
}
