import type { BackChannel, Progress } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import { logLevels, progressTokenOf } from '../../wire/meta.js';
import type { Caller } from './caller.js';

const maxLogger = 128;

/** The way back to this caller while a call runs, holding only what the client asked for and the transport can carry. */
export function backChannel(params: JsonObject, caller: Caller): BackChannel {
  const { notify, logLevel, capabilities, detach, features } = caller;
  const token = notify ? progressTokenOf(params) : undefined;
  const open = notify && (token !== undefined || logLevel !== undefined);
  if (!open) return detach ? { capabilities, detach } : { capabilities };

  let last = Number.NEGATIVE_INFINITY;
  const progress = ({ progress, total, message }: Progress): void => {
    // The protocol wants progress to rise; a source that repeats itself is kept quiet.
    if (caller.signal.aborted || !(progress > last)) return;
    last = progress;
    notify('notifications/progress', {
      progressToken: token,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && features.progressMessage && { message }),
    });
  };
  const mildest = logLevel === undefined ? logLevels.length : logLevels.indexOf(logLevel);
  return {
    capabilities,
    ...(detach && { detach }),
    ...(token !== undefined && { progress }),
    ...(logLevel !== undefined && {
      log: (level, data, logger) => {
        if (caller.signal.aborted || logLevels.indexOf(level) < mildest) return;
        notify('notifications/message', { level, data, ...(logger !== undefined && { logger: logger.slice(0, maxLogger) }) });
      },
    }),
  };
}
