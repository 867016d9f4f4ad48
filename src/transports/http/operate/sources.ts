import type { JsonObject } from '../../../core/json.js';
import type { Principal } from '../../../core/principal.js';
import { decodeArguments } from '../../../wire/json-arguments.js';
import { doorOf } from '../edge/door-of.js';
import { sendError, sendJson, sendProblem } from '../edge/respond.js';
import type { HttpContext, Route } from '../edge/route.js';

/** Sources as operators see them. Nothing here adds a source, a command or a file. */
interface SourceAccess {
  list(): readonly JsonObject[];
  find(id: string): JsonObject | undefined;
  refresh(id: string, signal: AbortSignal, by: Principal, door: 'console' | 'rest'): Promise<void>;
  /** Replaces connections and processes; undefined if the source has none. */
  restart(id: string, signal: AbortSignal, by: Principal, door: 'console' | 'rest'): Promise<void> | undefined;
  /** What it wrote to stderr and what happened to it, after the line of this number. */
  lines(id: string, after: number): JsonObject | undefined;
  pins(id: string): JsonObject | undefined;
  /** Approves pending definitions if they are still those that `seen` stands for (TOCTOU). */
  approvePins(
    id: string,
    items: readonly string[],
    seen: string,
    by: Principal,
    door: 'console' | 'rest',
  ): Promise<{ readonly approved: readonly string[] } | { readonly why: 'unknown' | 'changed' }>;
  /** Keeps pending definitions withheld and ends the request for a decision. */
  rejectPins(
    id: string,
    items: readonly string[],
    seen: string,
    by: Principal,
    door: 'console' | 'rest',
  ): Promise<{ readonly rejected: readonly string[] } | { readonly why: 'unknown' | 'changed' }>;
  /** The admission decision with the scan report behind it. */
  screening(id: string): Promise<JsonObject | undefined>;
}

/** The same answer for all routes about one source. */
const unknownSource = { code: 'not_found', message: 'Unknown source' } as const;

/** Routes about sources, for administrators. */
export function sourceRoutes(sources: SourceAccess): readonly Route[] {
  // Routes that only read have the same shape.
  const about =
    (read: (id: string) => JsonObject | undefined | Promise<JsonObject | undefined>) =>
    async ({ res, params }: HttpContext): Promise<void> => {
      const found = await read(params['id'] ?? '');
      return found === undefined ? sendError(res, unknownSource) : sendJson(res, 200, found);
    };
  const responses = { 200: { description: 'The source' }, 404: { description: 'Unknown source' } };
  const decidePins = (verb: 'approve' | 'reject', summary: string): Route => ({
    method: 'POST',
    path: `/sources/{id}/pins/${verb}`,
    auth: 'admin',
    consumes: 'application/json',
    doc: {
      summary,
      request: {
        type: 'object',
        properties: { items: { type: 'array', items: { type: 'string' } }, seen: { type: 'string' } },
        required: ['items', 'seen'],
      },
      responses: { ...responses, 409: { description: 'The definitions changed since they were shown' } },
    },
    async handle({ req, res, params, principal, body }) {
      const decoded = decodeArguments(body, 'The body');
      if ('error' in decoded) return sendError(res, decoded.error);
      const { items, seen } = decoded.args;
      // An empty list would decide about nothing and still be recorded as a decision.
      if (!isTextList(items) || items.length === 0 || typeof seen !== 'string')
        return sendError(res, {
          code: 'invalid_arguments',
          message: 'items must name definitions and seen must be a text',
        });
      const result = await sources[verb === 'approve' ? 'approvePins' : 'rejectPins'](
        params['id'] ?? '',
        items,
        seen,
        principal,
        adminDoor(req),
      );
      if (!('why' in result)) return sendJson(res, 200, result);
      return result.why === 'unknown'
        ? sendError(res, unknownSource)
        : sendProblem(res, 409, 'changed', 'The definitions changed since they were shown; look again');
    },
  });
  return [
    {
      method: 'GET',
      path: '/sources',
      auth: 'admin',
      doc: {
        summary: 'All sources with their health and admission decision',
        responses: { 200: { description: 'The sources' } },
      },
      handle: ({ res }) => sendJson(res, 200, { sources: sources.list() }),
    },
    {
      method: 'GET',
      path: '/sources/{id}',
      auth: 'admin',
      doc: { summary: 'One source: health, tools, withheld definitions, admission', responses },
      handle: about((id) => sources.find(id)),
    },
    {
      method: 'POST',
      path: '/sources/{id}/refresh',
      auth: 'admin',
      doc: { summary: 'List the source again', responses },
      async handle({ req, res, params, signal, principal }) {
        const id = params['id'] ?? '';
        if (sources.find(id) === undefined) return sendError(res, unknownSource);
        // Waits for the listing, so that the response already has its result.
        await sources.refresh(id, signal, principal, adminDoor(req));
        return sendJson(res, 200, sources.find(id) ?? {});
      },
    },
    {
      method: 'POST',
      path: '/sources/{id}/restart',
      auth: 'admin',
      doc: {
        summary: 'Replace the connections and processes of a source; running calls end as they began',
        responses: { ...responses, 409: { description: 'The source starts nothing' } },
      },
      async handle({ req, res, params, signal, principal }) {
        const id = params['id'] ?? '';
        if (sources.find(id) === undefined) return sendError(res, unknownSource);
        const restarted = sources.restart(id, signal, principal, adminDoor(req));
        // HTTP and OpenAPI sources connect per request; there is nothing to restart.
        if (restarted === undefined)
          return sendProblem(res, 409, 'conflict', 'This source has no connection or process to restart');
        await restarted;
        return sendJson(res, 200, sources.find(id) ?? {});
      },
    },
    {
      method: 'GET',
      path: '/sources/{id}/log',
      auth: 'admin',
      doc: {
        summary: 'Latest lines of its stderr and its events; ?after= takes the number of the last line seen',
        responses,
      },
      handle({ res, params, query }) {
        const after = Number(query.get('after') ?? 0);
        const found = sources.lines(params['id'] ?? '', Number.isSafeInteger(after) ? after : 0);
        return found === undefined ? sendError(res, unknownSource) : sendJson(res, 200, found);
      },
    },
    {
      method: 'GET',
      path: '/sources/{id}/pins',
      auth: 'admin',
      doc: { summary: 'Pinned and pending definitions, with their differences field by field', responses },
      handle: about((id) => sources.pins(id)),
    },
    decidePins('approve', 'Approve pending definitions; `seen` is the fingerprint of what was shown'),
    decidePins('reject', 'Reject pending definitions: they stay withheld and ask for no decision until they change'),
    {
      method: 'GET',
      path: '/sources/{id}/screening',
      auth: 'admin',
      doc: {
        summary: 'Admission decision, findings with their paths from parameter to sink, capabilities and gaps',
        responses,
      },
      handle: about((id) => sources.screening(id)),
    },
  ];
}

/** The door for the audit: the console identifies itself by a header. */
const adminDoor = (req: HttpContext['req']): 'console' | 'rest' => (doorOf(req) === 'console' ? 'console' : 'rest');

/** Whether a value is a list of texts. */
const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
