import type { JsonObject } from '../../../core/json.js';
import { sendJson } from '../edge/respond.js';
import type { Route } from '../edge/route.js';

/** The deployment checklist, as `toolgate doctor` shows it. */
export const doctorRoute = (checks: () => Promise<readonly JsonObject[]>): Route => ({
  method: 'GET',
  path: '/doctor',
  auth: 'admin',
  doc: {
    summary: 'Deployment checklist: settings, sandbox, programs; each with its result and, if it did not pass, a fix',
    responses: { 200: { description: 'The checks' } },
  },
  handle: async ({ res }) => sendJson(res, 200, { at: new Date().toISOString(), checks: await checks() }),
});
