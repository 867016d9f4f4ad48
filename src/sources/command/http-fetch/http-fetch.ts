import { isUtf8 } from 'node:buffer';
import type { Args } from '../../../core/call.js';
import type { JsonObject } from '../../../core/json.js';
import { declareLimits } from '../../../core/limits.js';
import { done, refuse, type Outcome } from '../../../core/outcome.js';
import { worstEffects, type Tool } from '../../../core/tool.js';
import { egress } from '../../../net/egress/egress.js';
import type { Egress, EgressResponse, EgressRules } from '../../../net/egress/egress-types.js';
import { failureCodes } from '../../failure-codes.js';
import { httpFetchInput } from './input.js';

/** Schema of the result; with `dry_run` only the last two fields are set. */
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

/** Bound of a response: a model cannot use more, and a server may send without end. */
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
    effects: { ...worstEffects, labels: ['network', 'egress'] },
    ...declareLimits({
      limits: { timeoutMs: 30_000, maxTimeoutMs: 300_000, concurrency: 5, maxOutputBytes: 2 * maxResponseBytes },
      applies: ['policy'],
      yields: true,
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
      // Answered here, behind all guards: a dry run is authorized and audited as a real call.
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
        // With `manual` the redirect itself is the result, so that the caller decides about it.
        redirect: redirects === 0 ? 'manual' : 'follow',
        ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
        ...(typeof args['body'] === 'string' && { body: args['body'] }),
      });
      // A refusal by the network policy is a decision, not a failure of the network.
      if (result.kind === 'refused')
        return refuse('policy_denied', `The request was refused: ${result.message}`, {
          data: { reason: result.reason },
        });
      if (result.kind === 'failed') return refuse(failureCodes[result.reason], result.message);
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

/** Headers of the request; the content type has its own argument, because it decides how the body is sent. */
function requestHeaders(args: Args): Readonly<Record<string, string>> {
  const given = Object.entries((args['headers'] ?? {}) as JsonObject).map(
    ([name, value]) => [name, String(value)] as const,
  ); // an object of strings, by the schema
  return Object.fromEntries(
    typeof args['content_type'] === 'string' ? [...given, ['content-type', args['content_type']]] : given,
  );
}

/** A response as the caller sees it: text if it is UTF-8, else Base64, so that no byte is lost. */
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

/** Parsed JSON, or undefined: a wrong content type must not fail the call. */
function parseJsonText(text: string): JsonObject[string] {
  try {
    return JSON.parse(text) as JsonObject[string]; // JSON.parse returns JSON
  } catch {
    return undefined;
  }
}
