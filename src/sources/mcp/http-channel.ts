import type { Egress, EgressStream } from '../../net/egress-types.js';
import { linkedSet } from '../../lib/linked-set.js';
import { lightController } from '../../lib/light-signal.js';
import type { Controller } from '../../lib/light-signal.js';
import { codes, rpcError } from '../../wire/codes.js';
import type { RpcError } from '../../wire/codes.js';
import { requestHeaders } from '../../wire/headers.js';
import { encodeError, encodeNotification, encodeRequest, encodeResult } from '../../wire/message.js';
import type { RpcRequest } from '../../wire/message.js';
import { claimedVersion } from '../../wire/meta.js';
import type { RpcReply } from '../../wire/pending.js';
import type { Channel, ChannelEvents, Ended, Outgoing } from './channel.js';
import { messagesOf, problemOf, whole } from './http-answers.js';

/** Who we are to a remote server: headers that are made anew for each request, and what to do when they are refused. */
export interface Credentials {
  headers(signal?: AbortSignal): Promise<Presented>;
  /** Told of a refusal and of what was refused; true where it is worth trying once more. */
  refused?(status: number, challenge: string | undefined, sent: Readonly<Record<string, string>>): Promise<boolean>;
}

/** Headers to send, or why there are none; `held` where somebody has to do something first. */
export type Presented =
  { readonly headers: Readonly<Record<string, string>> } | { readonly problem: string; readonly held?: boolean };

export interface HttpOptions {
  readonly url: string;
  readonly egress: Pick<Egress, 'open' | 'request'>;
  readonly credentials: Credentials;
  readonly maxAnswerBytes?: number;
}

/** The error of a request that a server never looked at, since it had forgotten our session; it may be sent again. */
export const sessionGone: RpcError = rpcError(codes.sessionNotFound, 'The server has forgotten the session');

