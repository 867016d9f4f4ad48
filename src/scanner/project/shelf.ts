import type { Module, Unread } from '../ir/nodes.js';
import { lineStartsOf } from '../ir/positions.js';
import { languageOf, type Parse, type Unparsed } from '../languages/index.js';
import type { Parsed, Reading } from '../languages/parsed.js';
import { isAside } from './aside.js';

/** How much is kept: texts, of which more come back from their files, and code as nodes, each byte of which takes up to thirty then. */
const usual = { textBytes: 32_000_000, codeBytes: 10_000_000 };
/** A tree of this size is no single server: what it holds is listed sooner, so that the memory stays what it is. */
const large = { fromBytes: 40_000_000, textBytes: 16_000_000, codeBytes: 3_000_000 };
/** The part of the room that is used before anybody asks for it, to tell which files are broken. */
const early = 0.8;

/** Makes a module of a file's text, and of a way to get the text again; or says why it cannot. */
export type Shelf = (path: string, text: string, again: () => string) => Module | Unparsed | 'unready';

/**
 * A shelf that keeps only so much: texts go when others need the room and come back from their files, and code that
 * finds no room is listed as partial, so that a hundred megabytes of source never become gigabytes of nodes.
 */
export function moduleShelf(parse: Parse, deadline: number, allBytes = 0): Shelf {
  const { textBytes, codeBytes } = allBytes > large.fromBytes ? large : usual;
  const keepText = recentTexts(textBytes);
  let taken = 0;
  const takeRoom = (bytes: number): boolean => {
    const hasRoom = taken < codeBytes && taken + bytes <= codeBytes;
    // Once something found no room nothing else is tried: reading what cannot be kept costs as much as keeping it.
    taken = hasRoom ? taken + bytes : codeBytes;
    return hasRoom;
  };
  return (path, given, again) => {
    const { length } = given;
    let isPartial = false;
    let failed: Unparsed | 'unready' | undefined;
    const text = keepText(given, () => {
      const value = again();
      // A file that is another one now was not read.
      isPartial ||= value.length !== length;
      return value;
    });
    const reading: Reading = { text, takeRoom };
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
    const unread: Unread = { text, glance: () => (Date.now() > deadline ? late() : read().body) };
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
      get unread() {
        return known ? undefined : unread;
      },
    };
    // Tests and examples count only where the program imports them: most are never asked for.
    if (!isAside(path) && taken < codeBytes * early) parsed();
    return failed ?? module;
  };
}

/** Keeps the texts that were asked for last. */
function recentTexts(maxBytes: number): (text: string, again: () => string) => () => string {
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
