import { definitionOf } from '../../core/definition.js';
import type { Tool } from '../../core/tool.js';
import { callTool, describeTool, searchTool } from './stand-ins.js';
import type { OperationTool } from './tool.js';
import type { Toolset } from './toolset.js';

/** The bytes a client is shown of a tool. */
export const definitionBytes = (tool: Tool): number =>
  Buffer.byteLength(JSON.stringify(definitionOf(tool))) +
  (tool.meta ? Buffer.byteLength(JSON.stringify(tool.meta)) : 0);

/** What a client is offered: every operation while the list stays small, else three tools that find, describe and call them. */
export function offered(
  set: Toolset,
  { id, listBytes }: { readonly id: string; readonly listBytes: number },
): readonly Tool[] {
  const options = { id, title: set.title, tools: set.tools };
  if (!fits(set.tools, listBytes))
    return [searchTool(options), describeTool(options), callTool(options), ...set.tools.map((tool) => unlisted(tool))];
  return set.tools.some((tool) => tool.isShortened()) ? [...set.tools, describeTool(options)] : set.tools;
}

function fits(tools: readonly OperationTool[], listBytes: number): boolean {
  // The shortest definition there is has so many bytes; most large documents need not be spelled out to be known as large.
  if (tools.length * 120 > listBytes) return false;
  let left = listBytes;
  for (const tool of tools) {
    left -= definitionBytes(tool);
    if (left < 0) return false;
  }
  return true;
}

/** The same tool, callable by name and by its stand-in, and in no list; its schemas stay unread until somebody looks. */
const unlisted = (tool: OperationTool): Tool =>
  Object.defineProperty(Object.create(null, Object.getOwnPropertyDescriptors(tool)) as OperationTool, 'unlisted', {
    value: true,
    enumerable: true,
  });
