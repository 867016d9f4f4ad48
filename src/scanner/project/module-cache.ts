import type { Module, DeferredBody } from '../ir/nodes.js';
import { lineStartsOf } from '../ir/positions.js';
import { languageOf, type Parse, type Unparsed } from '../languages/index.js';
import type { Parsed, SourceText } from '../languages/source-text.js';
import { isAuxiliary } from './auxiliary-files.js';

/** Memory budgets: texts, which can be read again, and syntax nodes, which take up to thirty bytes per byte of code. */
const usualBudget = { textBytes: 32_000_000, codeBytes: 10_000_000 };
/** Smaller budgets for large trees, which are more than one server. */
const largeBudget = { fromBytes: 40_000_000, textBytes: 16_000_000, codeBytes: 3_000_000 };
/** Share of the budget that is filled eagerly, to detect files with syntax errors. */
const eagerShare = 0.8;

/** Parses a file into a module; `again` reads an evicted text from disk. */
type ModuleCache = (path: string, text: string, again: () => string) => Module | Unparsed | 'unready';

/**
 * A module cache with a memory budget: texts are evicted (LRU) and read again on demand, and code beyond the node budget is
 * reported as partial, so that a hundred megabytes of source never become gigabytes of nodes.
 */
export function moduleCache(parse: Parse, deadline: number, allBytes = 0): ModuleCache {
  const { textBytes, codeBytes } = allBytes > largeBudget.fromBytes ? largeBudget : usualBudget;
  const keepText = recentTextCache(textBytes);
  let taken = 0;
  const takeRoom = (bytes: number): boolean => {
    const hasRoom = taken < codeBytes && taken + bytes <= codeBytes;
    // After the first rejection nothing else is parsed: parsing without keeping costs the same.
    taken = hasRoom ? taken + bytes : codeBytes;
    return hasRoom;
  };
  return (path, given, again) => {
    const { length } = given;
    let isPartial = false;
    let failed: Unparsed | 'unready' | undefined;
    const text = keepText(given, () => {
      const value = again();
      // A file that changed since the first read was not scanned (TOCTOU).
      isPartial ||= value.length !== length;
      return value;
    });
    const reading: SourceText = { text, reserveBytes: takeRoom };
    const read = (): Parsed => {
      const made = parse(path, reading, Math.max(1, deadline - Date.now()));
      if (typeof made !== 'string') return made;
      failed = made;
      isPartial = true;
      return { body: [], partial: true, bytes: 0 };
    };
    let known: Parsed | undefined;
    const keep = (): Parsed => {
      if (taken >= codeBytes) return { body: [], partial: true, bytes: 0 };
      const made = read();
      return takeRoom(made.bytes) ? made : { body: [], partial: true, bytes: 0 };
    };
    const parsed = (): Parsed => (known ??= keep());
    let starts: readonly number[] | undefined;
    const unread: DeferredBody = { text, parseOnce: () => (Date.now() > deadline ? late() : read().body) };
    const late = (): [] => {
      isPartial = true;
      return [];
    };
    const module: Module = {
      path,
      language: languageOf(path),
      get text() {
        return text();
      },
      get body() {
        return parsed().body;
      },
      get docstring() {
        return parsed().docstring;
      },
      get partial() {
        return (isPartial ||= known?.partial === true);
      },
      get lineStarts() {
        return (starts ??= lineStartsOf(text()));
      },
      get deferred() {
        return known ? undefined : unread;
      },
    };
    // Tests and examples are parsed lazily, because most are never imported.
    if (!isAuxiliary(path) && taken < codeBytes * eagerShare) parsed();
    return failed ?? module;
  };
}

/** LRU cache of texts, bounded by size. */
function recentTextCache(maxBytes: number): (text: string, again: () => string) => () => string {
  const kept = new Map<() => void, number>();
  let total = 0;
  return (given, again) => {
    const holder: { text: string | undefined } = { text: given };
    const hold = (text: string): string => {
      holder.text = text;
      kept.set(drop, text.length);
      total += text.length;
      for (const [oldest, length] of kept) {
        if (total <= maxBytes || oldest === drop) break;
        kept.delete(oldest);
        total -= length;
        oldest();
      }
      return text;
    };
    const drop = (): void => {
      holder.text = undefined;
    };
    hold(given);
    return () => holder.text ?? hold(again());
  };
}
