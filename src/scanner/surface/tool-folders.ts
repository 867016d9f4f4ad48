import { instantiate } from '../evaluate/calls/classes.js';
import { runUncertain, type Machine } from '../evaluate/interpreter/abstract-machine.js';
import { exportedValue, runModule } from '../evaluate/modules/modules.js';
import { memberOf } from '../evaluate/values/members.js';
import { constant, noArgs, optionsOf, stringOf, type FunctionValue, type Value } from '../evaluate/values/values.js';
import type { Module } from '../ir/nodes.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import type { Discoveries } from './registrations.js';

/** A file in a folder `tools`, at any depth. */
const toolFile = /(?:^|\/)tools\/(?:[^/]+\/)*[^/]+\.[mc]?[jt]sx?$/;
/** Base class of mcp-framework. */
const extendsTool = /\bextends\s+[\w$.]*MCPTool\b/;
/** Import of the framework; a class of the same name elsewhere is something else. */
const ofFramework = /["']mcp-framework["']/;
const ofXmcp = /["']xmcp["']/;
/** Configuration of xmcp: with it every module in the folder is a tool. */
const xmcpConfig = /(?:^|\/)xmcp\.config\.[mc]?[jt]s$/;

/** Reads frameworks that load every file of a folder `tools` at run time: classes of mcp-framework, modules of xmcp. */
export function readToolFolders(machine: Machine, discoveries: Discoveries): void {
  const { modules } = machine.project;
  const isXmcp = [...modules.keys()].some((path) => xmcpConfig.test(path));
  for (const [path, module] of modules) {
    if (isAuxiliary(path) || !toolFile.test(path)) continue;
    if (extendsTool.test(module.text) && ofFramework.test(module.text)) addClass(machine, discoveries, module);
    else if (isXmcp || ofXmcp.test(module.text)) addModule(machine, discoveries, module);
  }
}

/** The first function among the possible values. */
const functionIn = (value: Value | undefined): FunctionValue | undefined => {
  for (const each of value ? optionsOf(value) : []) if (each.kind === 'function') return each;
  return undefined;
};

/** `export default class extends MCPTool { name = …; schema = …; async execute(input) {…} }`. */
function addClass(machine: Machine, discoveries: Discoveries, module: Module): void {
  const run = runModule(machine, module.path, true);
  const cls = run && exportedValue(machine, run, 'default');
  if (cls?.kind !== 'class') return;
  const at = { module, spot: cls.cls };
  // Instantiated without arguments, as the framework does.
  const made = runUncertain(machine, () => instantiate(machine, cls, noArgs, at));
  const handler = functionIn(memberOf(machine, made, 'execute'));
  discoveries.registrations.push({
    kind: 'tool',
    server: undefined,
    name: memberOf(machine, made, 'name'),
    description: memberOf(machine, made, 'description'),
    schema: memberOf(machine, made, 'schema'),
    // Bound to the instance, because `execute` reads its fields.
    handler: handler && { ...handler, self: made },
    decorators: ['MCPTool'],
    at,
  });
}

/** `export const schema`, `export const metadata` and a default function; the file name is the default name. */
function addModule(machine: Machine, discoveries: Discoveries, module: Module): void {
  const run = runModule(machine, module.path, true);
  const handler = run && functionIn(exportedValue(machine, run, 'default'));
  if (!run || !handler) return;
  const metadata = exportedValue(machine, run, 'metadata');
  const field = (key: string): Value | undefined =>
    metadata?.kind === 'object' ? memberOf(machine, metadata, key) : undefined;
  const name = field('name');
  const base = module.path.slice(module.path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  discoveries.registrations.push({
    kind: 'tool',
    server: undefined,
    // Without a name in the metadata the framework uses the file name.
    name: stringOf(name) === undefined ? constant(base) : name,
    description: field('description'),
    schema: exportedValue(machine, run, 'schema'),
    annotations: field('annotations'),
    handler,
    decorators: ['xmcp'],
    at: { module, spot: handler.fn },
  });
}
