import type { Args, TraceContext } from '../../core/call.js';
import type { Gateway, ToolStatus, View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { isAdmin } from '../../core/principal.js';
import { toEnvelope } from './envelope.js';
import { retryHeaders, sendError, sendJson, sendProblem } from './respond.js';
import type { Exchange, Route } from './route.js';
import { envelopeSchema, errorSchema, toolInfoSchema } from './schemas.js';

export interface RestOptions {
  readonly gateway: Gateway;
  /** Reads a traceparent header; undefined where it is not one. */
  readonly trace: (traceparent: string | undefined, tracestate: string | undefined) => TraceContext | undefined;
  /** Whether a profile is there for a principal; absent means that there are none to ask for. */
  readonly usable?: (view: View) => boolean;
}

const notFound = { code: 'not_found', message: 'Tool not found/disabled' } as const;

/** The routes by which programs list, read about, run and switch tools. */
export function restRoutes({
  gateway,
  trace,
  usable = ({ profile }) => profile === undefined,
}: RestOptions): readonly Route[] {
  const viewOf = ({ principal, query }: Exchange): View => {
    const profile = query.get('profile');
    return profile === null ? { principal } : { principal, profile };
  };
  const statusOf = (exchange: Exchange): ToolStatus | undefined =>
    gateway.statuses(viewOf(exchange)).find(({ tool }) => tool.name === exchange.params['name']);

  const execute = async (exchange: Exchange): Promise<void> => {
    const { req, res, params, body, signal } = exchange;
    const args = parseArgs(body);
    if (typeof args === 'string') return sendError(res, { code: 'invalid_arguments', message: args });
    const traced = trace(header(req.headers['traceparent']), header(req.headers['tracestate']));
    const correlationId = header(req.headers['x-correlation-id']);
    const ticket = header(req.headers['toolgate-ticket']);
    const answer = await gateway.call({
      tool: params['name'] ?? '',
      args,
      ...viewOf(exchange),
      via: 'rest',
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
          'ratelimit-policy': `"default";q=${answer.tool.limits.ratePerMinute};w=60`,
        }),
      ...(error && retryHeaders(error)),
    });
  };

  const switched =
    (enabled: boolean) =>
    ({ res, principal, params }: Exchange): void => {
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
        summary: 'All tools this caller may know of, ready or not',
        responses: {
          200: {
            description: 'The tools',
            schema: { type: 'object', properties: { tools: { type: 'array', items: toolInfoSchema } } },
          },
        },
      },
      handle(exchange) {
        const view = viewOf(exchange);
        if (!usable(view)) return sendProblem(exchange.res, 404, 'not_found', 'There is no such profile');
        // What was left out and why tells about tools that a caller may not know of.
        return sendJson(exchange.res, 200, {
          tools: gateway.statuses(view).map(brief),
          withheld: isAdmin(view.principal) ? gateway.withheld() : [],
        });
      },
    },
    {
      method: 'GET',
      path: '/tools/{name}',
      auth: 'principal',
      doc: {
        summary: 'What one tool takes, gives, may do and how it stands',
        responses: {
          200: { description: 'The tool', schema: toolInfoSchema },
          404: { description: 'No such tool', schema: errorSchema },
        },
      },
      handle(exchange) {
        const status = statusOf(exchange);
        if (status === undefined) return sendError(exchange.res, notFound);
        return sendJson(exchange.res, 200, full(status));
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
          400: { description: 'The arguments do not fit', schema: envelopeSchema },
          404: { description: 'No such tool for this caller', schema: envelopeSchema },
          409: {
            description: 'Somebody must agree first; error_context.metadata.ticket names the ticket to come back with',
            schema: envelopeSchema,
          },
          429: { description: 'Too often; see Retry-After', schema: envelopeSchema },
          503: { description: 'Busy, resting or not to be had; see Retry-After', schema: envelopeSchema },
          504: { description: 'Timed out; what was captured is returned', schema: envelopeSchema },
        },
      },
      handle: execute,
    },
    {
      method: 'POST',
      path: '/tools/{name}/enable',
      auth: 'admin',
      doc: {
        summary: 'Offer a tool again',
        responses: { 200: { description: 'Done' }, 404: { description: 'No such tool', schema: errorSchema } },
      },
      handle: switched(true),
    },
    {
      method: 'POST',
      path: '/tools/{name}/disable',
      auth: 'admin',
      doc: {
        summary: 'Take a tool out of every list and refuse calls',
        responses: { 200: { description: 'Done' }, 404: { description: 'No such tool', schema: errorSchema } },
      },
      handle: switched(false),
    },
    {
      method: 'POST',
      path: '/tools/{name}/breaker/reset',
      auth: 'admin',
      doc: {
        summary: 'Close the breaker of a tool',
        responses: { 200: { description: 'Done' }, 404: { description: 'No such tool', schema: errorSchema } },
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
      handle: ({ res }) =>
        sendProblem(
          res,
          404,
          'no_such_route',
          'Toolgate is here; GET /tools lists the tools, GET /openapi.json all routes',
        ),
    },
  ];
}

/** What a caller may say beside the arguments. */
export const executeHeaders = {
  'Toolgate-Ticket': 'The ticket of an earlier 409: the same call goes on once an operator has agreed to it',
  'X-Correlation-Id': 'An id by which log and audit shall know the call',
} as const;

function parseArgs(body: Buffer): Args | string {
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Args; // just looked at
  } catch (error) {
    return `The body is not JSON: ${error instanceof SyntaxError ? error.message.slice(0, 120) : 'unreadable'}`;
  }
  return 'The body must be a JSON object with the arguments';
}

const header = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

const brief = ({ tool, enabled, breaker }: ToolStatus): JsonObject => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  source: tool.source,
  ready: tool.unavailable === undefined,
  ...(tool.unavailable && { reason: tool.unavailable.message }),
  enabled,
  circuit_breaker: breaker.state,
});

const full = (status: ToolStatus): JsonObject => {
  const { tool, breaker } = status;
  return {
    ...brief(status),
    ...tool.details,
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
      retry_after_ms: breaker.retryAfterMs,
    },
    metrics: { available: true },
    effects: { ...tool.effects },
    input_schema: tool.input.schema,
    output_schema: tool.output?.schema ?? null,
  };
};
