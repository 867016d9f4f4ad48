import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../../core/json.js';
import { sendJson, sendProblem } from '../edge/respond.js';
import type { Route } from '../edge/route.js';
import type { CallFilter } from './calls.js';
import { callFilter } from './calls.js';

/** The audit of this state folder: all of its journals. */
interface AuditAccess {
  /** Newest first; `before` continues a page. */
  page(
    filter: CallFilter,
    before: string | undefined,
  ): Promise<{ readonly entries: readonly JsonObject[]; readonly next?: string } | undefined>;
  /** Verifies journal by journal. */
  verify(onJournal: (progress: JsonObject) => void, signal: AbortSignal): Promise<JsonObject>;
  heads(): Promise<readonly JsonObject[]>;
  /** Matching records, oldest first, without holding all of them in memory. */
  export(filter: Omit<CallFilter, 'limit'>): AsyncIterable<JsonObject>;
}

/** Routes that read and verify the audit. */
export function auditRoutes(audit: AuditAccess): readonly Route[] {
  // One flag per gateway, not per caller: the load is on the disk.
  let verifying = false;
  return [
    {
      method: 'GET',
      path: '/audit',
      auth: 'admin',
      doc: {
        summary: 'Audit records, newest first; filters as for /calls, ?before= of the last page continues',
        responses: { 200: { description: 'A page' }, 400: { description: 'before is not a cursor' } },
      },
      async handle({ res, query }) {
        const page = await audit.page(callFilter(query), query.get('before') ?? undefined);
        if (page === undefined)
          return sendProblem(res, 400, 'bad_request', 'before must be the `next` of an earlier page');
        return sendJson(res, 200, page);
      },
    },
    {
      method: 'GET',
      path: '/audit/head',
      auth: 'admin',
      doc: {
        summary:
          'Number and hash of the last record of each journal; noted elsewhere, they prove later that nothing was changed',
        responses: { 200: { description: 'The heads' } },
      },
      handle: async ({ res }) => sendJson(res, 200, { at: new Date().toISOString(), journals: await audit.heads() }),
    },
    {
      method: 'GET',
      path: '/audit/export',
      auth: 'admin',
      doc: {
        summary:
          'Audit records as lines of JSON with their hashes, oldest first; filters as for /calls, without a limit',
        responses: { 200: { description: 'The records', type: 'application/x-ndjson' } },
      },
      async handle({ res, query, signal }) {
        // An export has no limit, so that it is complete.
        const { limit: _limit, ...filter } = callFilter(query);
        res.writeHead(200, {
          'content-type': 'application/x-ndjson',
          'content-disposition': 'attachment; filename="toolgate-audit.ndjson"',
        });
        for await (const entry of audit.export(filter)) {
          if (signal.aborted) break;
          // Backpressure: a slow reader must not make the gateway buffer the whole journal.
          if (!res.write(`${JSON.stringify(entry)}\n`)) await drained(res, signal);
        }
        res.end();
      },
    },
    {
      method: 'POST',
      path: '/audit/verify',
      auth: 'admin',
      doc: {
        summary: 'Verify the hash chains; one line of JSON per journal, the result last',
        responses: {
          200: { description: 'Progress and result', type: 'application/x-ndjson' },
          503: { description: 'Another verification is running' },
        },
      },
      async handle({ res, signal }) {
        // Reads every record from disk: one at a time is enough.
        if (verifying)
          return sendProblem(res, 503, 'busy', 'A verification is running already', { 'retry-after': '5' });
        verifying = true;
        try {
          res.writeHead(200, { 'content-type': 'application/x-ndjson' });
          const result = await audit.verify((progress) => void res.write(`${JSON.stringify(progress)}\n`), signal);
          res.end(`${JSON.stringify(result)}\n`);
        } finally {
          // Also after an aborted request, or no verification could run again.
          verifying = false;
        }
        return undefined;
      },
    },
  ];
}

/** Resolves when the response takes more, or the connection is closed. */
const drained = (res: ServerResponse, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    res.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    return undefined;
  });
