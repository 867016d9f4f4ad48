import type { BackChannel } from './call.js';
import type { JsonObject } from './json.js';
import type { Ask, Question } from './outcome.js';
import { rewriteData, rewriteFields } from './outcome-text.js';
import type { Pen } from './outcome-text.js';

type Asks = Question['asks'];

const eachAsk = (asks: Asks, change: (ask: Ask) => Ask): Asks =>
  Object.fromEntries(Object.entries(asks).map(([key, ask]) => [key, change(ask)]));

/** What a tool asks its caller, with every text rewritten. */
export const rewriteAsks = (asks: Asks, pen: Pen): Asks =>
  eachAsk(asks, ({ method, params }) => ({ method, params: rewriteData(params, pen) as JsonObject })); // types never change

/** Questions that say who asks: nobody shall take a server's words for the gateway's, or for the operator's. */
export const markAsks = (asks: Asks, asker: string | undefined, meta: JsonObject | undefined): Asks =>
  eachAsk(asks, ({ method, params }) => {
    const { message, _meta: given } = params;
    return {
      method,
      params: {
        ...params,
        ...(asker !== undefined && typeof message === 'string' && { message: `${asker} asks: ${message}` }),
        ...(meta && { _meta: { ...(isObject(given) && given), ...meta } }),
      },
    };
  });

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The way back to a caller on which what a tool says meanwhile is rewritten like what it says at the end. */
export function rewriteBack(back: BackChannel, pen: () => Pen): BackChannel {
  const { progress, log } = back;
  if (!progress && !log) return back;
  return {
    ...back,
    ...(progress && { progress: (step) => progress(rewriteFields(step, pen(), ['message'])) }),
    ...(log && {
      log: (level, data, logger) => {
        const writer = pen();
        const written = rewriteData(data, writer);
        // More than may stay is no message for anybody.
        if (writer.weigh(0)) log(level, written, logger === undefined ? undefined : writer.text(logger));
      },
    }),
  };
}
