import { definitionOf } from '../../../core/definition.js';
import type { Tool } from '../../../core/tool.js';
import { callTool, searchTool } from './catalog-tools.js';
import { describeTool } from './describe-tool.js';
import type { OperationTool } from './operation-tool.js';
import type { Toolset } from './toolset.js';

/** Size of a tool definition as sent to clients. */
export const definitionBytes = (tool: Tool): number =>
  Buffer.byteLength(JSON.stringify(definitionOf(tool))) +
  (tool.meta ? Buffer.byteLength(JSON.stringify(tool.meta)) : 0);

/** Tools to list: every operation if the list is small, else three catalog tools that search, describe and call them. */
export function listTools(
  set: Toolset,
  {
    id,
    listBytes,
    describeAlways = false,
  }: { readonly id: string; readonly listBytes: number; readonly describeAlways?: boolean },
): readonly Tool[] {
  const options = { id, title: set.title, tools: set.tools, schemas: set.schemas };
  if (!fitsListBudget(set.tools, listBytes))
    return [
      searchTool(options),
      describeTool(options),
      callTool(options),
      ...set.tools.map((tool) => asUnlisted(tool)),
    ];
  return describeAlways || set.tools.some((tool) => tool.isAbbreviated())
    ? [...set.tools, describeTool(options)]
    : set.tools;
}

function fitsListBudget(tools: readonly OperationTool[], listBytes: number): boolean {
  // Lower bound of 120 bytes per definition: avoids building every definition of a large document.
  if (tools.length * 120 > listBytes) return false;
  let remainingBytes = listBytes;
  for (const tool of tools) {
    remainingBytes -= definitionBytes(tool);
    if (remainingBytes < 0) return false;
  }
  return true;
}

/** The same tool, callable but not listed; copies property descriptors so that lazy schemas stay lazy. */
const asUnlisted = (tool: OperationTool): Tool =>
  Object.defineProperty(Object.create(null, Object.getOwnPropertyDescriptors(tool)) as OperationTool, 'unlisted', {
    value: true,
    enumerable: true,
  });
