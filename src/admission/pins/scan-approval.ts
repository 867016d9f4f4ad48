import type { JsonObject } from '../../core/json.js';
import type { SourceDecision } from '../decision.js';
import type { PinStore } from './pin-files.js';
import { PinsUnavailable } from './pins-unavailable.js';
import type { PinBook } from './pins.js';
import { pinHash, sourceScanKey } from './pins.js';

/** Reasons that an operator has accepted, by fingerprint. */
export function acceptedReasons({ pins }: PinBook): Readonly<Record<string, string>> {
  // Own properties only: the book is a file, and `__proto__` in it must find nothing.
  const reasons = Object.hasOwn(pins, sourceScanKey) ? pins[sourceScanKey]?.definition['reasons'] : undefined;
  return typeof reasons === 'object' && reasons !== null && !Array.isArray(reasons)
    ? Object.fromEntries(Object.entries(reasons).map(([mark, why]) => [mark, String(why)]))
    : {};
}

/** Updates the pending findings of a source; accepted reasons are included, so that one approval covers all of them. */
export async function updatePending(
  files: Pick<PinStore, 'update'>,
  book: PinBook,
  { decision, reasons }: SourceDecision,
  about: { readonly code: string; readonly since: string },
): Promise<void> {
  const { [sourceScanKey]: before } = book.pending;
  // The reasons are gone, so the request for approval is withdrawn.
  if (decision !== 'quarantine') {
    if (before) await changePending(files, book, (pending) => pending);
    return;
  }
  const definition: JsonObject = {
    code: about.code,
    reasons: { ...acceptedReasons(book), ...Object.fromEntries(reasons.map(({ mark, why }) => [mark, why])) },
  };
  const hash = pinHash(definition);
  // Unchanged: the fingerprint that an operator has been shown stays valid.
  if (before?.hash === hash) return;
  const why = `its code needs review: ${reasons[0]?.why ?? ''}`;
  await changePending(files, book, (pending) => ({
    ...pending,
    [sourceScanKey]: { hash, definition, since: about.since, why },
  }));
}

/** Changes what is pending in the stored book; the decision holds even if it cannot be stored now. */
async function changePending(
  files: Pick<PinStore, 'update'>,
  book: PinBook,
  change: (pending: PinBook['pending']) => PinBook['pending'],
): Promise<void> {
  try {
    await files.update(book.source, (latest = book) => {
      const { [sourceScanKey]: _, ...others } = latest.pending;
      return { ...latest, pending: change(others) };
    });
  } catch (error) {
    // A shared store that is down must not admit the source; the decision was already made.
    if (!(error instanceof PinsUnavailable)) throw error;
  }
}
