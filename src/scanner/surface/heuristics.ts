import type { FunctionNode, Module } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import { scriptSdkOf, sdkOf } from './sdk.js';

const toolNamePattern = /^(?:handle_|tool_|execute_|run_|do_)|(?:_tool|_handler|_action|_command)$/i;

/** Whether a function's name alone suggests a tool. */
export const looksLikeTool = (name: string): boolean => toolNamePattern.test(name);

/** Whether a module imports an MCP SDK directly. */
const importsSdk = (module: Module): boolean =>
  module.body.some(
    (stmt) =>
      stmt.kind === 'import' &&
      (module.language === 'python' ? sdkOf(stmt.source) : scriptSdkOf(stmt.source)) !== undefined,
  );

/** Undecorated functions and methods whose name suggests a tool, in files that import an SDK. */
export function suggestedTools(module: Module): FunctionNode[] {
  if (!importsSdk(module)) return [];
  const found: FunctionNode[] = [];
  const add = (fn: FunctionNode) => {
    if (fn.decorators.length === 0 && fn.name !== undefined && looksLikeTool(fn.name)) found.push(fn);
  };
  // Only module functions and class methods: the name of a nested function is no evidence.
  walk(module.body, {
    fn: (fn) => {
      add(fn);
      return false;
    },
  });
  return found;
}
