import type { Egress, EgressStream } from '../../../net/egress-types.js';
import { linkedSet } from '../../../lib/linked-set.js';
import { pause } from '../../../lib/pause.js';
import { lightController } from '../../../lib/light-signal.js';
import type { Controller } from '../../../lib/light-signal.js';
import { requestHeaders } from '../../../wire/headers.js';
import { encodeError, encodeNotification, encodeRequest, encodeResult } from '../../../wire/message.js';
import type { RpcRequest } from '../../../wire/message.js';
import { claimedVersion } from '../../../wire/meta.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply, RpcReply, TransportFailure } from '../../../wire/reply.js';
import type { Channel, ChannelEvents, ChannelEnd, OutgoingRequest } from './channel.js';
import { bodyFailure, requestFailure, statusFailure } from './http-failures.js';
import { streamMessages, readMessage } from './http-messages.js';

/** Credentials for a remote server: headers computed per request, and a hook for a 401 or 403. */
export interface Credentials {
  headers(signal?: AbortSignal): Promise<CredentialHeaders>;
  /** Called on a 401 or 403 with the rejected headers; true if the request should be sent once more. */
  onRejected?(status: number, challenge: string | undefined, sent: Readonly<Record<string, string>>): Promise<boolean>;
}

/** Headers to send, or why there are none; `needsAction` if the user must act first (log in). */
type CredentialHeaders =
  { readonly headers: Readonly<Record<string, string>> } | { readonly problem: string; readonly needsAction?: boolean };

export interface HttpChannelOptions {
  readonly url: string;
  readonly egress: Pick<Egress, 'open' | 'request'>;
  readonly credentials: Credentials;
  readonly maxAnswerBytes?: number;
}

