import type { Call } from '../core/call.js';
import { behaviourOf } from '../core/errors.js';
import type { CallLog } from '../guards/call-log.js';
import { asCommandOutput } from '../wire/command-output.js';
import type { Log } from './log.js';
import { idsOf } from './log.js';
import type { EventBus } from './events.js';

/** Fields of every line about a call. */
const lineOf = (call: Call) => ({
  tool: call.tool,
  principal: call.principal.id,
  via: call.via,
  ...(call.peer !== undefined && { peer: call.peer }),
  ...idsOf(call),
});

/** Logs calls (start, end, failure, refusal, truncated result) and publishes them to event subscribers. */
export function callLines(log: Log, events: EventBus): CallLog {
  return {
    started(call) {
      if (log.writes('info')) log.event('tool.start', lineOf(call));
    },
    ended(call, outcome) {
      if (events.hasSubscribers()) {
        events.publish('call', {
          tool: call.tool,
          principal: call.principal.id,
          via: call.via,
          correlation_id: call.correlationId,
          outcome: outcome.kind,
          ...(outcome.kind === 'failed' && { code: outcome.error.code }),
        });
      }
      const ids = lineOf(call);
      if (outcome.kind === 'confirm') return log.event('approval.asked', ids);
      const output = asCommandOutput(outcome.data);
      if (output !== undefined && (output.truncated_stdout || output.truncated_stderr)) {
        log.event('tool.result_truncated', {
          ...ids,
          original_size: output.metadata['original_size'] ?? null,
          truncated_size: output.stdout.length + output.stderr.length,
        });
      }
      if (outcome.kind === 'done') {
        if (log.writes('info')) log.event('tool.end', { ...ids, ...(output && { returncode: output.returncode }) });
        return undefined;
      }
      const { code, message } = outcome.error;
      const failed =
        outcome.error.code === 'internal' || behaviourOf(outcome.error).tripsBreaker || code === 'execution_failed';
      return log.event(failed ? 'tool.error' : 'tool.refused', {
        ...ids,
        code,
        message,
        ...(output && { returncode: output.returncode }),
      });
    },
  };
}
