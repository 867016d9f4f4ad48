import type { JsonObject } from '../core/json.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';

/** `pin` offers what is seen first and withholds what changes, `strict` offers only what was approved, `open` everything. */
export type Admission = 'strict' | 'pin' | 'open';

/** One thing a source offers, by kind and name, with its whole definition. */
export interface Pinnable {
  readonly kind: string;
  readonly name: string;
  readonly definition: JsonObject;
}

/** A definition as it was when somebody, or the first sight, let it in. */
export interface Pin {
  readonly hash: string;
  readonly definition: JsonObject;
  readonly at: string;
  readonly by: 'first sight' | 'approval';
}

/** A definition that waits for approval. */
export interface Pending {
  readonly hash: string;
  readonly definition: JsonObject;
  readonly since: string;
  readonly why: string;
}

/** Everything known about the definitions of one source; it stays when the source is removed. */
export interface PinBook {
  readonly source: string;
  /** What the source really is (a package, a command, a URL): a renamed source is known by it. */
  readonly identity: string;
  readonly server?: { readonly name: string; readonly version: string };
  /** When somebody asked for the source to be listed again. */
  readonly askedAt?: string;
  readonly pins: Readonly<Record<string, Pin>>;
  readonly pending: Readonly<Record<string, Pending>>;
}

export interface Judged<T> {
  readonly book: PinBook;
  /** What is not offered, and why. */
  readonly withheld: ReadonlyMap<T, string>;
  /** What is so for the first time: a change, a new item, a removal. */
  readonly news: readonly string[];
}

export const emptyBook = (source: string, identity: string): PinBook => ({ source, identity, pins: {}, pending: {} });

/** The kind under which a tool that imitates another waits for approval. */
export const lookAlikeKind = 'look-alike';

/** The kind under which a tool waits that runs but that nothing in the code of its server registers. */
export const unsourcedKind = 'not-in-source';

/** Under which what was found in a server's code waits for approval. */
export const screeningKey = 'source scan';

/** Kinds that are judged elsewhere and wait beside what is judged by definition. */
const judgedElsewhere = [lookAlikeKind, unsourcedKind, screeningKey.split(' ')[0]];

export const pinKey = ({ kind, name }: Pick<Pinnable, 'kind' | 'name'>): string => `${kind} ${name}`;

export const pinHash = (definition: JsonObject): string => sha256(canonicalJson(definition));

/** Holds what a source offers now against what it offered before; `suspicion` says what is wrong with an item on its own. */
export function judgePins<T extends Pinnable>(
  book: PinBook,
  items: readonly T[],
  admission: Admission,
  suspicion: (item: T) => string | undefined,
  now: string,
): Judged<T> {
  const pins: Record<string, Pin> = { ...book.pins };
  const pending: Record<string, Pending> = Object.fromEntries(
    Object.entries(book.pending).filter(([key]) => judgedElsewhere.includes(key.slice(0, key.indexOf(' ')))),
  );
  const withheld = new Map<T, string>();
  const news: string[] = [];
  for (const item of items) {
    const key = pinKey(item);
    const hash = pinHash(item.definition);
    const known = Object.hasOwn(book.pins, key) ? book.pins[key] : undefined;
    if (known?.hash === hash) continue;
    const why = known ? 'its definition changed' : admission === 'strict' ? 'it was not approved yet' : suspicion(item);
    if (admission === 'open' || why === undefined) {
      define(pins, key, { hash, definition: item.definition, at: now, by: 'first sight' });
      if (known || Object.keys(book.pins).length > 0) news.push(`${key} ${known ? 'changed' : 'is new'}`);
      continue;
    }
    withheld.set(item, `${why}; see toolgate pins diff ${book.source}`);
    const before = Object.hasOwn(book.pending, key) ? book.pending[key] : undefined;
    define(pending, key, { hash, definition: item.definition, since: before?.hash === hash ? before.since : now, why });
    if (before?.hash !== hash) news.push(`${key}: ${why}`);
  }
  return { book: { ...book, pins, pending }, withheld, news };
}

/** What waits for approval under these names, with or without their kind; all of it where none is named. */
export const waitingKeys = ({ pending }: PinBook, names: readonly string[]): readonly string[] =>
  Object.keys(pending).filter(
    (key) => names.length === 0 || names.includes(key) || names.includes(key.slice(key.indexOf(' ') + 1)),
  );

/** A short word for exactly what waits under these keys: a server may change it between the look and the approval. */
export const seenWord = ({ pending }: PinBook, keys: readonly string[]): string =>
  sha256(canonicalJson(keys.toSorted().map((key) => [key, pending[key]?.hash ?? '']))).slice(0, 16);

/** The book with these waiting definitions let in, all of them where none is named; and which those were. */
export function approvePins(
  book: PinBook,
  keys: readonly string[],
  now: string,
): { readonly book: PinBook; readonly approved: readonly string[] } {
  const approved = waitingKeys(book, keys);
  const pins: Record<string, Pin> = { ...book.pins };
  const pending: Record<string, Pending> = { ...book.pending };
  for (const key of approved) {
    const waiting = book.pending[key];
    if (!waiting) continue;
    define(pins, key, { hash: waiting.hash, definition: waiting.definition, at: now, by: 'approval' });
    delete pending[key];
  }
  return { book: { ...book, pins, pending }, approved };
}

/** A name may be `__proto__`; assigned, it would be lost instead of being kept. */
function define<T>(record: Record<string, T>, key: string, value: T): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}
