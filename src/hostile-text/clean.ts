import {
  ALL_SUSPECTS,
  ALL_UNITS,
  isOrthographic,
  CONTROL_SUSPECTS,
  CONTROL_UNITS,
  flagLength,
  hostileKind,
  type HostileKind,
} from './code-points.js';
import { escapeReader } from './escapes.js';

/** `controls` removes escapes, controls and broken surrogates; `full` also removes invisible characters. */
export type CleanLevel = 'controls' | 'full';

/** Cleaned text (the same string if nothing was removed) and the number of removals by kind. */
interface Cleaned {
  readonly text: string;
  readonly removed: RemovedCounts;
}

/** How often each kind was removed; a kind that was not found is absent. */
type RemovedCounts = Readonly<Partial<Record<HostileKind, number>>>;

const NOTHING: RemovedCounts = Object.freeze({});

/** A broken surrogate is replaced and not removed: joining its neighbours could form a new word. */
const REPLACEMENT = '\ufffd';

/** Fast check: true if the text has no suspect code unit, so that `clean` changes nothing; false does not mean hostile. */
export function isPlain(text: string, level: CleanLevel = 'full'): boolean {
  return !(level === 'full' ? ALL_UNITS : CONTROL_UNITS).test(text);
}

/**
 * Removes invisible characters and terminal escapes. A `\r\n` pair stays, since file text must match its
 * source byte for byte; a lone `\r` or NEL becomes `\n`, so that overwritten terminal text becomes visible.
 * Joiners, selectors and tags that spell an emoji or a word of a joining script stay and are not counted.
 */
export function clean(text: string, level: CleanLevel = 'full'): Cleaned {
  if (isPlain(text, level)) return { text, removed: NOTHING };
  return removeHostile(text, level === 'full' ? ALL_SUSPECTS : CONTROL_SUSPECTS);
}

function removeHostile(text: string, suspects: RegExp): Cleaned {
  const removed: Partial<Record<HostileKind, number>> = {};
  const escapes = escapeReader(text);
  const kept: string[] = [];
  let keptFrom = 0;

  const drop = (kind: HostileKind, from: number, to: number, instead = ''): void => {
    removed[kind] = (removed[kind] ?? 0) + 1;
    // Slices between removals are kept, so that the cost depends on removals and not on length.
    if (from > keptFrom) kept.push(text.slice(keptFrom, from));
    if (instead !== '') kept.push(instead);
    keptFrom = to;
    // The search continues behind the removed sequence, which may contain suspects itself.
    suspects.lastIndex = to;
  };
  /** The character before `at` in the result: removed characters must not provide context. */
  const before = (at: number): string => (at > keptFrom ? lastCharacter(text, at) : lastCharacter(kept.at(-1) ?? ''));

  suspects.lastIndex = 0;
  for (let match = suspects.exec(text); match; match = suspects.exec(text)) {
    const at = match.index;
    const point = text.codePointAt(at) ?? 0;
    const next = at + match[0].length;
    if (point === 0x1b) drop('ansi', at, escapes.escapeEnd(at));
    else if (point === 0x0d) {
      if (text.charCodeAt(next) === 0x0a) suspects.lastIndex = next + 1;
      else drop('control', at, next, '\n');
    } else if (point === 0x85) drop('control', at, next, '\n');
    else if (point >= 0x80 && point < 0xa0) {
      const end = escapes.c1End(at);
      if (end > at) drop('ansi', at, end);
      else drop('control', at, next);
    } else if (point < 0x80) drop('control', at, next);
    else if (point >= 0xd800 && point <= 0xdfff) drop('surrogate', at, next, REPLACEMENT);
    else {
      // The flag begins two units before its first tag, and only if its base is still there.
      const flag = at > keptFrom + 1 ? flagLength(text, at - 2) : 0;
      if (flag > 0) suspects.lastIndex = at - 2 + flag;
      else if (!isOrthographic(point, before(at), text.slice(next, next + 2))) drop(hostileKind(point), at, next);
    }
  }
  if (keptFrom === 0 && kept.length === 0) return { text, removed: NOTHING };
  kept.push(text.slice(keptFrom));
  return { text: kept.join(''), removed };
}

/** Last whole character before `end`: half of a surrogate pair would match no script. */
function lastCharacter(text: string, end = text.length): string {
  const low = text.charCodeAt(end - 1);
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(Math.max(0, end - 2), end) : text.slice(Math.max(0, end - 1), end);
}
