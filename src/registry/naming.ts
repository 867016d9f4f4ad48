import { sha256 } from '../lib/hash.js';

const allowed = /^[A-Za-z0-9_-]{1,64}$/;

/** Every tool name that any client accepts. */
export const isToolName = (name: string): boolean => allowed.test(name);

/**
 * A valid name for any text. It depends on that text alone, so names never change because something else was added;
 * what had to be replaced or cut is made unique by a hash of the original.
 */
export function toToolName(raw: string): string {
  if (isToolName(raw)) return raw;
  const tail = sha256(raw).slice(0, 8);
  const readable = raw
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 55);
  return readable === '' ? tail : `${readable}_${tail}`;
}

/** `<source>__<tool>`, or the tool's own name where the source has no prefix. */
export const namespaced = (source: string | undefined, tool: string): string =>
  toToolName(source === undefined ? tool : `${source}__${tool}`);
