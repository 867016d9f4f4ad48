import type { JsonObject } from '../../../core/json.js';
import { sendJson } from '../edge/respond.js';
import type { Route } from '../edge/route.js';

/** Numbers of the recent past. */
interface NumbersHistory {
  points(minutes: number): readonly { readonly at: number; readonly values: JsonObject }[];
  readonly marks: readonly { readonly at: number; readonly what: string }[];
}

/** History for plots: calls, refusals by code, latency percentiles, running and queued calls, in steps of five seconds. */
export const historyRoute = (history: NumbersHistory, guardsByCode: Readonly<Record<string, string>>): Route => ({
  method: 'GET',
  path: '/metrics/history',
  auth: 'admin',
  doc: {
    summary: 'Calls, refusals, percentiles, running and queued calls in steps of five seconds; ?minutes= up to 60',
    responses: { 200: { description: 'The points and marks' } },
  },
  handle({ res, query }) {
    const minutes = Number(query.get('minutes') ?? 30);
    // Bounded to the hour that is kept.
    const span = Number.isFinite(minutes) ? Math.min(60, Math.max(1, minutes)) : 30;
    return sendJson(res, 200, {
      step_seconds: 5,
      points: history.points(span).map(({ at, values }) => ({ at, ...values })),
      marks: history.marks,
      guards: guardsByCode,
    });
  },
});
