import { join } from 'node:path';
import type { JsonObject } from '../../core/json.js';
import { GENESIS, hasValidSeal, unseal } from './audit-entry.js';
import { fileName, fileNumbers, linesOf } from './audit-files.js';

const around = 5;

/** A record near another one, and whether its hash follows from its content and the record before it. */
interface CheckedRecord extends JsonObject {
  readonly seq: number;
  readonly hash: string;
  /** Null if the record before it is in an archived file. */
  readonly valid: boolean | null;
}

/**
 * Recomputes the hashes of the records around one. It shows that these records are unchanged relative to each other; only the
 * verification of the whole journal shows that the chain from its start is intact.
 */
export async function verifyAround(folder: string, seq: number): Promise<JsonObject> {
  const records: CheckedRecord[] = [];
  let previous: { readonly seq: number; readonly hash: string } | undefined;
  for (const number of fileNumbers(folder)) {
    for await (const lines of linesOf(join(folder, fileName(number)))) {
      for (const line of lines) {
        const entry = line.isComplete ? unseal(line.text) : undefined;
        if (entry === undefined) continue;
        if (entry.seq >= seq - around && entry.seq <= seq + around)
          records.push({
            seq: entry.seq,
            hash: entry.hash,
            valid: isNext(entry.seq, line.text, previous),
          });
        previous = { seq: entry.seq, hash: entry.hash };
      }
    }
    if (previous !== undefined && previous.seq > seq + around) break;
  }
  return { seq, intact: records.length > 0 && records.every(({ valid }) => valid !== false), records };
}

function isNext(
  seq: number,
  line: string,
  previous: { readonly seq: number; readonly hash: string } = { seq: 0, hash: GENESIS },
): boolean | null {
  if (previous.seq === 0 && seq > 1) return null;
  return seq === previous.seq + 1 && hasValidSeal(line, previous.hash);
}
