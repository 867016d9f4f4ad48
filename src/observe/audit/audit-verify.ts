import { join } from 'node:path';
import { GENESIS, hasValidSeal, unseal, type AuditEntry } from './audit-entry.js';
import { fileName, fileNumbers, linesOf, readHead, type JournalLine } from './audit-files.js';

/** A defect of a journal and its position. */
export interface JournalFinding {
  readonly kind: 'changed' | 'missing' | 'reordered' | 'truncated' | 'torn' | 'unreadable' | 'lost' | 'head' | 'absent';
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly seq?: number;
}

/** Result of verifying a journal; it is intact if there are no findings. */
export interface JournalVerification {
  readonly intact: boolean;
  readonly records: number;
  readonly files: number;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly findings: readonly JournalFinding[];
}

/** How strictly a journal is verified. */
export interface VerifyOptions {
  /** Accepts that the oldest files were moved to an archive. */
  readonly archived?: boolean;
  /** A hash noted earlier from `head()`, which the journal must contain. */
  readonly contains?: string;
  readonly maxFindings?: number;
}

/** Verifies the hash chain of a journal; reports changed, removed, reordered and truncated records (tampering). */
export async function verifyJournal(folder: string, options: VerifyOptions = {}): Promise<JournalVerification> {
  const { archived = false, contains, maxFindings = 100 } = options;
  // Reads the head before the files: a gateway that is writing can only be ahead of it.
  const anchor = readHead(folder);
  const numbers = fileNumbers(folder);
  const findings: JournalFinding[] = [];
  // Bounded: a single change in the middle must not make a million findings.
  const report = (finding: JournalFinding): void => void (findings.length < maxFindings && findings.push(finding));
  let last = { seq: 0, hash: GENESIS };
  let records = 0;
  let first = true;
  let seenAnchor = anchor === undefined || anchor.seq === 0;
  let seenContained = contains === undefined || contains === GENESIS;

  const checkEntry = (line: JournalLine, entry: AuditEntry, file: string): void => {
    const at = { file, line: line.number, seq: entry.seq };
    const previous =
      // The first file may have been archived: its note states where the chain continues.
      first && archived && isFileNote(entry) ? { seq: entry.seq - 1, hash: String(entry.detail['after']) } : last;
    if (entry.seq > previous.seq + 1) {
      report({
        kind: 'missing',
        message: `records ${previous.seq + 1} to ${entry.seq - 1} are missing before record ${entry.seq}`,
        ...at,
      });
    } else if (entry.seq <= previous.seq) {
      report({ kind: 'reordered', message: `record ${entry.seq} follows record ${previous.seq}`, ...at });
    } else if (!hasValidSeal(line.text, previous.hash)) {
      // The hash covers the previous one, so that a change shows at the record itself or at the next.
      report({
        kind: 'changed',
        message: `record ${entry.seq} does not match its hash: it or the record before it was changed`,
        ...at,
      });
    }
    if ('note' in entry && entry.note === 'lost') {
      report({
        kind: 'lost',
        message: `records were lost, as noted at ${entry.at}: ${String(entry.detail['why'])}`,
        ...at,
      });
    }
    if (entry.seq === anchor?.seq) {
      seenAnchor = true;
      if (entry.hash !== anchor.hash)
        report({ kind: 'changed', message: `record ${entry.seq} does not match the head file`, ...at });
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
      report({ kind: 'missing', message: `the file before ${file} is missing`, file });
    for await (const lines of linesOf(join(folder, file))) {
      for (const line of lines) {
        const entry = line.isComplete ? unseal(line.text) : undefined;
        if (entry) checkEntry(line, entry, file);
        else if (!line.isComplete)
          report({
            kind: 'torn',
            message: `${file} ends in the middle of a record; the next start repairs it`,
            file,
            line: line.number,
          });
        else
          report({
            kind: 'unreadable',
            message: `line ${line.number} of ${file} is not a record`,
            file,
            line: line.number,
          });
      }
    }
  }
  if (!anchor && records > 0)
    report({
      kind: 'head',
      message: 'the head file is missing or unreadable, so truncation cannot be detected',
    });
  if (anchor && !seenAnchor)
    report({
      kind: 'truncated',
      message: `the journal ends at record ${last.seq}, but its head file refers to record ${anchor.seq}`,
      seq: last.seq,
    });
  // Outside of the bound: the answer to the question must not be dropped.
  if (!seenContained) findings.push({ kind: 'absent', message: 'no record has the given hash' });
  return { intact: findings.length === 0, records, files: numbers.length, head: last, findings };
}

/** Whether an entry is the note at the beginning of a file. */
const isFileNote = (entry: AuditEntry): entry is Extract<AuditEntry, { note: string }> =>
  'note' in entry && entry.note === 'file';
