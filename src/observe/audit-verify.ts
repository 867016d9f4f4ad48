import { join } from 'node:path';
import { GENESIS, isSealedAfter, unseal, type AuditEntry } from './audit-entry.js';
import { fileName, fileNumbers, linesOf, readHead, type Line } from './audit-files.js';

/** One thing wrong with a journal and where it stands. */
export interface Finding {
  readonly kind: 'changed' | 'missing' | 'reordered' | 'truncated' | 'torn' | 'unreadable' | 'lost' | 'head' | 'absent';
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly seq?: number;
}

/** What a check of the whole journal found; it is intact when there are no findings. */
export interface Verified {
  readonly intact: boolean;
  readonly records: number;
  readonly files: number;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly findings: readonly Finding[];
}

export interface VerifyOptions {
  /** Accepts that the oldest files were moved to an archive. */
  readonly archived?: boolean;
  /** A hash noted earlier, as `head()` gave it; it must be one of the journal's. */
  readonly contains?: string;
  readonly maxFindings?: number;
}

/** Reads every line of a journal and says what was changed, removed, reordered or cut off, and where. */
export async function verify(folder: string, options: VerifyOptions = {}): Promise<Verified> {
  const { archived = false, contains, maxFindings = 100 } = options;
  // The head is read before the files: a gateway that writes meanwhile can only be ahead of it.
  const anchor = readHead(folder);
  const numbers = fileNumbers(folder);
  const findings: Finding[] = [];
  const find = (finding: Finding): void => void (findings.length < maxFindings && findings.push(finding));
  let last = { seq: 0, hash: GENESIS };
  let records = 0;
  let first = true;
  let seenAnchor = anchor === undefined || anchor.seq === 0;
  let seenContained = contains === undefined || contains === GENESIS;

  const judge = (line: Line, entry: AuditEntry, file: string): void => {
    const at = { file, line: line.number, seq: entry.seq };
    const previous =
      first && archived && isFileNote(entry) ? { seq: entry.seq - 1, hash: String(entry.detail['after']) } : last;
    if (entry.seq > previous.seq + 1) {
      find({
        kind: 'missing',
        message: `records ${previous.seq + 1} to ${entry.seq - 1} are missing before record ${entry.seq}`,
        ...at,
      });
    } else if (entry.seq <= previous.seq) {
      find({ kind: 'reordered', message: `record ${entry.seq} stands after record ${previous.seq}`, ...at });
    } else if (!isSealedAfter(line.text, previous.hash)) {
      find({
        kind: 'changed',
        message: `record ${entry.seq} does not match its hash: it or the record before it was changed`,
        ...at,
      });
    }
    if ('note' in entry && entry.note === 'lost') {
      find({ kind: 'lost', message: `a gateway found at ${entry.at} that ${String(entry.detail['why'])}`, ...at });
    }
    if (entry.seq === anchor?.seq) {
      seenAnchor = true;
      if (entry.hash !== anchor.hash)
        find({ kind: 'changed', message: `record ${entry.seq} is not the one the head file names`, ...at });
    }
    if (entry.hash === contains) seenContained = true;
    first = false;
    records++;
    last = { seq: entry.seq, hash: entry.hash };
  };

  for (const [index, number] of numbers.entries()) {
    const file = fileName(number);
    const before = numbers[index - 1];
    if (before !== undefined && number !== before + 1)
      find({ kind: 'missing', message: `the file before ${file} is missing`, file });
    for await (const lines of linesOf(join(folder, file))) {
      for (const line of lines) {
        const entry = line.whole ? unseal(line.text) : undefined;
        if (entry) judge(line, entry, file);
        else if (!line.whole)
          find({
            kind: 'torn',
            message: `${file} ends in the middle of a record; the next start mends it`,
            file,
            line: line.number,
          });
        else
          find({
            kind: 'unreadable',
            message: `line ${line.number} of ${file} is not a record`,
            file,
            line: line.number,
          });
      }
    }
  }
  if (!anchor && records > 0)
    find({
      kind: 'head',
      message: 'the head file is missing or unreadable, so records cut off at the end would not be missed',
    });
  if (anchor && !seenAnchor)
    find({
      kind: 'truncated',
      message: `the journal ends at record ${last.seq}, but its head file names record ${anchor.seq}`,
      seq: last.seq,
    });
  if (!seenContained) findings.push({ kind: 'absent', message: 'no record has the hash that was asked for' });
  return { intact: findings.length === 0, records, files: numbers.length, head: last, findings };
}

const isFileNote = (entry: AuditEntry): entry is Extract<AuditEntry, { note: string }> =>
  'note' in entry && entry.note === 'file';
