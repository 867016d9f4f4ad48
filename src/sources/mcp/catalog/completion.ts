import type { Call } from '../../../core/call.js';
import type { JsonObject } from '../../../core/json.js';
import type { Completion } from '../../../core/prompt.js';
import { isJsonObject } from '../../../wire/message.js';
import { leaseResult } from '../relay/outcomes.js';
import type { SessionPool } from '../sessions/session-pool.js';
import type { ItemContext } from './relayed-items.js';

/** What completion by the server needs. */
interface CompletionOptions {
  readonly pool: Pick<SessionPool, 'lease'>;
  readonly ownerOf: (call: Call) => string;
  readonly timeoutMs: number;
  /** Capabilities of the server at the last connect; undefined before the first one. */
  readonly capabilities: () => JsonObject | undefined;
}

/** Bounds of an answer: values go to the client unread. */
const maxValues = 100;
const maxValueLength = 1_000;
const supportsCompletion = (capabilities: JsonObject): boolean => isJsonObject(capabilities['completions']);

/** Completion by the server, in the caller's session: suggestions may contain data that only this principal may see. */
export function relayedCompletion(options: CompletionOptions): ItemContext['complete'] {
  const { pool, ownerOf, timeoutMs, capabilities } = options;
  return async (ref, argument, value, context, call) => {
    const known = capabilities();
    // Servers without the capability are not asked, and no connection is opened.
    if (known && !supportsCompletion(known)) return { values: [] };
    const lease = await pool.lease(ownerOf(call), call.signal);
    if (!('session' in lease)) return { values: [] };
    const reply = supportsCompletion(lease.session.peer.capabilities)
      ? await lease.session.request(
          'completion/complete',
          { ref, argument: { name: argument, value }, context: { arguments: context } },
          { timeoutMs, signal: call.signal },
        )
      : undefined;
    // A server that does not support it is not unhealthy.
    lease.release(reply ? leaseResult(reply, call) : 'neutral', reply);
    return toCompletion(reply && 'result' in reply ? reply.result : {});
  };
}

/** Parses a completion of an untrusted server; bounded in number and length. */
export function toCompletion({ completion }: JsonObject): Completion {
  if (!isJsonObject(completion) || !Array.isArray(completion['values'])) return { values: [] };
  const { values, total, hasMore } = completion;
  return {
    values: values
      .filter((value): value is string => typeof value === 'string')
      .slice(0, maxValues)
      .map((value) => value.slice(0, maxValueLength)),
    ...(typeof total === 'number' && { total }),
    ...(typeof hasMore === 'boolean' && { hasMore }),
  };
}
