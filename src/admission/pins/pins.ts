import type { JsonObject } from '../../core/json.js';
import { canonicalJson } from '../../lib/json/canonical-json.js';
import { sha256 } from '../../lib/hash.js';

/** `pin` trusts definitions on first use and withholds changes, `strict` offers only approved definitions and those pinned before, `open` everything. */
export type AdmissionMode = 'strict' | 'pin' | 'open';

/** An item that a source offers (tool, prompt, resource, instructions), with its whole definition. */
export interface Pinnable {
  readonly kind: string;
  readonly name: string;
  readonly definition: JsonObject;
}

/** A definition as it was at first use or at its approval. */
interface Pin {
  readonly hash: string;
  readonly definition: JsonObject;
  readonly at: string;
  /** Why it is pinned. `open` means without any check: that mode lets everything in. */
  readonly by: 'first sight' | 'open' | 'approval';
}

/** A definition that waits for approval. */
interface PendingPin {
  readonly hash: string;
  readonly definition: JsonObject;
  readonly since: string;
  readonly why: string;
  /** An operator looked at it and rejected it; it stays withheld and no longer asks for a decision. */
  readonly rejected?: { readonly at: string; readonly by: string };
}

/** Pins and pending definitions of one source; kept when the source is removed, so that re-adding it does not reset trust. */
export interface PinBook {
  readonly source: string;
  /** Package, command line or URL, by which a renamed source is recognised. */
  readonly identity: string;
  readonly server?: { readonly name: string; readonly version: string };
  /** When an operator last requested a new listing. */
  readonly askedAt?: string;
  readonly pins: Readonly<Record<string, Pin>>;
  readonly pending: Readonly<Record<string, PendingPin>>;
}

interface PinComparison<T> {
  readonly book: PinBook;
  /** Items that are not offered, with the reason. */
  readonly withheld: ReadonlyMap<T, string>;
  /** Changes since the last comparison: a changed or a new item. */
  readonly news: readonly string[];
}

export const emptyBook = (source: string, identity: string): PinBook => ({ source, identity, pins: {}, pending: {} });

/** Kind of a pending tool that imitates another. */
export const lookAlikeKind = 'look-alike';

/** Kind of a pending tool that the code of its server does not register. */
export const unsourcedKind = 'not-in-source';

/** Key of the pending findings in a server's code. */
export const sourceScanKey = 'source scan';

/** Kinds that other checks add; a comparison of definitions must not clear them. */
const separatelyCheckedKinds = [lookAlikeKind, unsourcedKind, sourceScanKey.split(' ')[0]];

const pinKey = ({ kind, name }: Pick<Pinnable, 'kind' | 'name'>): string => `${kind} ${name}`;

export const pinHash = (definition: JsonObject): string => sha256(canonicalJson(definition));

/** Whether a pin counts: a stricter mode must not take over what `open` let in without a look. */
const isTrusted = ({ by }: Pin, admission: AdmissionMode): boolean => admission === 'open' || by !== 'open';

/** Compares the items a source offers with its pins, to detect a rug pull; `suspicion` returns why an item is suspect by itself. */
export function comparePins<T extends Pinnable>(
  book: PinBook,
  items: readonly T[],
  admission: AdmissionMode,
  suspicion: (item: T) => string | undefined,
  now: string,
): PinComparison<T> {
  const pins: Record<string, Pin> = { ...book.pins };
  const pending: Record<string, PendingPin> = Object.fromEntries(
    Object.entries(book.pending).filter(([key]) => separatelyCheckedKinds.includes(key.slice(0, key.indexOf(' ')))),
  );
  const withheld = new Map<T, string>();
  const news: string[] = [];
  for (const item of items) {
    const key = pinKey(item);
    const hash = pinHash(item.definition);
    const known = Object.hasOwn(book.pins, key) ? book.pins[key] : undefined;
    const isSame = known?.hash === hash;
    if (isSame && isTrusted(known, admission)) continue;
    const why =
      known && !isSame
        ? 'its definition changed'
        : admission === 'strict'
          ? 'it was not approved yet'
          : suspicion(item);
    if (admission === 'open' || why === undefined) {
      defineOwn(pins, key, {
        hash,
        definition: item.definition,
        at: now,
        by: admission === 'open' ? 'open' : 'first sight',
      });
      if (!isSame && (known || Object.keys(book.pins).length > 0)) news.push(`${key} ${known ? 'changed' : 'is new'}`);
      continue;
    }
    withheld.set(item, `${why}; see toolgate pins diff ${book.source}`);
    const before = Object.hasOwn(book.pending, key) ? book.pending[key] : undefined;
    defineOwn(pending, key, {
      hash,
      definition: item.definition,
      since: before?.hash === hash ? before.since : now,
      why,
      ...(before?.hash === hash && before.rejected && { rejected: before.rejected }),
    });
    if (before?.hash !== hash) news.push(`${key}: ${why}`);
  }
  return { book: { ...book, pins, pending }, withheld, news };
}

/** Keys of pending definitions with these names, with or without their kind; all of them if no name is given. */
export const pendingKeys = ({ pending }: PinBook, names: readonly string[]): readonly string[] =>
  Object.keys(pending).filter(
    (key) => names.length === 0 || names.includes(key) || names.includes(key.slice(key.indexOf(' ') + 1)),
  );

/** Digest of the pending definitions an operator has seen: a server may change them between review and approval (TOCTOU). */
export const pendingDigest = ({ pending }: PinBook, keys: readonly string[]): string =>
  sha256(canonicalJson(keys.toSorted().map((key) => [key, pending[key]?.hash ?? '']))).slice(0, 16);

/** Approves pending definitions (all if none are named); returns the new book and what was approved. */
export function approvePins(
  book: PinBook,
  keys: readonly string[],
  now: string,
): { readonly book: PinBook; readonly approved: readonly string[] } {
  const approved = pendingKeys(book, keys);
  const pins: Record<string, Pin> = { ...book.pins };
  const pending: Record<string, PendingPin> = { ...book.pending };
  for (const key of approved) {
    const waiting = book.pending[key];
    if (!waiting) continue;
    defineOwn(pins, key, { hash: waiting.hash, definition: waiting.definition, at: now, by: 'approval' });
    delete pending[key];
  }
  return { book: { ...book, pins, pending }, approved };
}

/** Marks pending definitions as rejected; they stay withheld until they change or are approved. */
export function rejectPins(book: PinBook, keys: readonly string[], rejected: { at: string; by: string }): PinBook {
  const pending: Record<string, PendingPin> = { ...book.pending };
  for (const key of keys) {
    const waiting = Object.hasOwn(book.pending, key) ? book.pending[key] : undefined;
    if (waiting) defineOwn(pending, key, { ...waiting, rejected });
  }
  return { ...book, pending };
}

/** Defines instead of assigning: assignment to a key named `__proto__` would be lost (prototype pollution). */
function defineOwn<T>(record: Record<string, T>, key: string, value: T): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}
