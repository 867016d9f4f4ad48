import type { Args, Call } from '../core/call.js';
import { definitionHash } from '../core/definition.js';
import type { ErrorCode } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Outcome } from '../core/outcome.js';
import { refuse } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import { canonicalJson } from '../lib/canonical-json.js';
import type { Clock } from '../lib/clock.js';
import { monotonic } from '../lib/clock.js';
import { sha256 } from '../lib/hash.js';

/** One line of the audit: who wanted what, what was decided, and how it ended. */
export interface AuditRecord {
  readonly event: 'begin' | 'end' | 'refused' | 'admin';
  readonly at: string;
  readonly call: string;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
  readonly principal: string;
  readonly via: string;
  readonly tool: string;
  readonly definition: string;
  readonly argsDigest: string;
  readonly args?: Json | undefined;
  readonly decision: 'allowed' | 'refused' | 'failed' | 'asked';
  readonly code?: ErrorCode | undefined;
  readonly message?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly detail?: JsonObject | undefined;
}

/** Where records go. */
export interface AuditLog {
  /** Why nothing can be recorded now, if so. */
  problem(): string | undefined;
  /** Settles when the record is in the hands of the operating system; rejects when it could not be written. */
  append(record: AuditRecord): Promise<void> | void;
}

export interface AuditOptions {
  readonly log: AuditLog;
  readonly onFailure?: 'refuse' | 'continue';
  /** Keeps arguments too, after this has taken the secrets out. */
  readonly redact?: (args: Args) => Json;
  readonly clock?: Clock;
}

const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_arguments',
  'not_found',
  'forbidden',
  'policy_denied',
  'confirmation_required',
  'declined',
  'invalid_confirmation',
  'rate_limited',
  'busy',
  'circuit_open',
  'command_missing',
  'sandbox_unavailable',
  'audit_unavailable',
  'shutting_down',
]);

/** Records every call and every refusal; what cannot be recorded does not happen. */
export function audit(options: AuditOptions): Guard {
  const { log, onFailure = 'refuse', clock = monotonic } = options;
  const unrecorded = (): Outcome => refuse('audit_unavailable', 'The audit cannot be written, so calls are refused');

  return (tool, next) => {
    // A call that changes something is written down before it runs: afterwards would be too late to refuse it.
    const ahead = tool.effects.writes || tool.effects.destroys;

    return async (call) => {
      const facts = factsOf(tool, call, options);
      // After a failed write, too: that write is what finds out that the disk is back.
      if (ahead || (onFailure === 'refuse' && log.problem() !== undefined)) {
        try {
          await log.append(record(facts, begun));
        } catch {
          if (onFailure === 'refuse') return unrecorded();
        }
      }
      const outcome = await next(call);
      try {
        const written = log.append(record(facts, conclusion(outcome), clock() - call.receivedAt));
        if (written !== undefined) await written;
      } catch {
        if (onFailure === 'refuse') return unrecorded();
      }
      return outcome;
    };
  };
}

type Conclusion = Pick<AuditRecord, 'event' | 'decision' | 'code' | 'message' | 'detail'>;

const begun: Conclusion = { event: 'begin', decision: 'allowed' };
const finished: Conclusion = { event: 'end', decision: 'allowed' };
const asked: Conclusion = { event: 'end', decision: 'asked' };

function conclusion(outcome: Outcome): Conclusion {
  if (outcome.kind === 'done') return finished;
  if (outcome.kind === 'confirm') return asked;
  const { code, message, data } = outcome.error;
  const refused = refusals.has(code);
  const { rule, ticket, why } = data ?? {};
  return {
    event: refused ? 'refused' : 'end',
    decision: refused ? 'refused' : 'failed',
    code,
    message: message.slice(0, 500),
    detail: (rule ?? ticket ?? why) === undefined ? undefined : { rule, ticket, why },
  };
}

type Facts = Omit<AuditRecord, keyof Conclusion | 'at' | 'durationMs'>;

/** What is so from the beginning of a call to its end: the arguments do not change behind this guard's back. */
const factsOf = (tool: Tool, call: Call, { redact }: AuditOptions): Facts => ({
  call: call.id,
  correlationId: call.correlationId,
  traceparent: call.trace?.traceparent,
  principal: call.principal.id,
  via: call.via,
  tool: call.tool,
  definition: definitionHash(tool),
  argsDigest: sha256(canonicalJson(call.args)),
  args: redact?.(call.args),
});

// Every field is named, present or not: spreads would cost more than the hash, and undefined is not written.
const record = (
  facts: Facts,
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
  tool: facts.tool,
  definition: facts.definition,
  argsDigest: facts.argsDigest,
  args: facts.args,
  decision,
  code,
  message,
  durationMs: durationMs === undefined ? undefined : Math.round(durationMs * 1000) / 1000,
  detail,
});

let stampedAt = 0;
let stamp = '';

/** The time as ISO text; calls of one millisecond share it. */
function timestamp(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = new Date(now).toISOString();
  }
  return stamp;
}
