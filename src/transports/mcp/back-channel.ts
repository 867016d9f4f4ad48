import type { BackChannel, Progress } from '../../core/call.js';
import type { Json, JsonObject } from '../../core/json.js';
import { clean } from '../../hostile-text/clean.js';
import { logLevels, progressTokenOf } from '../../wire/meta.js';
import { declaresTasks } from './capabilities.js';
import type { Caller } from './caller.js';

const maxLogger = 128;
const maxText = 16_384;
const maxDepth = 16;

/** What a tool says on the way is as hostile as its result, which the guards clean; this is not seen by them. */
const said = (text: string, max = maxText): string => clean(text.slice(0, max)).text;

function saidData(data: Json, depth = 0): Json {
  if (typeof data === 'string') return said(data);
  if (typeof data !== 'object' || data === null) return data;
  if (depth === maxDepth) return null;
  if (Array.isArray(data)) return data.map((each: Json) => saidData(each, depth + 1));
  return Object.fromEntries(Object.entries(data).map(([key, each]) => [key, saidData(each ?? null, depth + 1)]));
}

/** The way back to this caller while a call runs, holding only what the client asked for and the transport can carry. */
export function backChannel(params: JsonObject, caller: Caller): BackChannel {
  const { notify, logLevel, capabilities, detach, features } = caller;
  const token = notify ? progressTokenOf(params) : undefined;
  const open = notify && (token !== undefined || logLevel !== undefined);
  const withoutTasks = features.modern && !declaresTasks(capabilities);
  if (!open) return detach ? { capabilities, withoutTasks, detach } : { capabilities, withoutTasks };

  let last = Number.NEGATIVE_INFINITY;
  const progress = ({ progress, total, message }: Progress): void => {
    // The protocol wants progress to rise; a source that repeats itself is kept quiet.
    if (caller.signal.aborted || !(progress > last)) return;
    last = progress;
    notify('notifications/progress', {
      progressToken: token,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && features.progressMessage && { message: said(message) }),
    });
  };
  const mildest = logLevel === undefined ? logLevels.length : logLevels.indexOf(logLevel);
  return {
    capabilities,
    withoutTasks,
    ...(detach && { detach }),
    ...(token !== undefined && { progress }),
    ...(logLevel !== undefined && {
      log: (level, data, logger) => {
        if (caller.signal.aborted || logLevels.indexOf(level) < mildest) return;
        notify('notifications/message', {
          level,
          data: saidData(data),
          ...(logger !== undefined && { logger: said(logger, maxLogger) }),
        });
      },
    }),
  };
}
