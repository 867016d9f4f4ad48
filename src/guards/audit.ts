import type { Args, Call } from '../core/call.js';
import { definitionHash } from '../core/definition.js';
import type { ErrorCode } from '../core/errors.js';
import { errors } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Outcome } from '../core/outcome.js';
import { refuse } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import { canonicalJson } from '../lib/json/canonical-json.js';
import type { Clock } from '../lib/clock.js';
import { monotonic } from '../lib/clock.js';
import { sha256, sha256InPool } from '../lib/hash.js';
import { guardSpec } from './guard-spec.js';

/** One line of the audit journal: principal, tool, decision and outcome. */
export interface AuditRecord {
  readonly event: 'begin' | 'end' | 'refused' | 'admin';
  readonly at: string;
  readonly call: string;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
  readonly principal: string;
  readonly via: string;
  /** Address of the client, if it came over a network. */
  readonly peer?: string | undefined;
  readonly tool: string;
  /** Name under which the source lists the tool, if the operator gave it another. */
  readonly listedAs?: string | undefined;
  readonly definition: string;
  readonly argsDigest: string;
  readonly args?: Json | undefined;
  readonly decision: 'allowed' | 'refused' | 'failed' | 'asked';
  readonly code?: ErrorCode | undefined;
  readonly message?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly detail?: JsonObject | undefined;
}

/** Destination of audit records. */
export interface AuditLog {
  /** Why records cannot be written at the moment, if so. */
  problem(): string | undefined;
  /** Resolves when the operating system has the record; rejects if it could not be written. */
  append(record: AuditRecord): Promise<void> | void;
}

interface AuditOptions {
  readonly log: AuditLog;
  readonly onFailure?: 'refuse' | 'continue';
  /** Records arguments too, after this function has redacted secrets. */
  readonly redact?: (args: Args) => Json;
  /** Log of bugs in the guards around `contain`. */
  readonly faults?: { fault(error: unknown, call: Call): void };
  readonly clock?: Clock;
}

/** Records every call and every refusal; fails closed: a call that cannot be recorded is refused. */
export function audit(options: AuditOptions): Guard {
  const { log, onFailure = 'refuse', clock = monotonic } = options;
  const auditUnavailable = (): Outcome =>
    refuse('audit_unavailable', 'The audit journal cannot be written, so calls are refused');

  return (tool, next) => {
    // A call with side effects is recorded before it runs: afterwards it would be too late to refuse it.
    const recordsAhead = tool.effects.writes || tool.effects.destroys;

    // The outermost guard: an exception that passed it would be an answer without a record.
    const contained = async (call: Call): Promise<Outcome> => {
      try {
        return await next(call);
      } catch (error) {
        options.faults?.fault(error, call);
        return refuse('internal', `Internal error; see the gateway log under ${call.correlationId}`);
      }
    };

    return async (call) => {
      const facts = toFacts(tool, call, options);
      // Of large arguments a promise; the call runs meanwhile, unless its record must come first.
      const digest = digestOf(call.args);
      // Also tried after a failed write: this detects that the disk is available again.
      if (recordsAhead || (onFailure === 'refuse' && log.problem() !== undefined)) {
        try {
          await log.append(toAuditRecord(facts, typeof digest === 'string' ? digest : await digest, beginEntry));
        } catch {
          if (onFailure === 'refuse') return auditUnavailable();
        }
      }
      const outcome = await contained(call);
      try {
        const argsDigest = typeof digest === 'string' ? digest : await digest;
        const written = log.append(toAuditRecord(facts, argsDigest, toConclusion(outcome), clock() - call.receivedAt));
        if (written !== undefined) await written;
      } catch {
        if (onFailure === 'refuse') return auditUnavailable();
      }
      return outcome;
    };
  };
}

type Conclusion = Pick<AuditRecord, 'event' | 'decision' | 'code' | 'message' | 'detail'>;

