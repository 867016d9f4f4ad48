import { canonicalJson } from '../lib/json/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import type { JsonObject } from './json.js';
import type { Tool } from './tool.js';

/** The definition a client sees. */
export const definitionOf = (tool: Tool): JsonObject => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.input.schema,
  outputSchema: tool.output?.schema,
  annotations: tool.annotations,
  extra: tool.extra,
});

const hashes = new WeakMap<Tool, string>();

/** Hash of what a client sees and what the source lists, computed once; approvals are bound to it (rug pull). */
export function definitionHash(tool: Tool): string {
  let hash = hashes.get(tool);
  if (hash === undefined) {
    hash = sha256(canonicalJson({ ...definitionOf(tool), listed: tool.listed }));
    hashes.set(tool, hash);
  }
  return hash;
}
