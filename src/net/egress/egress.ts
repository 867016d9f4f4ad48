import type { Agent } from 'undici';
import { streamResponse } from '../http/streamed-response.js';
import { budget, unlimited, type Budget } from './budgets.js';
import { byteStream, readWhole } from '../http/byte-streams.js';
import { guardedConnector, resolveHost } from '../http/connections.js';
import { compileEgressRules, type CompiledEgressRules } from './egress-rules.js';
import {
  toFailure,
  toRefusal,
  type Egress,
  type EgressRequest,
  type EgressRules,
  type EgressStream,
  type Failed,
  type Refused,
  type ResponseHeaders,
} from './egress-types.js';
import { startExchange, noExchange, type Hop } from '../http/http-exchange.js';
import { isRedirect, nextHop } from './redirects.js';
import { requestHeaders } from '../http/request-headers.js';
import { systemResolver, withTimeLimit } from '../addresses/resolver.js';
import { undici } from '../http/undici.js';
import { contentCodingOf } from '../http/decompression.js';
import { bufferResponse, type Send } from '../http/buffered-response.js';

/** Methods are tokens in upper case; others could smuggle a second request line. */
const methodName = /^[A-Z]{1,20}$/;
// CONNECT would open a tunnel past the guard; TRACE echoes credentials.
const tunnelMethods = new Set(['CONNECT', 'TRACE']);

