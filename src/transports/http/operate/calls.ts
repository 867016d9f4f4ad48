import type { JsonObject } from '../../../core/json.js';
import type { Principal } from '../../../core/principal.js';
import { isAdmin } from '../../../core/principal.js';
import { sendError, sendJson } from '../edge/respond.js';
import type { Route } from '../edge/route.js';

/** Filter of calls; absent fields match all. */
export interface CallFilter {
  readonly principal?: string;
  readonly tool?: string;
  readonly code?: string;
  readonly decision?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

/** Recorded calls. */
interface CallRecords {
  list(filter: CallFilter): Promise<readonly JsonObject[]>;
  /** One call, from memory or the audit; undefined if it is in neither. */
  find(id: string): Promise<JsonObject | undefined>;
  /** Verifies the hashes of the records around that of a call. */
  verifyAround(id: string): Promise<JsonObject | undefined>;
}

/** Calls per page. */
const mostCalls = 500;

/** Filter in a query; `limit` is capped. */
export function callFilter(query: URLSearchParams): CallFilter {
  // An empty parameter, as forms send it, counts as absent.
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const [principal, tool, code, decision, since, until] = ['by', 'tool', 'code', 'decision', 'since', 'until'].map(
    text,
  );
  const limit = Number(query.get('limit') ?? 100);
  return {
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, mostCalls) : 100,
    ...(principal !== undefined && { principal }),
    ...(tool !== undefined && { tool }),
    ...(code !== undefined && { code }),
    ...(decision !== undefined && { decision }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** Calls as recorded; principals without the admin role see their own alone. */
export function callRoutes(records: CallRecords): readonly Route[] {
  // Without the admin role a caller sees its own calls, whatever filter it sends.
  const maySee = (principal: Principal, { principal: by }: JsonObject): boolean =>
    isAdmin(principal) || by === principal.id;
  return [
    {
      method: 'GET',
      path: '/calls',
      auth: 'principal',
      doc: {
        summary:
          'Recent calls, newest first; ?by=, tool=, code=, decision=, since=, until=, limit= select. Administrators see all, others their own',
        responses: { 200: { description: 'The calls' } },
      },
      async handle({ res, principal, query }) {
        const filter = callFilter(query);
        sendJson(res, 200, {
          // Overwrites a `by` of the query: the filter must not widen what the caller may see.
          calls: await records.list(isAdmin(principal) ? filter : { ...filter, principal: principal.id }),
        });
      },
    },
    {
      method: 'GET',
      path: '/calls/{id}',
      auth: 'principal',
      doc: {
        summary: 'One call: its audit record, and the stages of the pipeline if they were recorded',
        responses: { 200: { description: 'The call' }, 404: { description: 'Unknown call for this caller' } },
      },
      async handle({ res, principal, params }) {
        const found = await records.find(params['id'] ?? '');
        // A call of another principal gets the same answer as an unknown one, so that ids cannot be probed.
        if (found === undefined || !maySee(principal, found))
          return sendError(res, { code: 'not_found', message: 'Unknown call' });
        return sendJson(res, 200, found);
      },
    },
    {
      method: 'GET',
      path: '/calls/{id}/verify',
      auth: 'admin',
      doc: {
        summary: 'Recompute the hashes of the audit records just before and after that of a call',
        responses: { 200: { description: 'The records around it' }, 404: { description: 'No record of this call' } },
      },
      async handle({ res, params }) {
        const found = await records.verifyAround(params['id'] ?? '');
        return found === undefined
          ? sendError(res, { code: 'not_found', message: 'No record of this call' })
          : sendJson(res, 200, found);
      },
    },
  ];
}