const idleTimeoutMs = 300_000;
const closeTimeoutMs = 2_000;
const maxResumes = 5;
const reopenMs = 1_000;
const minReopenMs = 100;
const maxQuickReopens = 5;
const maxServerRequests = 64;
const maxReopenMs = 30_000;
const legacyHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Channel over Streamable HTTP, legacy and modern: one HTTP exchange per request, answered as JSON or as an SSE stream. */
export function httpChannel(
  { url, egress, credentials, maxAnswerBytes = 16 * 1024 * 1024 }: HttpChannelOptions,
  events: ChannelEvents,
): Channel {
  const stop = lightController();
  const inFlight = linkedSet<Controller>();
  let end: ChannelEnd | undefined;
  let sessionId: string | undefined;
  let version: string | undefined;
  let nextId = 1;
  let openServerRequests = 0;
  let closing: Promise<void> | undefined;

  const finish = (message: string): void => {
    if (end) return;
    end = { message };
    stop.abort();
    for (const controller of inFlight) controller.abort();
    events.ended(end);
  };
  /** Reads `end` through a function: TypeScript would keep the narrowed type across an await. */
  const ended = (): ChannelEnd | undefined => end;
  const sessionHeaders = (): Record<string, string> => ({
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    ...(version !== undefined && { 'mcp-protocol-version': version }),
  });

  /** Sends a request; retries once if the credentials were rejected and could be renewed. */
  async function exchange(
    method: 'POST' | 'GET',
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<EgressStream | { readonly failure: TransportFailure }> {
    for (let attempt = 0; ; attempt += 1) {
      const auth = await credentials.headers(signal);
      if ('problem' in auth) return failedReply(auth.needsAction ? 'refused' : 'connection', auth.problem);
      const answer = await egress.open({
        url,
        method,
        signal,
        timeoutMs,
        idleMs: idleTimeoutMs,
        totalMs: timeoutMs,
        maxResponseBytes: maxAnswerBytes,
        redirect: 'manual',
        headers: { ...headers, ...auth.headers },
        ...(body !== undefined && { body }),
      });
      if (answer.kind !== 'stream') return { failure: requestFailure(answer) };
      if ((answer.status !== 401 && answer.status !== 403) || attempt > 0) return answer;
      const challenge = answer.headers['www-authenticate'];
      const challengeText = typeof challenge === 'string' ? challenge : challenge?.[0];
      if (!(await credentials.onRejected?.(answer.status, challengeText, auth.headers))) return answer;
      answer.cancel();
    }
  }

  const post = async (text: string): Promise<void> => {
    const answer = await exchange(
      'POST',
      { ...legacyHeaders, ...sessionHeaders() },
      text,
      closeTimeoutMs * 5,
      stop.signal,
    );
    if (!('failure' in answer)) answer.cancel();
  };
  const answerRequest = async (request: RpcRequest, owner: object | undefined): Promise<void> => {
    // Bounds memory: a server could send requests without end.
    if (openServerRequests >= maxServerRequests) return;
    openServerRequests += 1;
    try {
      const { id, method, params } = request;
      const reply = await events.request(method, params, owner);
      await post('result' in reply ? encodeResult(id, JSON.stringify(reply.result)) : encodeError(id, reply.error));
    } finally {
      openServerRequests -= 1;
    }
  };

  /** Reads a stream until the response to `id` or its end; dispatches all other messages. */
  async function readStream(
    answer: EgressStream,
    id: number | undefined,
    owner: object | undefined,
    position: { lastId?: string; retryMs?: number },
  ): Promise<RpcReply | undefined> {
    for await (const { message, lastId, retryMs } of streamMessages(answer, maxAnswerBytes)) {
      if (lastId !== undefined) position.lastId = lastId;
      if (retryMs !== undefined) position.retryMs = retryMs;
      if (message?.kind === 'response' && message.id === id) {
        answer.cancel();
        return message.reply;
      }
      if (message?.kind === 'notification') events.notification(message.method, message.params, owner);
      else if (message?.kind === 'request') void answerRequest(message, owner);
    }
    return undefined;
  }

  async function readReply(
    answer: EgressStream,
    id: number,
    outgoing: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<Reply> {
    const type = String(answer.headers['content-type'] ?? '');
    if (answer.status === 404 && sessionId !== undefined && outgoing.method !== 'initialize') {
      answer.cancel();
      finish('the server no longer has this session');
      return failedReply('session', 'the server no longer has this session', { unprocessed: true });
    }
    if (!type.startsWith('text/event-stream')) {
      const message = await readMessage(answer);
      if (message?.kind === 'response' && (message.id === id || answer.status >= 400)) return message.reply;
      return { failure: statusFailure(answer.status, message) };
    }
    const position: { lastId?: string; retryMs?: number } = {};
    let cut: TransportFailure = {
      kind: 'connection',
      message: 'the server closed the stream before it sent a response',
    };
    /** Reads on until the response; a stream that was cut is resumed like one that was closed. */
    const read = async (stream: EgressStream): Promise<RpcReply | undefined> => {
      try {
        return await readStream(stream, id, outgoing.owner, position);
      } catch (error) {
        const failure = bodyFailure(error);
        if (signal.aborted || failure.kind !== 'connection') throw error;
        cut = failure;
        return undefined;
      }
    };
    let reply = await read(answer);
    // A legacy server may close a stream on purpose; Last-Event-ID resumes it.
    for (
      let tries = 0;
      reply === undefined && position.lastId !== undefined && tries < maxResumes && !signal.aborted;
      tries += 1
    ) {
      await pause(Math.min(position.retryMs ?? reopenMs, maxReopenMs), signal);
      const resumed = await exchange(
        'GET',
        { accept: 'text/event-stream', 'last-event-id': position.lastId, ...sessionHeaders() },
        undefined,
        outgoing.timeoutMs,
        signal,
      );
      if ('failure' in resumed) {
        if (resumed.failure.kind !== 'connection') return resumed;
        cut = resumed.failure;
        continue;
      }
      if (resumed.status !== 200) {
        resumed.cancel();
        break;
      }
      reply = await read(resumed);
    }
    // The server may have processed the request, so it must not be sent again.
    return reply ?? { failure: { ...cut, unprocessed: false } };
  }

  /** Listens on the GET stream for messages initiated by a legacy server; a server without one answers 405. */
  async function listen(): Promise<void> {
    const position: { lastId?: string; retryMs?: number } = {};
    let quick = 0;
    for (let wait = reopenMs; !ended(); wait = Math.min(2 * wait, maxReopenMs)) {
      const since = performance.now();
      const answer = await exchange(
        'GET',
        {
          accept: 'text/event-stream',
          ...(position.lastId !== undefined && { 'last-event-id': position.lastId }),
          ...sessionHeaders(),
        },
        undefined,
        2_000_000_000,
        stop.signal,
      );
      if (!('failure' in answer)) {
        if (answer.status !== 200) return answer.cancel();
        await readStream(answer, undefined, undefined, position).catch(() => {});
      }
      const lasted = performance.now() - since > maxReopenMs;
      if (lasted) wait = reopenMs;
      quick = lasted ? 0 : quick + 1;
      // A server that closes at once with `retry: 0` would cause a reconnect loop.
      const least = quick > maxQuickReopens ? reopenMs : minReopenMs;
      await pause(Math.min(Math.max(position.retryMs ?? wait, least), maxReopenMs), stop.signal);
    }
  }

  return {
    get end() {
      return end;
    },
    setVersion(negotiated) {
      version = negotiated;
      void listen();
    },
    notify(method, params) {
      if (!end) void post(encodeNotification(method, params));
    },
    async request(outgoing) {
      if (end) return failedReply('connection', end.message, { unprocessed: true });
      const { method, params, timeoutMs, signal, headers } = outgoing;
      const id = nextId++;
      const modern = claimedVersion(params);
      const abort = lightController();
      let abandoned: TransportFailure | undefined;
      const abandon = (kind: 'timeout' | 'cancelled', reason: string): void => {
        if (abandoned !== undefined) return;
        abandoned = { kind, message: reason };
        // A modern server sees the closed stream; a legacy one needs a notification.
        if (modern === undefined && method !== 'initialize')
          void post(encodeNotification('notifications/cancelled', { requestId: id, reason }));
        abort.abort();
      };
      const onAbort = (): void => abandon('cancelled', 'Cancelled');
      if (signal?.aborted) return failedReply('cancelled', 'Cancelled');
      signal?.addEventListener('abort', onAbort, { once: true });
      const entry = inFlight.add(abort);
      const timer = setTimeout(() => abandon('timeout', 'No response in time'), Math.min(timeoutMs, 2_147_483_647));
      try {
        const own =
          typeof modern === 'string'
            ? requestHeaders(method, params, modern)
            : { ...legacyHeaders, ...sessionHeaders() };
        // The timer above bounds the request; a second timer in egress would only cost time.
        const text = encodeRequest(id, method, params);
        const answer = await exchange('POST', headers ? { ...own, ...headers } : own, text, Infinity, abort.signal);
        if ('failure' in answer) return abandoned ? { failure: abandoned } : answer;
        if (method === 'initialize') {
          const given = answer.headers['mcp-session-id'];
          if (typeof given === 'string' && /^[\x21-\x7e]{1,512}$/.test(given)) sessionId = given;
        }
        return await readReply(answer, id, outgoing, abort.signal);
      } catch (error) {
        const closedBy = ended();
        return {
          failure: abandoned ?? (closedBy ? { kind: 'connection', message: closedBy.message } : bodyFailure(error)),
        };
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        inFlight.remove(entry);
      }
    },
    close() {
      closing ??= (async () => {
        const closedSession = sessionId;
        const lastHeaders = sessionHeaders();
        finish('the connection was closed');
        if (closedSession === undefined) return;
        const auth = await credentials.headers();
        if ('headers' in auth)
          await egress.request({
            url,
            method: 'DELETE',
            headers: { ...lastHeaders, ...auth.headers },
            timeoutMs: closeTimeoutMs,
            redirect: 'manual',
          });
      })();
      return closing;
    },
  };
}
