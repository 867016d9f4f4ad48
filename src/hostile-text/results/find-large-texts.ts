import type { Done, Failed } from '../../core/outcome.js';
import { largeTextLength } from './large-texts.js';

/** Deeper texts are not looked for: they are examined on the event loop, or cut off with their data. */
const maxTextDepth = 16;
/** Lists and objects with more entries are not walked: no large result is that wide in its first levels by chance. */
const maxVisited = 10_000;

/** The texts of a result that are long enough for the worker thread, without duplicates. */
export function largeTextsIn(outcome: Done | Failed): ReadonlySet<string> {
  const found = new Set<string>();
  let left = maxVisited;
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      if (value.length >= largeTextLength) found.add(value);
      return;
    }
    if (typeof value !== 'object' || value === null || depth > maxTextDepth) return;
    for (const item of Array.isArray(value) ? value : Object.values(value)) {
      // A budget for the whole result, not per list: nested lists multiply.
      if (left-- <= 0) return;
      visit(item, depth + 1);
    }
  };
  // Bytes of media and resources are never cleaned.
  for (const part of outcome.content ?? []) {
    if (part.type === 'resource') visit({ ...part.resource, blob: undefined }, 0);
    else if (part.type !== 'image' && part.type !== 'audio') visit(part, 0);
  }
  visit(outcome.data, 0);
  visit(outcome.extra, 0);
  return found;
}