const quietMs = 300_000;
const farewellMs = 2_000;
const maxResumes = 5;
const reopenMs = 1_000;
const shortestReopenMs = 100;
const mostQuick = 5;
const maxAsked = 64;
const longestReopenMs = 30_000;
const basic = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A channel over Streamable HTTP, in both eras: each request has its own exchange, and a stream of it where the server wants one. */
export function httpChannel(
  { url, egress, credentials, maxAnswerBytes = 16 * 1024 * 1024 }: HttpOptions,
  events: ChannelEvents,
): Channel {
  const stop = lightController();
  const underWay = linkedSet<Controller>();
  let end: Ended | undefined;
  let sessionId: string | undefined;
  let version: string | undefined;
  let nextId = 1;
  let asked = 0;
  let closing: Promise<void> | undefined;

  const finish = (message: string): void => {
    if (end) return;
    end = { message };
    stop.abort();
    for (const each of underWay) each.abort();
    events.ended(end);
  };
  /** Asked anew: the compiler believes that nothing happens during an await. */
  const ended = (): Ended | undefined => end;
  const inSession = (): Record<string, string> => ({
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    ...(version !== undefined && { 'mcp-protocol-version': version }),
  });

  /** Sends, and once more where the credentials were refused and others are to be had. */
  async function exchange(
    method: 'POST' | 'GET',
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<EgressStream | Ended> {
    for (let attempt = 0; ; attempt += 1) {
      const own = await credentials.headers(signal);
      if ('problem' in own) return { message: own.problem };
      const answer = await egress.open({
        url,
        method,
        signal,
        timeoutMs,
        idleMs: quietMs,
        totalMs: timeoutMs,
        maxResponseBytes: maxAnswerBytes,
        redirect: 'manual',
        headers: { ...headers, ...own.headers },
        ...(body !== undefined && { body }),
      });
      if (answer.kind !== 'stream')
        return {
          message:
            answer.kind === 'refused'
              ? `may not be reached: ${answer.message}`
              : `cannot be reached: ${answer.message}`,
        };
      if ((answer.status !== 401 && answer.status !== 403) || attempt > 0) return answer;
      const challenge = answer.headers['www-authenticate'];
      const said = typeof challenge === 'string' ? challenge : challenge?.[0];
      if (!(await credentials.refused?.(answer.status, said, own.headers))) return answer;
      answer.cancel();
    }
  }

  const post = async (text: string): Promise<void> => {
    const answer = await exchange('POST', { ...basic, ...inSession() }, text, farewellMs * 5, stop.signal);
    if ('kind' in answer) answer.cancel();
  };
  const answerTo = async (request: RpcRequest, owner: object | undefined): Promise<void> => {
    // A server that asks without end would have us hold its questions.
    if (asked >= maxAsked) return;
    asked += 1;
    try {
      const { id, method, params } = request;
      const reply = await events.request(method, params, owner);
      await post('result' in reply ? encodeResult(id, JSON.stringify(reply.result)) : encodeError(id, reply.error));
    } finally {
      asked -= 1;
    }
  };

  /** Reads a stream until the answer to `id` or its end; what else comes goes to whom it concerns. */
  async function follow(
    answer: EgressStream,
    id: number | undefined,
    owner: object | undefined,
    place: { lastId?: string; retryMs?: number },
  ): Promise<RpcReply | undefined> {
    for await (const { message, lastId, retryMs } of messagesOf(answer, maxAnswerBytes)) {
      if (lastId !== undefined) place.lastId = lastId;
      if (retryMs !== undefined) place.retryMs = retryMs;
      if (message?.kind === 'response' && message.id === id) {
        answer.cancel();
        return message.reply;
      }
      if (message?.kind === 'notification') events.notification(message.method, message.params, owner);
      else if (message?.kind === 'request') void answerTo(message, owner);
    }
    return undefined;
  }

  async function answered(
    answer: EgressStream,
    id: number,
    outgoing: Outgoing,
    signal: AbortSignal,
  ): Promise<RpcReply> {
    const failure = (message: string): RpcReply => ({ error: rpcError(codes.internalError, message) });
    const type = String(answer.headers['content-type'] ?? '');
    if (answer.status === 404 && sessionId !== undefined && outgoing.method !== 'initialize') {
      answer.cancel();
      finish('the server has forgotten the session');
      return { error: sessionGone };
    }
    if (!type.startsWith('text/event-stream')) {
      const message = await whole(answer);
      if (message?.kind === 'response' && (message.id === id || answer.status >= 400)) return message.reply;
      return failure(problemOf(answer.status, message));
    }
    const place: { lastId?: string; retryMs?: number } = {};
    let reply = await follow(answer, id, outgoing.owner, place);
    // A server of 2025 may close a stream on purpose; who has an event id can come back for the rest.
    for (
      let tries = 0;
      reply === undefined && place.lastId !== undefined && tries < maxResumes && !signal.aborted;
      tries += 1
    ) {
      await pause(Math.min(place.retryMs ?? reopenMs, longestReopenMs), signal);
      const again = await exchange(
        'GET',
        { accept: 'text/event-stream', 'last-event-id': place.lastId, ...inSession() },
        undefined,
        outgoing.timeoutMs,
        signal,
      );
      if (!('kind' in again)) return failure(again.message);
      if (again.status !== 200) {
        again.cancel();
        break;
      }
      reply = await follow(again, id, outgoing.owner, place);
    }
    return reply ?? failure('the server closed the stream before it answered');
  }

  /** The stream on which a server of 2025 speaks on its own account; one that has none says 405. */
  async function listen(): Promise<void> {
    const place: { lastId?: string; retryMs?: number } = {};
    let quick = 0;
    for (let wait = reopenMs; !ended(); wait = Math.min(2 * wait, longestReopenMs)) {
      const since = performance.now();
      const answer = await exchange(
        'GET',
        {
          accept: 'text/event-stream',
          ...(place.lastId !== undefined && { 'last-event-id': place.lastId }),
          ...inSession(),
        },
        undefined,
        2_000_000_000,
        stop.signal,
      );
      if ('kind' in answer) {
        if (answer.status !== 200) return answer.cancel();
        await follow(answer, undefined, undefined, place).catch(() => {});
      }
      const lasted = performance.now() - since > longestReopenMs;
      if (lasted) wait = reopenMs;
      quick = lasted ? 0 : quick + 1;
      // A server that closes at once and says to come back at once would have us ask it for ever.
      const least = quick > mostQuick ? reopenMs : shortestReopenMs;
      await pause(Math.min(Math.max(place.retryMs ?? wait, least), longestReopenMs), stop.signal);
    }
  }

  return {
    get end() {
      return end;
    },
    agreed(agreedOn) {
      version = agreedOn;
      void listen();
    },
    notify(method, params) {
      if (!end) void post(encodeNotification(method, params));
    },
    async request(outgoing) {
      if (end) return { error: rpcError(codes.internalError, end.message) };
      const { method, params, timeoutMs, signal, headers } = outgoing;
      const id = nextId++;
      const modern = claimedVersion(params);
      const abort = lightController();
      let why: string | undefined;
      const giveUp = (reason: string): void => {
        if (why !== undefined) return;
        why = reason;
        // A modern server learns of it by the closed stream, an older one must be told.
        if (modern === undefined && method !== 'initialize')
          void post(encodeNotification('notifications/cancelled', { requestId: id, reason }));
        abort.abort();
      };
      const onAbort = (): void => giveUp('Cancelled');
      if (signal?.aborted) return { error: rpcError(codes.internalError, 'Cancelled') };
      signal?.addEventListener('abort', onAbort, { once: true });
      const place = underWay.add(abort);
      const timer = setTimeout(() => giveUp('No answer in time'), Math.min(timeoutMs, 2_147_483_647));
      try {
        const own = typeof modern === 'string' ? requestHeaders(method, params, modern) : { ...basic, ...inSession() };
        // The time is kept here; a second clock would only cost.
        const text = encodeRequest(id, method, params);
        const answer = await exchange('POST', headers ? { ...own, ...headers } : own, text, Infinity, abort.signal);
        if (!('kind' in answer)) return { error: rpcError(codes.internalError, why ?? answer.message) };
        if (method === 'initialize') {
          const given = answer.headers['mcp-session-id'];
          if (typeof given === 'string' && /^[\x21-\x7e]{1,512}$/.test(given)) sessionId = given;
        }
        return await answered(answer, id, outgoing, abort.signal);
      } catch (error) {
        return {
          error: rpcError(
            codes.internalError,
            why ?? ended()?.message ?? (error instanceof Error ? error.message : 'The answer broke off'),
          ),
        };
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        underWay.remove(place);
      }
    },
    close() {
      closing ??= (async () => {
        const farewell = sessionId;
        const last = inSession();
        finish('the connection was closed');
        if (farewell === undefined) return;
        const own = await credentials.headers();
        if ('headers' in own)
          await egress.request({
            url,
            method: 'DELETE',
            headers: { ...last, ...own.headers },
            timeoutMs: farewellMs,
            redirect: 'manual',
          });
      })();
      return closing;
    },
  };
}

/** Waits, unless the signal fires first. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener('abort', end, { once: true });
  });
}
