import type { Agent } from 'undici';
import { arrivingAnswer } from './arriving-answers.js';
import { budget, unlimited, type Budget } from './budgets.js';
import { byteStream, wholeStream } from './byte-streams.js';
import { guardedConnect, placesOf } from './connections.js';
import { judgeOf, type Judge } from './egress-rules.js';
import {
  failed,
  refused,
  type Egress,
  type EgressRequest,
  type EgressRules,
  type EgressStream,
  type Failed,
  type Refused,
  type ResponseHeaders,
} from './egress-types.js';
import { exchange, noFlow, type Hop } from './exchanges.js';
import { isRedirect, nextHop } from './redirects.js';
import { requestHeaders } from './request-headers.js';
import { systemResolver, withTimeLimit } from './resolver.js';
import { undici } from './undici.js';
import { codingOf } from './unpacking.js';
import { wholeAnswer, type Send } from './whole-answers.js';

const method = /^[A-Z]{1,20}$/;
// CONNECT asks for a tunnel past the guard, TRACE echoes credentials back.
const tunnelMethods = new Set(['CONNECT', 'TRACE']);

/** The guarded way out: every request judged by these rules, every connection dialled only to vetted addresses, every answer bounded. */
export function egress(rules: EgressRules): Egress {
  const judge = judgeOf(rules);
  const resolver = withTimeLimit(rules.resolver ?? systemResolver(), rules.connectTimeoutMs ?? 10_000);
  const {
    timeoutMs = 30_000,
    maxResponseBytes = 10_485_760,
    maxUnpackRatio: maxRatio = 200,
    maxRedirects = 3,
    maxInFlight = 1_024,
  } = rules;
  // An Agent of our own: the global one could be replaced by a proxy that the environment names.
  let agent: Agent | undefined;
  const way = (): Agent =>
    (agent ??= new (undici().Agent)({
      connect: guardedConnect(rules, judge, resolver),
      connections: rules.connectionsPerHost ?? 16,
      maxOrigins: 256,
      pipelining: 1,
      keepAliveTimeout: rules.keepAliveMs ?? 30_000,
      keepAliveMaxTimeout: Math.max(60_000, rules.keepAliveMs ?? 0),
      maxHeaderSize: rules.maxHeaderBytes ?? 16_384,
      // Time is kept by each request's own budget.
      headersTimeout: 0,
      bodyTimeout: 0,
    }));
  let inFlight = 0;
  const send: Send = (hop, receiver) => {
    if (inFlight >= maxInFlight) {
      receiver.fail(failed('busy', 'too many requests are under way'));
      return noFlow;
    }
    inFlight += 1;
    return exchange(way(), hop, receiver, () => {
      inFlight -= 1;
    });
  };
  const secretsOf = (request: EgressRequest) =>
    new Set([...(rules.secretHeaders ?? []), ...(request.secretHeaders ?? [])].map((name) => name.toLowerCase()));

  /** Sends hop after hop until one answers for itself. */
  async function followed<T extends { readonly status: number; readonly headers: ResponseHeaders }>(
    request: EgressRequest,
    time: Budget,
    ask: (hop: Hop, follow: boolean) => Promise<T | Failed | Refused>,
    leave: (answer: T) => void,
  ): Promise<{ readonly answer: T; readonly finalUrl: string; readonly hops: number } | Failed | Refused> {
    let hop = firstHop(request, judge);
    const follow = request.redirect !== 'manual';
    for (let hops = 0; ; hops += 1) {
      if (isOver(hop)) return hop;
      const spent = time.spent();
      if (spent) return spent;
      const answer = await ask(hop, follow);
      if (isOver(answer)) return answer;
      if (!follow || !isRedirect(answer.status, answer.headers)) return { answer, finalUrl: hop.url.href, hops };
      leave(answer);
      if (hops >= maxRedirects) return refused('too_many_redirects', `more than ${maxRedirects} redirects`);
      hop = nextHop(hop, answer.status, answer.headers, judge, secretsOf(request));
    }
  }

  return {
    request: async (request) => {
      const time = budget(request.timeoutMs ?? timeoutMs, request.signal);
      const limits = { maxBytes: request.maxResponseBytes ?? maxResponseBytes, maxRatio };
      try {
        const result = await followed(
          request,
          time,
          (hop, follow) => wholeAnswer(send, hop, limits, time, follow),
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
        const result = await followed(
          request,
          untilHead,
          (hop) => arrivingAnswer(send, hop, untilHead),
          (answer) => answer.source.stop(),
        );
        if ('kind' in result) return result;
        const { status, headers, source } = result.answer;
        // What is all here needs no more time.
        const isHere = source.isOver() && codingOf(headers) === undefined;
        const life = isHere ? unlimited : budget(request.totalMs ?? 600_000, request.signal, 'the stream');
        life.watch(source.fail);
        const early = life.spent();
        if (early) source.fail(early);
        const idleMs = request.idleMs ?? 60_000;
        const cancel = () => {
          source.fail(failed('cancelled', 'the stream was cancelled'));
          life.done();
        };
        return {
          kind: 'stream',
          status,
          headers,
          body: byteStream(source, headers, limits, idleMs, life.done),
          whole: () => wholeStream(source, headers, limits, idleMs, life.done),
          finalUrl: result.finalUrl,
          hops: result.hops,
          cancel,
        } satisfies EgressStream;
      } finally {
        untilHead.done();
      }
    },

    vet: async (given) => {
      const admitted = judge.url(given);
      if (admitted.kind === 'refused') return { ok: false, reason: admitted.reason, message: admitted.message };
      const places = await placesOf(admitted.url.hostname, rules, judge, resolver);
      if (!('kind' in places)) return { ok: true, addresses: places.map((address) => address.text) };
      return { ok: false, reason: places.kind === 'refused' ? places.reason : 'dns', message: places.message };
    },

    close: () => agent?.destroy() ?? Promise.resolve(),
  };
}

function firstHop(request: EgressRequest, judge: Judge): Hop | Refused {
  const verb = request.method ?? 'GET';
  if (!method.test(verb) || tunnelMethods.has(verb)) return refused('bad_method', 'the method is not allowed');
  const admitted = judge.url(request.url);
  if (admitted.kind === 'refused') return admitted;
  const made = requestHeaders(request.headers);
  if (made.kind === 'refused') return made;
  const hop = { url: admitted.url, method: verb, headers: made.headers };
  return request.body === undefined ? hop : { ...hop, body: request.body };
}

function isOver<T extends object>(value: T | Failed | Refused): value is Failed | Refused {
  return 'kind' in value && (value.kind === 'failed' || value.kind === 'refused');
}
