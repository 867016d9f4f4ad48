import type { Call } from '../../core/call.js';
import { behaviourOf, errors } from '../../core/errors.js';
import type { Clock } from '../../lib/clock.js';
import { monotonic } from '../../lib/clock.js';
import type { CallLog } from '../../guards/call-log.js';
import { asCommandOutput } from '../../wire/command-output.js';
import type { Log } from './log.js';
import type { EventBus } from '../events.js';

/** Fields of every line about a call; absent ones are undefined, which the log leaves out, since spreads cost more than the text. */
const lineOf = ({ tool, principal, via, peer, id, correlationId, trace }: Call) => {
  // The format of W3C Trace Context: version, trace id, span id, flags.
  const [, trace_id, span_id] = trace?.traceparent.split('-') ?? [];
  return { tool, principal: principal.id, via, peer, call: id, correlation_id: correlationId, trace_id, span_id };
};

/** Logs calls (start, end, failure, refusal, truncated result) and publishes them to event subscribers. */
export function callLines(log: Log, events: EventBus, clock: Clock = monotonic): CallLog {
  return {
    started(call) {
      // Checked before the fields are built: at a higher level a call costs nothing here.
      if (!log.writes('info')) return;
      const { target, dry_run: dryRun } = call.args;
      log.event('tool.start', {
        ...lineOf(call),
        // Bounded, because the caller chose the text.
        ...(typeof target === 'string' && { target: target.slice(0, 255) }),
        ...(dryRun === true && { dry_run: true }),
      });
    },
    ended(call, outcome, durationMs) {
      // Nothing is built without a subscriber.
      if (events.hasSubscribers()) {
        events.publish('call', {
          tool: call.tool,
          principal: call.principal.id,
          via: call.via,
          correlation_id: call.correlationId,
          outcome: outcome.kind,
          ...(outcome.kind === 'failed' && { code: outcome.error.code }),
          call: call.id,
          decision:
            outcome.kind === 'failed'
              ? errors[outcome.error.code].decision
              : outcome.kind === 'confirm'
                ? 'asked'
                : 'allowed',
          // Three decimals: microseconds are enough and keep the line short.
          duration_ms: Math.round((clock() - call.receivedAt) * 1000) / 1000,
          ...(call.session !== undefined && { session: call.session }),
          ...(call.profile !== undefined && { profile: call.profile }),
          ...(outcome.kind === 'failed' &&
            typeof outcome.error.data?.['rule'] === 'string' && { rule: outcome.error.data['rule'] }),
        });
      }
      const ids = lineOf(call);
      if (outcome.kind === 'confirm') return log.event('approval.asked', ids);
      const output = asCommandOutput(outcome.data);
      if (output !== undefined && (output.truncated_stdout || output.truncated_stderr)) {
        log.event('tool.result_truncated', {
          ...ids,
          original_size: output.metadata['original_size'] ?? null,
          truncated_size: Buffer.byteLength(output.stdout) + Buffer.byteLength(output.stderr),
        });
      }
      const cleaned = outcome.meta?.['toolgate/sanitized'];
      if (cleaned !== undefined) log.event('tool.output_cleaned', { ...ids, cleaned });
      const wasChecked = outcome.kind === 'done' || outcome.notStarted !== true;
      if (wasChecked && log.writes('debug')) log.event('validation.check_passed', { ...ids, check: 'arguments' });
      const facts = {
        ...(output && { returncode: output.returncode }),
        ...(typeof output?.metadata['command'] === 'string' && { command: output.metadata['command'] }),
        duration_ms: Math.round(durationMs * 1000) / 1000,
      };
      if (outcome.kind === 'done') {
        if (log.writes('info')) log.event('tool.end', { ...ids, ...facts });
        return undefined;
      }
      const { code, message } = outcome.error;
      // Failures of the tool or the gateway are errors; refusals are expected and are not.
      const failed =
        outcome.error.code === 'internal' || behaviourOf(outcome.error).tripsBreaker || code === 'execution_failed';
      return log.event(failed ? 'tool.error' : 'tool.refused', {
        ...ids,
        code,
        message,
        ...facts,
      });
    },
  };
}