/** Creates a guarded HTTP client: checks every URL against the rules, connects only to vetted addresses, limits every response (SSRF). */
export function egress(rules: EgressRules): Egress {
  const compiled = compileEgressRules(rules);
  const resolver = withTimeLimit(rules.resolver ?? systemResolver(), rules.connectTimeoutMs ?? 10_000);
  const {
    timeoutMs = 30_000,
    maxResponseBytes = 10_485_760,
    maxUnpackRatio: maxRatio = 200,
    maxRedirects = 3,
    maxInFlight = 1_024,
  } = rules;
  // Own Agent: the global one could be replaced by a proxy from the environment.
  let agent: Agent | undefined;
  const getAgent = (): Agent =>
    (agent ??= new (undici().Agent)({
      connect: guardedConnector(rules, compiled, resolver),
      connections: rules.connectionsPerHost ?? 16,
      maxOrigins: 256,
      pipelining: 1,
      keepAliveTimeout: rules.keepAliveMs ?? 30_000,
      keepAliveMaxTimeout: Math.max(60_000, rules.keepAliveMs ?? 0),
      maxHeaderSize: rules.maxHeaderBytes ?? 16_384,
      // Timeouts are enforced by the budget of each request.
      headersTimeout: 0,
      bodyTimeout: 0,
    }));
  let inFlight = 0;
  const send: Send = (hop, receiver) => {
    // Bounded: connections and buffers of a slow host must not use up memory.
    if (inFlight >= maxInFlight) {
      receiver.fail(toFailure('busy', 'too many requests in flight'));
      return noExchange;
    }
    inFlight += 1;
    return startExchange(getAgent(), hop, receiver, () => {
      inFlight -= 1;
    });
  };
  const secretsOf = (request: EgressRequest) =>
    new Set([...(rules.secretHeaders ?? []), ...(request.secretHeaders ?? [])].map((name) => name.toLowerCase()));

  /** Sends a request and follows redirects; each hop is checked against the rules. */
  async function followRedirects<T extends { readonly status: number; readonly headers: ResponseHeaders }>(
    request: EgressRequest,
    time: Budget,
    ask: (hop: Hop, follow: boolean) => Promise<T | Failed | Refused>,
    leave: (answer: T) => void,
  ): Promise<{ readonly answer: T; readonly finalUrl: string; readonly hops: number } | Failed | Refused> {
    let hop = firstHop(request, compiled);
    const follow = request.redirect !== 'manual';
    for (let hops = 0; ; hops += 1) {
      if (isFailure(hop)) return hop;
      const spent = time.spent();
      if (spent) return spent;
      const answer = await ask(hop, follow);
      if (isFailure(answer)) return answer;
      if (!follow || !isRedirect(answer.status, answer.headers)) return { answer, finalUrl: hop.url.href, hops };
      leave(answer);
      if (hops >= maxRedirects) return toRefusal('too_many_redirects', `more than ${maxRedirects} redirects`);
      hop = nextHop(hop, answer.status, answer.headers, compiled, secretsOf(request));
    }
  }

  return {
    request: async (request) => {
      const time = budget(request.timeoutMs ?? timeoutMs, request.signal);
      const limits = { maxBytes: request.maxResponseBytes ?? maxResponseBytes, maxRatio };
      try {
        const result = await followRedirects(
          request,
          time,
          (hop, follow) => bufferResponse(send, hop, limits, time, follow),
          () => undefined,
        );
        if ('kind' in result) return result;
        const { status, headers, body } = result.answer;
        return { kind: 'response', status, headers, body, finalUrl: result.finalUrl, hops: result.hops };
      } finally {
        time.done();
      }
    },

    open: async (request) => {
      const untilHead = budget(request.timeoutMs ?? timeoutMs, request.signal);
      const limits = { maxBytes: request.maxResponseBytes ?? maxResponseBytes, maxRatio };
      try {
        const result = await followRedirects(
          request,
          untilHead,
          (hop) => streamResponse(send, hop, untilHead),
          (answer) => answer.source.stop(),
        );
        if ('kind' in result) return result;
        const { status, headers, source } = result.answer;
        // A body that has fully arrived needs no timeout.
        const isComplete = source.isOver() && contentCodingOf(headers) === undefined;
        // A stream has a total limit in addition to its idle limit: a server could send a byte a minute.
        const life = isComplete ? unlimited : budget(request.totalMs ?? 600_000, request.signal, 'the stream');
        life.watch(source.fail);
        const early = life.spent();
        if (early) source.fail(early);
        const idleMs = request.idleMs ?? 60_000;
        const cancel = () => {
          source.fail(toFailure('cancelled', 'the stream was cancelled'));
          life.done();
        };
        return {
          kind: 'stream',
          status,
          headers,
          body: byteStream(source, headers, limits, idleMs, life.done),
          whole: () => readWhole(source, headers, limits, idleMs, life.done),
          finalUrl: result.finalUrl,
          hops: result.hops,
          cancel,
        } satisfies EgressStream;
      } finally {
        untilHead.done();
      }
    },

    check: (given) => {
      const admitted = compiled.url(given);
      return admitted.kind === 'refused'
        ? { ok: false, reason: admitted.reason, message: admitted.message }
        : { ok: true };
    },

    vet: async (given) => {
      const admitted = compiled.url(given);
      if (admitted.kind === 'refused') return { ok: false, reason: admitted.reason, message: admitted.message };
      const addresses = await resolveHost(admitted.url.hostname, rules, compiled, resolver);
      if (!('kind' in addresses)) return { ok: true, addresses: addresses.map((address) => address.text) };
      return { ok: false, reason: addresses.kind === 'refused' ? addresses.reason : 'dns', message: addresses.message };
    },

    close: () => agent?.destroy() ?? Promise.resolve(),
  };
}

/** Checks method, URL and headers of a request. */
function firstHop(request: EgressRequest, compiled: CompiledEgressRules): Hop | Refused {
  const verb = request.method ?? 'GET';
  if (!methodName.test(verb) || tunnelMethods.has(verb))
    return toRefusal('bad_method', 'the HTTP method is not allowed');
  const admitted = compiled.url(request.url);
  if (admitted.kind === 'refused') return admitted;
  const checked = requestHeaders(request.headers);
  if (checked.kind === 'refused') return checked;
  const hop = { url: admitted.url, method: verb, headers: checked.headers };
  return request.body === undefined ? hop : { ...hop, body: request.body };
}

/** Distinguishes a failure from an answer. */
function isFailure<T extends object>(value: T | Failed | Refused): value is Failed | Refused {
  return 'kind' in value && (value.kind === 'failed' || value.kind === 'refused');
}
