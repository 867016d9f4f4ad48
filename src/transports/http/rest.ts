import { operatorFacts } from '../../core/tool.js';
import type { TraceContext } from '../../core/call.js';
import type { Gateway, ToolStatus, View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { resolveToolAlias } from '../../core/tool-aliases.js';
import { isAdmin } from '../../core/principal.js';
import { decodeArguments } from '../../wire/json-arguments.js';
import type { OnUnreadable } from '../unreadable.js';
import { toEnvelope } from './envelope.js';
import { doorOf } from './edge/door-of.js';
import { retryHeaders, sendError, sendJson, sendProblem } from './edge/respond.js';
import type { HttpContext, Route } from './edge/route.js';
import { envelopeSchema, errorSchema, toolInfoSchema } from './schemas.js';

/** Dependencies of the REST routes. */
interface RestOptions {
  readonly gateway: Gateway;
  /** Parses trace headers; undefined if they are malformed. */
  readonly trace: (traceparent: string | undefined, tracestate: string | undefined) => TraceContext | undefined;
  /** Whether the principal may use the profile; by default only requests without a profile are accepted. */
  readonly isUsableView?: (view: View) => boolean;
  readonly onUnreadable?: OnUnreadable;
}

/** The same error for unknown, disabled and hidden tools, so that hidden tools cannot be enumerated. */
const notFound = { code: 'not_found', message: 'Tool not found/disabled' } as const;

/** REST routes to list, describe, run, enable and disable tools. */
export function restRoutes({
  gateway,
  trace,
  isUsableView = ({ profile }) => profile === undefined,
  onUnreadable,
}: RestOptions): readonly Route[] {
  /** The optional `profile` query parameter narrows what the credential allows. */
  const viewOf = ({ principal, peer, query }: HttpContext): View => {
    const profile = query.get('profile');
    return profile === null ? { principal, peer } : { principal, profile, peer };
  };
  const statusOf = (context: HttpContext): ToolStatus | undefined => {
    const all = gateway.statuses(viewOf(context));
    const name = context.params['name'] ?? '';
    // The exact name first; then older names, which clients may still use.
    return all.find(({ tool }) => tool.name === name) ?? all.find(({ tool }) => tool.name === resolveToolAlias(name));
  };

  /** Runs a tool; every outcome, also a refusal, is answered with the same envelope. */
  const execute = async (context: HttpContext): Promise<void> => {
    const { req, res, params, body, signal } = context;
    // An empty body is a call without arguments: `curl -X POST` is enough.
    const decoded = body.length === 0 ? { args: {} } : decodeArguments(body, 'The body');
    if ('error' in decoded) {
      const { principal, peer } = context;
      // Recorded, because a refused request of a call must not be missing from the audit.
      onUnreadable?.({ principal, peer, via: 'rest', tool: params['name'] ?? '', message: decoded.error.message });
      return sendError(res, decoded.error);
    }
    const { args } = decoded;
    const traced = trace(singleHeader(req.headers['traceparent']), singleHeader(req.headers['tracestate']));
    const correlationId = singleHeader(req.headers['x-correlation-id']);
    const ticket = singleHeader(req.headers['toolgate-ticket']);
    const answer = await gateway.call({
      // The name is passed on as given; the gateway answers unknown and forbidden ones alike.
      tool: params['name'] ?? '',
      args,
      ...viewOf(context),
      via: doorOf(req),
      signal,
      ...(correlationId !== undefined && { correlationId }),
      ...(traced && { trace: traced }),
      ...(ticket !== undefined && { ticket }),
    });
    const { status, body: envelope, error } = toEnvelope(answer, args['target']);
    return sendJson(res, status, envelope, {
      'x-correlation-id': answer.correlationId,
      ...(answer.tool &&
        answer.tool.limits.ratePerMinute > 0 && {
          // Draft-ietf-httpapi-ratelimit-headers: clients can pace themselves.
          'ratelimit-policy': `"default";q=${answer.tool.limits.ratePerMinute};w=60`,
        }),
      ...(error && retryHeaders(error)),
    });
  };

  /** Handler of enable and disable. */
  const setEnabledHandler =
    (enabled: boolean) =>
    ({ res, principal, params }: HttpContext): void => {
      const name = params['name'] ?? '';
      if (!gateway.setEnabled(name, enabled, principal)) return sendError(res, notFound);
      return sendJson(res, 200, { tool: name, enabled });
    };

  return [
    {
      method: 'GET',
      path: '/tools',
      auth: 'principal',
      doc: {
        summary: 'All tools visible to the caller, ready or not',
        responses: {
          200: {
            description: 'The tools',
            schema: { type: 'object', properties: { tools: { type: 'array', items: toolInfoSchema } } },
          },
        },
      },
      handle(context) {
        const view = viewOf(context);
        // 404 instead of 403: whether a profile exists is not disclosed.
        if (!isUsableView(view)) return sendProblem(context.res, 404, 'not_found', 'Unknown profile');
        // The list of withheld tools would reveal tools that the caller may not see.
        return sendJson(context.res, 200, {
          tools: gateway.statuses(view).map(toSummary),
          withheld: isAdmin(view.principal) ? gateway.withheld() : [],
        });
      },
    },
    {
      method: 'GET',
      path: '/tools/{name}',
      auth: 'principal',
      doc: {
        summary: 'Input, output, effects and state of one tool',
        responses: {
          200: { description: 'The tool', schema: toolInfoSchema },
          404: { description: 'Unknown tool', schema: errorSchema },
        },
      },
      handle(context) {
        const status = statusOf(context);
        if (status === undefined) return sendError(context.res, notFound);
        return sendJson(context.res, 200, toDetails(status));
      },
    },
    {
      method: 'POST',
      path: '/tools/{name}/execute',
      auth: 'principal',
      consumes: 'application/json',
      doc: {
        summary: 'Run a tool; the body is its arguments',
        request: { type: 'object', description: 'The arguments of the tool, see GET /tools/{name}' },
        headers: executeHeaders,
        responses: {
          200: { description: 'The tool ran', schema: envelopeSchema },
          400: { description: 'The arguments do not match the schema', schema: envelopeSchema },
          404: { description: 'Unknown tool for this caller', schema: envelopeSchema },
          409: {
            description: 'Approval required; repeat the call with the ticket in error_context.metadata.ticket',
            schema: envelopeSchema,
          },
          429: { description: 'Rate limit exceeded; see Retry-After', schema: envelopeSchema },
          503: { description: 'Busy, circuit open or unavailable; see Retry-After', schema: envelopeSchema },
          504: { description: 'Timed out; includes the output captured so far', schema: envelopeSchema },
        },
      },
      handle: execute,
    },
    {
      method: 'POST',
      path: '/tools/{name}/enable',
      auth: 'admin',
      doc: {
        summary: 'Enable a tool',
        responses: { 200: { description: 'Done' }, 404: { description: 'Unknown tool', schema: errorSchema } },
      },
      handle: setEnabledHandler(true),
    },
    {
      method: 'POST',
      path: '/tools/{name}/disable',
      auth: 'admin',
      doc: {
        summary: 'Disable a tool: remove it from all lists and refuse calls',
        responses: { 200: { description: 'Done' }, 404: { description: 'Unknown tool', schema: errorSchema } },
      },
      handle: setEnabledHandler(false),
    },
    {
      method: 'POST',
      path: '/tools/{name}/breaker/reset',
      auth: 'admin',
      doc: {
        summary: 'Reset the circuit breaker of a tool',
        responses: { 200: { description: 'Done' }, 404: { description: 'Unknown tool', schema: errorSchema } },
      },
      handle({ res, principal, params }) {
        const name = params['name'] ?? '';
        if (!gateway.resetBreaker(name, principal)) return sendError(res, notFound);
        return sendJson(res, 200, { tool: name, circuit_breaker: 'closed' });
      },
    },
    {
      method: 'GET',
      path: '/',
      auth: 'principal',
      // A helpful 404 for people who open the address in a browser or with curl.
      handle: ({ res }) =>
        sendProblem(
          res,
          404,
          'no_such_route',
          'This is Toolgate; see GET /tools for the tools, GET /openapi.json for all routes',
        ),
    },
  ];
}

/** Request headers accepted by the execute route. */
export const executeHeaders = {
  'Toolgate-Ticket': 'Ticket of an earlier 409: the same call runs once an operator has approved it',
  'X-Correlation-Id': 'Correlation id of the call in log and audit',
} as const;

/** Header value; repeated headers are ignored rather than joined. */
const singleHeader = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Entry of `GET /tools`. */
const toSummary = ({ tool, enabled, breaker }: ToolStatus): JsonObject => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  source: tool.source,
  ready: tool.unavailable === undefined,
  ...(tool.unavailable && { reason: tool.unavailable.message }),
  enabled,
  circuit_breaker: breaker.state,
});

/** Response of `GET /tools/{name}`. */
const toDetails = (status: ToolStatus): JsonObject => {
  const { tool, breaker } = status;
  return {
    // First, so that a fact of the source never stands in place of a field of the definition.
    ...operatorFacts(tool),
    ...toSummary(status),
    performance: {
      concurrency: tool.limits.concurrency,
      default_timeout: tool.limits.timeoutMs / 1000,
      max_timeout: tool.limits.maxTimeoutMs / 1000,
      rate_per_minute: tool.limits.ratePerMinute,
    },
    circuit_breaker: {
      enabled: true,
      state: breaker.state,
      failures: breaker.failures,
      failure_threshold: breaker.threshold,
      ...(breaker.cooldownMs !== undefined && { recovery_timeout: breaker.cooldownMs / 1000 }),
      retry_after_ms: breaker.retryAfterMs,
      ...(breaker.origin !== undefined && { origin: breaker.origin }),
    },
    metrics: { available: true },
    effects: { ...tool.effects },
    input_schema: tool.input.schema,
    output_schema: tool.output?.schema ?? null,
  };
};
