import { hash } from 'node:crypto';
import type { JsonObject } from '../../core/json.js';
import type { AuditRecord } from '../../guards/audit.js';

/** Entry about the journal itself: new file, torn tail cut off, records lost, writing resumed after a failure. */
export interface AuditNote {
  readonly note: 'file' | 'torn' | 'lost' | 'resumed';
  readonly at: string;
  readonly detail: JsonObject;
}

/** A parsed line of the journal. */
export type AuditEntry = (AuditRecord | AuditNote) & { readonly seq: number; readonly hash: string };

/** Previous hash of the first record. */
export const GENESIS = '0'.repeat(64);

/** Maximum line length; longer records lose their arguments and detail. */
export const MAX_LINE_BYTES = 65_536;

const SEAL_LENGTH = ',"hash":"'.length + 64 + '"}'.length;
const SEAL = /^,"hash":"([0-9a-f]{64})"\}$/;

/** A line without its line feed, and its hash, which the next line includes. */
interface SealedLine {
  readonly line: string;
  readonly hash: string;
}

/** Serialises a record as a line whose hash covers its bytes and the previous hash (hash chain). */
export function seal(seq: number, record: AuditRecord | AuditNote, previous: string): SealedLine {
  let body = 'note' in record ? `{"seq":${seq},${JSON.stringify(record).slice(1)}` : recordText(seq, record);
  if (body.length + SEAL_LENGTH > MAX_LINE_BYTES / 3 && Buffer.byteLength(body) + SEAL_LENGTH > MAX_LINE_BYTES) {
    body = `{"seq":${seq},${JSON.stringify(abbreviateRecord(record)).slice(1)}`;
  }
  const sum = hash('sha256', previous + body);
  return { line: `${body.slice(0, -1)},"hash":"${sum}"}`, hash: sum };
}

/** Text that is its own JSON. */
const PLAIN = /^[\w .:,;@+*()[\]{}=<>!?/#&|'-]*$/;
const quote = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
const field = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `,"${name}":${quote(value)}`;
const json = (name: string, value: unknown): string => {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : JSON.stringify(value);
  return text === undefined ? '' : `,"${name}":${text}`;
};

/** The same bytes as JSON.stringify, field by field: its general walk costs more than the hash. */
const recordText = (seq: number, record: AuditRecord): string => {
  const call = quote(record.call);
  // A caller rarely sends a correlation id; then it is that of the call.
  const correlationId = record.correlationId === record.call ? call : quote(record.correlationId);
  return `{"seq":${seq},"event":"${record.event}","at":${quote(record.at)},"call":${call},"correlationId":${correlationId}${field('traceparent', record.traceparent)},"principal":${quote(record.principal)},"via":${quote(record.via)}${field('peer', record.peer)},"tool":${quote(record.tool)}${field('listedAs', record.listedAs)},"definition":${quote(record.definition)},"argsDigest":${quote(record.argsDigest)}${record.args === undefined ? '' : json('args', record.args)},"decision":"${record.decision}"${field('code', record.code)}${field('message', record.message)}${record.durationMs === undefined ? '' : json('durationMs', record.durationMs)}${record.detail === undefined ? '' : json('detail', record.detail)}}`;
};

/** Whether the hash of a line matches its bytes and the previous hash. */
export function hasValidSeal(line: string, previous: string): boolean {
  const sum = SEAL.exec(line.slice(-SEAL_LENGTH))?.[1];
  return sum !== undefined && hash('sha256', `${previous}${line.slice(0, -SEAL_LENGTH)}}`) === sum;
}

/** Parses a line; undefined if it is not a journal line. */
export function unseal(line: string): AuditEntry | undefined {
  if (!SEAL.test(line.slice(-SEAL_LENGTH))) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    // Only this program writes lines that end in a hash; readers treat every field as untrusted data.
    return isEntry(value) ? (value as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, at, event, note } = value as Record<string, unknown>; // narrowed field by field below
  return Number.isSafeInteger(seq) && typeof at === 'string' && (typeof event === 'string' || typeof note === 'string');
}

/** Drops or truncates the fields that callers control, so that the record has a bounded size. */
function abbreviateRecord(record: AuditRecord | AuditNote): AuditRecord | AuditNote {
  const truncate = (text: string): string => text.slice(0, 1000);
  if ('note' in record) return { ...record, detail: {} };
  const { args: _args, detail: _detail, message, traceparent, ...rest } = record;
  return {
    ...rest,
    call: truncate(rest.call),
    correlationId: truncate(rest.correlationId),
    principal: truncate(rest.principal),
    tool: truncate(rest.tool),
    definition: truncate(rest.definition),
    argsDigest: truncate(rest.argsDigest),
    via: truncate(rest.via),
    ...(traceparent !== undefined && { traceparent: truncate(traceparent) }),
    ...(message !== undefined && { message: truncate(message) }),
    detail: { omitted: 'too long for the journal' },
  };
}
