import { isUtf8 } from 'node:buffer';
import type { Args } from '../../../core/call.js';
import type { ErrorCode } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json.js';
import { declareLimits } from '../../../core/limits.js';
import { done, refuse, type Outcome } from '../../../core/outcome.js';
import type { Tool } from '../../../core/tool.js';
import { egress } from '../../../net/egress.js';
import type { Egress, EgressResponse, EgressRules, Failed } from '../../../net/egress-types.js';
import { httpFetchInput } from './input.js';

const httpFetchOutputSchema: JsonObject = {
  type: 'object',
  properties: {
    status: { type: 'integer' },
    headers: { type: 'object' },
    body: { type: 'string' },
    body_encoding: { type: 'string', enum: ['text', 'base64'] },
    json: {},
    final_url: { type: 'string' },
    redirects: { type: 'integer' },
    dry_run: { type: 'boolean' },
    request: { type: 'object' },
  },
};

const errorCodeByReason: Readonly<Record<Failed['reason'], ErrorCode>> = {
  network: 'network_error',
  dns: 'network_error',
  tls: 'network_error',
  protocol: 'network_error',
  timeout: 'timeout',
  cancelled: 'cancelled',
  too_large: 'output_limit',
  bad_encoding: 'upstream_error',
  busy: 'busy',
  closed: 'shutting_down',
};

const maxResponseBytes = 1_048_576;

/** The tool and the connections it must close. */
export interface HttpFetchTool {
  readonly tool: Tool;
  close(): Promise<void>;
}

/** `http_fetch`: one HTTP request through the egress guard; safer than wrapping curl and its hundreds of options. */
export function httpFetch(source: string, rules: EgressRules): HttpFetchTool {
  // One egress per redirect limit, because the egress guard enforces the limit.
  const egressByRedirects = new Map<number, Egress>();
  const egressFor = (maxRedirects: number): Egress => {
    const client = egressByRedirects.get(maxRedirects) ?? egress({ maxResponseBytes, ...rules, maxRedirects });
    egressByRedirects.set(maxRedirects, client);
    return client;
  };
  const tool: Tool = {
    name: 'http_fetch',
    title: 'HTTP request',
    description: 'Sends one HTTP request to a URL within the network policy and returns status, headers and body.',
    source,
    input: httpFetchInput({ check: (url) => egressFor(0).check(url), vet: (url) => egressFor(0).vet(url) }),
    output: { schema: httpFetchOutputSchema },
    effects: {
      reads: true,
      writes: true,
      destroys: true,
      idempotent: false,
      openWorld: true,
      labels: ['network', 'egress'],
    },
    ...declareLimits({
      limits: { timeoutMs: 30_000, maxTimeoutMs: 300_000, concurrency: 5, maxOutputBytes: 2 * maxResponseBytes },
      applies: ['policy'],
    }),
    details: {
      name: 'http_fetch',
      command: 'built in',
      version: '1.0.0',
      performance: { concurrency: 5, default_timeout: 30 },
      safety_limits: { max_output: maxResponseBytes },
      security_features: [
        'every address vetted when it is dialled',
        'each redirect vetted, credentials dropped across origins',
        'no proxy, no file, no other scheme',
      ],
    },
    run: async (call) => {
      const { args } = call;
      if (args['dry_run'] === true)
        return done([], {
          dry_run: true,
          request: { method: args['method'], url: args['url'], addresses: args['addresses'] },
        });
      const redirects = typeof args['max_redirects'] === 'number' ? args['max_redirects'] : 0;
      const result = await egressFor(redirects).request({
        url: String(args['url']),
        method: String(args['method'] ?? 'GET'),
        headers: requestHeaders(args),
        signal: call.signal,
        redirect: redirects === 0 ? 'manual' : 'follow',
        ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
        ...(typeof args['body'] === 'string' && { body: args['body'] }),
      });
      if (result.kind === 'refused')
        return refuse('policy_denied', `The request was refused: ${result.message}`, {
          data: { reason: result.reason },
        });
      if (result.kind === 'failed') return refuse(errorCodeByReason[result.reason], result.message);
      return toResponseOutcome(result);
    },
  };
  return {
    tool,
    async close() {
      await Promise.all([...egressByRedirects.values()].map((each) => each.close()));
    },
  };
}

function requestHeaders(args: Args): Readonly<Record<string, string>> {
  const given = Object.entries((args['headers'] ?? {}) as JsonObject).map(
    ([name, value]) => [name, String(value)] as const,
  ); // an object of strings, by the schema
  return Object.fromEntries(
    typeof args['content_type'] === 'string' ? [...given, ['content-type', args['content_type']]] : given,
  );
}

function toResponseOutcome({ status, headers, body, finalUrl, hops }: EgressResponse): Outcome {
  const isText = isUtf8(body);
  const json =
    isText && /\bjson\b/i.test(String(headers['content-type'] ?? '')) ? parseJsonText(body.toString()) : undefined;
  return done([], {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
    ),
    body: body.toString(isText ? 'utf8' : 'base64'),
    body_encoding: isText ? 'text' : 'base64',
    ...(json !== undefined && { json }),
    final_url: finalUrl,
    redirects: hops,
  });
}

function parseJsonText(text: string): JsonObject[string] {
  try {
    return JSON.parse(text) as JsonObject[string]; // JSON.parse returns JSON
  } catch {
    return undefined;
  }
}
