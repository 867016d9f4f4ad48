import type { LogLevel, Progress } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';
import type { Ask } from '../../../core/outcome.js';
import { linkedSet } from '../../../lib/linked-set.js';
import { slotTable } from '../../../lib/slot-table.js';
import { isLogLevel } from '../../../wire/meta.js';
import type { RpcReply } from '../../../wire/reply.js';

/** A call in flight, and its handlers for progress, logs and questions of the server. */
export interface CallListener {
  /** Equal for calls of one client of one principal; an ambiguous question is never delivered to another client. */
  readonly clientKey: string;
  readonly progress?: (progress: Progress) => void;
  readonly log?: (level: LogLevel, data: Json, logger?: string) => void;
  readonly question?: (ask: Ask) => Promise<RpcReply>;
}

const maxMessageLength = 1_000;

/** The calls in flight on one session; messages of the server are attributed to one of them or to none. */
export function callListeners() {
  const listeners = linkedSet<CallListener>();
  const tokens = slotTable<CallListener>();

  /** The call an unattributed message belongs to: the only call in flight, or the latest if all come from one client. */
  const attribute = (accepts: (listener: CallListener) => boolean): CallListener | undefined => {
    let found: CallListener | undefined;
    for (const listener of listeners) {
      if (found && listener.clientKey !== found.clientKey) return undefined;
      if (accepts(listener) || !found) found = listener;
    }
    return found && accepts(found) ? found : undefined;
  };

  return {
    size: () => listeners.size,
    /** Adds a listener until `remove`; `token` identifies its progress messages. */
    add(listener: CallListener): { readonly token: number | undefined; remove(): void } {
      const entry = listeners.add(listener);
      const token = listener.progress && tokens.add(listener);
      return {
        token,
        remove() {
          listeners.remove(entry);
          if (token !== undefined) tokens.delete(token);
        },
      };
    },
    /** Listener that can answer a question; `owner` is the one whose stream carried it. */
    forQuestion: (owner: CallListener | undefined): CallListener | undefined =>
      owner ?? attribute(({ question }) => question !== undefined),
    forwardProgress({ progressToken, progress, total, message }: JsonObject): void {
      if (typeof progress !== 'number') return;
      tokens.get(progressToken)?.progress?.({
        progress,
        ...(typeof total === 'number' && { total }),
        ...(typeof message === 'string' && { message: message.slice(0, maxMessageLength) }),
      });
    },
    forwardLog(owner: CallListener | undefined, { level, data, logger }: JsonObject): void {
      if (!isLogLevel(level)) return;
      const listener = owner ?? attribute(({ log }) => log !== undefined);
      listener?.log?.(level, data ?? null, typeof logger === 'string' ? logger : undefined);
    },
  };
}
