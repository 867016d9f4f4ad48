import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import type { JsonObject } from './json.js';
import type { Tool } from './tool.js';

/** The definition a client sees; pins and approvals are bound to its hash (rug pull). */
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

/** Hash of a tool's definition, computed once. */
export function definitionHash(tool: Tool): string {
  let hash = hashes.get(tool);
  if (hash === undefined) {
    hash = sha256(canonicalJson(definitionOf(tool)));
    hashes.set(tool, hash);
  }
  return hash;
}