const beginEntry: Conclusion = { event: 'begin', decision: 'allowed' };
const endEntry: Conclusion = { event: 'end', decision: 'allowed' };
const askedEntry: Conclusion = { event: 'end', decision: 'asked' };

function toConclusion(outcome: Outcome): Conclusion {
  if (outcome.kind === 'done') return endEntry;
  if (outcome.kind === 'confirm') return askedEntry;
  const { code, message, decision: reason } = outcome.error;
  const { decision } = errors[code];
  return {
    event: decision === 'refused' ? 'refused' : 'end',
    decision,
    code,
    message: message.slice(0, 500),
    detail: reason && { ...reason },
  };
}

type Facts = Omit<AuditRecord, keyof Conclusion | 'at' | 'durationMs' | 'argsDigest'>;

/** Facts that stay constant for a call: inner guards copy the call instead of changing its arguments. */
const toFacts = (tool: Tool, call: Call, { redact }: AuditOptions): Facts => ({
  call: call.id,
  correlationId: call.correlationId,
  traceparent: call.trace?.traceparent,
  principal: call.principal.id,
  via: call.via,
  peer: call.peer,
  tool: call.tool,
  listedAs: tool.listed?.name === tool.name ? undefined : tool.listed?.name,
  definition: attempt(() => definitionHash(tool)) ?? unreadable,
  args: attempt(() => redact?.(call.args)),
});

/** Longer arguments are hashed outside of the event loop. */
const LARGE_CHARS = 16_384;

/** Hash of the arguments as they are now; it never rejects. */
function digestOf(args: Args): string | Promise<string> {
  const text = attempt(() => canonicalJson(args));
  if (text === undefined) return unreadable;
  return text.length > LARGE_CHARS ? sha256InPool(text).catch(() => unreadable) : sha256(text);
}

/** In place of the hash of something that has no canonical form, such as an argument that refers to itself. */
const unreadable = 'unreadable';

/** A fact that cannot be established is missing; it must not cost the record. */
function attempt<T>(establish: () => T): T | undefined {
  try {
    return establish();
  } catch {
    return undefined;
  }
}

// Every field is listed, present or not: spreads would cost more than the hash, and undefined is not serialised.
const toAuditRecord = (
  facts: Facts,
  argsDigest: string,
  { event, decision, code, message, detail }: Conclusion,
  durationMs?: number,
): AuditRecord => ({
  event,
  at: timestamp(),
  call: facts.call,
  correlationId: facts.correlationId,
  traceparent: facts.traceparent,
  principal: facts.principal,
  via: facts.via,
  peer: facts.peer,
  tool: facts.tool,
  listedAs: facts.listedAs,
  definition: facts.definition,
  argsDigest,
  args: facts.args,
  decision,
  code,
  message,
  durationMs: durationMs === undefined ? undefined : Math.round(durationMs * 1000) / 1000,
  detail,
});

let stampedAt = 0;
let stamp = '';

/** Current time as ISO text, cached per millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = new Date(now).toISOString();
  }
  return stamp;
}

/** Parts of the audit guard; without a journal there is no audit. */
export interface AuditParts {
  readonly journal?: AuditLog;
  readonly faults?: NonNullable<AuditOptions['faults']>;
  /** Redacts secrets in arguments that are kept. */
  readonly secrets?: { value(value: unknown): unknown };
  readonly config?: {
    readonly audit: { readonly on_failure: 'refuse' | 'continue'; readonly keep_arguments: boolean };
  };
}

export const auditSpec = guardSpec({
  name: 'audit',
  does: 'records every call and every refusal',
  answers: 'audit_unavailable',
  make: ({ journal, faults, secrets, config }: AuditParts) =>
    journal &&
    audit({
      log: journal,
      ...(faults && { faults }),
      ...(config && { onFailure: config.audit.on_failure }),
      // Redaction keeps JSON to be JSON.
      ...(secrets && config?.audit.keep_arguments && { redact: (args) => secrets.value(args) as Json }),
    }),
});
