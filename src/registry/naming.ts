import { sha256 } from '../lib/hash.js';

const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Whether all clients accept the name. */
export const isToolName = (name: string): boolean => toolNamePattern.test(name);

/**
 * Derives a valid name from any text. It depends on that text alone, so adding another tool never renames one; a hash of the
 * original keeps shortened names unique.
 */
function toToolName(raw: string): string {
  if (isToolName(raw)) return raw;
  const tail = sha256(raw).slice(0, 8);
  const readable = raw
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 55);
  return readable === '' ? tail : `${readable}_${tail}`;
}

/**
 * `<source>__<tool>`, or the tool's own name if the source has no prefix. The prefix stays whatever the tool is called: a server that
 * names its tool `*` must not leave the rules for `<source>__*`.
 */
export function toNamespacedName(source: string | undefined, tool: string): string {
  if (source === undefined) return toToolName(tool);
  const prefix = `${source}__`;
  const name = toToolName(`${prefix}${tool}`);
  const kept = name.startsWith(prefix) ? name : `${prefix}${sha256(`${prefix}${tool}`).slice(0, 8)}`;
  return isToolName(kept) ? kept : name;
}
