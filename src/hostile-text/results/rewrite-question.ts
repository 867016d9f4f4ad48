import type { JsonObject } from '../../core/json.js';
import type { Ask, Question } from '../../core/outcome.js';
import { rewriteData } from './rewrite-content.js';
import type { TextVisitor } from './rewrite-content.js';

type Asks = Question['asks'];

const mapAsks = (asks: Asks, change: (ask: Ask) => Ask): Asks =>
  Object.fromEntries(Object.entries(asks).map(([key, ask]) => [key, change(ask)]));

/** Rewrites every text of a tool's questions to its caller. */
export const rewriteAsks = (asks: Asks, visitor: TextVisitor): Asks =>
  mapAsks(asks, ({ method, params }) => ({ method, params: rewriteData(params, visitor) as JsonObject })); // types never change

/** Adds the asking source to questions, so that a server cannot impersonate the gateway or the operator (phishing). */
export const markAsks = (asks: Asks, asker: string | undefined, meta: JsonObject | undefined): Asks =>
  mapAsks(asks, ({ method, params }) => {
    const { message, _meta: given } = params;
    return {
      method,
      params: {
        ...params,
        // The prefix is added to the visible message, since clients do not show `_meta`.
        ...(asker !== undefined && typeof message === 'string' && { message: `${asker} asks: ${message}` }),
        ...(meta && { _meta: { ...(isJsonObject(given) && given), ...meta } }),
      },
    };
  });

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
