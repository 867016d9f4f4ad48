import { hash } from 'node:crypto';
import type { JsonObject } from '../core/json.js';
import type { AuditRecord } from '../guards/audit.js';

/** What the journal says about itself: a file begun, a torn tail cut, records lost, writing resumed after a failure. */
export interface AuditNote {
  readonly note: 'file' | 'torn' | 'lost' | 'resumed';
  readonly at: string;
  readonly detail: JsonObject;
}

/** One line of the journal as read back. */
export type AuditEntry = (AuditRecord | AuditNote) & { readonly seq: number; readonly hash: string };

/** The hash before the first record. */
export const GENESIS = '0'.repeat(64);

/** No line is longer; a record that would be loses its arguments and detail. */
export const MAX_LINE_BYTES = 65_536;

const SEAL_LENGTH = ',"hash":"'.length + 64 + '"}'.length;
const SEAL = /^,"hash":"([0-9a-f]{64})"\}$/;

/** A line of the journal without its line feed, and the hash that the next one builds on. */
export interface Sealed {
  readonly line: string;
  readonly hash: string;
}

/** Writes one record as a line whose hash covers its own bytes and the hash before it. */
export function seal(seq: number, record: AuditRecord | AuditNote, previous: string): Sealed {
  let body = `{"seq":${seq},${JSON.stringify(record).slice(1)}`;
  if (body.length + SEAL_LENGTH > MAX_LINE_BYTES / 3 && Buffer.byteLength(body) + SEAL_LENGTH > MAX_LINE_BYTES) {
    body = `{"seq":${seq},${JSON.stringify(shortened(record)).slice(1)}`;
  }
  const sum = hash('sha256', previous + body);
  return { line: `${body.slice(0, -1)},"hash":"${sum}"}`, hash: sum };
}

/** Whether the line's hash is right for its bytes and the hash before it. */
export function isSealedAfter(line: string, previous: string): boolean {
  const sum = SEAL.exec(line.slice(-SEAL_LENGTH))?.[1];
  return sum !== undefined && hash('sha256', `${previous}${line.slice(0, -SEAL_LENGTH)}}`) === sum;
}

/** Reads one line back; undefined where it is no line of a journal at all. */
export function unseal(line: string): AuditEntry | undefined {
  if (!SEAL.test(line.slice(-SEAL_LENGTH))) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    // Only this program writes lines that end in a seal; every field is treated as data from here on.
    return isEntry(value) ? (value as AuditEntry) : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, at, event, note } = value as Record<string, unknown>; // an object's fields may be looked at
  return Number.isSafeInteger(seq) && typeof at === 'string' && (typeof event === 'string' || typeof note === 'string');
}

/** The record without what callers can make long; what remains of it is bounded. */
function shortened(record: AuditRecord | AuditNote): AuditRecord | AuditNote {
  const cut = (text: string): string => text.slice(0, 1000);
  if ('note' in record) return { ...record, detail: {} };
  const { args: _args, detail: _detail, message, traceparent, ...rest } = record;
  return {
    ...rest,
    call: cut(rest.call),
    correlationId: cut(rest.correlationId),
    principal: cut(rest.principal),
    tool: cut(rest.tool),
    definition: cut(rest.definition),
    argsDigest: cut(rest.argsDigest),
    via: cut(rest.via),
    ...(traceparent !== undefined && { traceparent: cut(traceparent) }),
    ...(message !== undefined && { message: cut(message) }),
    detail: { omitted: 'too long for the journal' },
  };
}
