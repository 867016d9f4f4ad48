import type { BackChannel, Progress } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';
import { clean } from '../../../hostile-text/clean.js';
import { logLevels, progressTokenOf } from '../../../wire/meta.js';
import { declaresTasks } from '../capabilities.js';
import type { RequestContext } from '../request-context.js';

/** Limits of texts sent outside of the result. */
const maxLoggerLength = 128;
const maxMessageLength = 16_384;
const maxDataDepth = 16;

/** Sanitises progress and log texts of untrusted tools; they reach the client outside of the result. */
const cleanText = (text: string, max = maxMessageLength): string => clean(text.slice(0, max)).text;

/** Sanitises every string of a log payload; cuts it off below a maximum depth. */
function cleanData(data: Json, depth = 0): Json {
  if (typeof data === 'string') return cleanText(data);
  if (typeof data !== 'object' || data === null) return data;
  if (depth === maxDataDepth) return null;
  if (Array.isArray(data)) return data.map((item: Json) => cleanData(item, depth + 1));
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, cleanData(value ?? null, depth + 1)]));
}

/** Channel for progress and log messages of a running call; contains only what the client requested and the transport supports. */
export function backChannel(params: JsonObject, context: RequestContext): BackChannel {
  const { notify, logLevel, capabilities, detach, features, rootsVersion } = context;
  // Without a token the client does not want progress.
  const token = notify ? progressTokenOf(params) : undefined;
  const isOpen = notify && (token !== undefined || logLevel !== undefined);
  // A modern client without tasks must not be given one.
  const withoutTasks = features.modern && !declaresTasks(capabilities);
  const client: BackChannel =
    rootsVersion === undefined ? { capabilities, withoutTasks } : { capabilities, withoutTasks, rootsVersion };
  // The common case: nothing was requested, so no closures are built.
  if (!isOpen) return detach ? { ...client, detach } : client;

  let last = Number.NEGATIVE_INFINITY;
  const progress = ({ progress, total, message }: Progress): void => {
    // The protocol requires increasing progress; drop repeated values.
    if (context.signal.aborted || !(progress > last)) return;
    last = progress;
    notify('notifications/progress', {
      progressToken: token,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && features.progressMessage && { message: cleanText(message) }),
    });
  };
  // Above every level if none was requested.
  const minLevel = logLevel === undefined ? logLevels.length : logLevels.indexOf(logLevel);
  return {
    ...client,
    ...(detach && { detach }),
    ...(token !== undefined && { progress }),
    ...(logLevel !== undefined && {
      log: (level, data, logger) => {
        if (context.signal.aborted || logLevels.indexOf(level) < minLevel) return;
        notify('notifications/message', {
          level,
          data: cleanData(data),
          ...(logger !== undefined && { logger: cleanText(logger, maxLoggerLength) }),
        });
      },
    }),
  };
}
