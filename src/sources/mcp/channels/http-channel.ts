import { linkedSet } from '../../../lib/linked-set.js';
import { pause } from '../../../lib/pause.js';
import { lightController } from '../../../lib/light-signal.js';
import type { Controller } from '../../../lib/light-signal.js';
import type { EgressStream } from '../../../net/egress/egress-types.js';
import { requestHeaders } from '../../../wire/headers.js';
import { encodeNotification, encodeRequest } from '../../../wire/message.js';
import { claimedVersion } from '../../../wire/meta.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply } from '../../../wire/reply.js';
import { abandonment } from './abandonment.js';
import type { Channel, ChannelEvents, ChannelEnd, OutgoingRequest } from './channel.js';
import { defaultMaxAnswerBytes, httpExchange } from './http-exchange.js';
import type { Exchanged, HttpChannelOptions } from './http-exchange.js';
import { bodyFailure, statusFailure } from './http-failures.js';
import { readMessage } from './http-messages.js';
import { httpSession } from './http-session.js';
import { reopenDelay } from './reopen-delay.js';
import { readResponseStream, streamReader } from './response-stream.js';
import type { StreamPosition } from './response-stream.js';
import { serverRequests } from './server-requests.js';

/** Time for a polite end; the process must not wait longer. */
const closeTimeoutMs = 2_000;
/** Time for messages without a response. */
const postTimeoutMs = 10_000;
/** A stream that waits for messages has no natural end. */
const listenTimeoutMs = 2_000_000_000;
/** Both types, because a legacy server chooses how it answers. */
const legacyHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const eventStream = { accept: 'text/event-stream' };
/** Message of a session that the server has dropped. */
const sessionLost = 'the server no longer has this session';

/** Channel over Streamable HTTP, legacy and modern: one HTTP exchange per request, answered as JSON or as an SSE stream. */
export function httpChannel(options: HttpChannelOptions, events: ChannelEvents): Channel {
  const { url, egress, credentials, maxAnswerBytes = defaultMaxAnswerBytes } = options;
  const exchange = httpExchange(options);
  const session = httpSession();
  const stop = lightController();
  const inFlight = linkedSet<Controller>();
  let end: ChannelEnd | undefined;
  let nextId = 1;
  let closing: Promise<void> | undefined;

  const finish = (message: string): void => {
    if (end) return;
    end = { message };
    // The stream of the server ends before the requests, so that no late message arrives.
    stop.abort();
    for (const controller of inFlight) controller.abort();
    events.ended(end);
  };
  /** Reads `end` through a function: TypeScript would keep the narrowed type across an await. */
  const ended = (): ChannelEnd | undefined => end;

  const post = async (body: string): Promise<void> => {
    const headers = { ...legacyHeaders, ...session.headers() };
    const answer = await exchange({ method: 'POST', headers, body, timeoutMs: postTimeoutMs, signal: stop.signal });
    if (!('failure' in answer)) answer.cancel();
  };
  const openStream = (lastId: string | undefined, timeoutMs: number, signal: AbortSignal): Promise<Exchanged> => {
    const position = lastId === undefined ? {} : { 'last-event-id': lastId };
    return exchange({
      method: 'GET',
      headers: { ...eventStream, ...position, ...session.headers() },
      timeoutMs,
      signal,
    });
  };
  const answerRequest = serverRequests({ request: events.request, send: post, rejectExcess: false });
  const readStream = streamReader(events, answerRequest, maxAnswerBytes);

  async function readReply(
    answer: EgressStream,
    id: number,
    { method, owner, timeoutMs }: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<Reply> {
    // 404 with a session means that the server has dropped it; nothing was processed.
    if (answer.status === 404 && session.id() !== undefined && method !== 'initialize') {
      answer.cancel();
      finish(sessionLost);
      return failedReply('session', sessionLost, { unprocessed: true });
    }
    const type = String(answer.headers['content-type'] ?? '');
    if (type.startsWith(eventStream.accept))
      return readResponseStream(answer, {
        read: (stream, position) => readStream(stream, position, { id, owner }),
        resume: (lastId) => openStream(lastId, timeoutMs, signal),
        signal,
      });
    const message = await readMessage(answer);
    // Errors of some servers carry no id.
    if (message?.kind === 'response' && (message.id === id || answer.status >= 400)) return message.reply;
    return { failure: statusFailure(answer.status, message, options.url) };
  }

  /** Listens on the GET stream for messages initiated by a legacy server; a server without one answers 405. */
  async function listen(): Promise<void> {
    const position: StreamPosition = {};
    const nextDelay = reopenDelay();
    while (!ended()) {
      const since = performance.now();
      const answer = await openStream(position.lastId, listenTimeoutMs, stop.signal);
      // A failed attempt is repeated after a delay; the stream is optional.
      if (!('failure' in answer)) {
        if (answer.status !== 200) return answer.cancel();
        // An interrupted stream is resumed where it ended.
        await readStream(answer, position).catch(() => {});
      }
      await pause(nextDelay(performance.now() - since, position.retryMs), stop.signal);
    }
  }

  async function request(outgoing: OutgoingRequest): Promise<Reply> {
    const { method, params, timeoutMs, signal } = outgoing;
    if (end) return failedReply('connection', end.message, { unprocessed: true });
    // Checked before sending: the server must not see a request that nothing waits for.
    if (signal?.aborted) return failedReply('cancelled', 'Cancelled');
    const id = nextId++;
    const modern = claimedVersion(params);
    const abandoned = abandonment(timeoutMs, signal, (reason) => {
      // A modern server sees the closed stream; a legacy one needs a notification.
      if (modern === undefined && method !== 'initialize')
        void post(encodeNotification('notifications/cancelled', { requestId: id, reason }));
    });
    const { controller } = abandoned;
    const entry = inFlight.add(controller);
    try {
      const own =
        typeof modern === 'string'
          ? requestHeaders(method, params, modern)
          : { ...legacyHeaders, ...session.headers() };
      const answer = await exchange({
        method: 'POST',
        headers: outgoing.headers ? { ...own, ...outgoing.headers } : own,
        body: encodeRequest(id, method, params),
        // The deadline above bounds the request; a second timer in egress would only cost time.
        timeoutMs: Infinity,
        signal: controller.signal,
      });
      const reason = abandoned.reason();
      if ('failure' in answer) return reason ? { failure: reason } : answer;
      // Only the handshake may set the session.
      if (method === 'initialize') session.setId(answer.headers['mcp-session-id']);
      return await readReply(answer, id, outgoing, controller.signal);
    } catch (error) {
      const closedBy = ended();
      const connection = closedBy && ({ kind: 'connection', message: closedBy.message } as const);
      return { failure: abandoned.reason() ?? connection ?? bodyFailure(error) };
    } finally {
      abandoned.clear();
      inFlight.remove(entry);
    }
  }

  /** Ends the session at the server as well, if it has one. */
  async function endSession(): Promise<void> {
    const hasSession = session.id() !== undefined;
    const headers = session.headers();
    finish('the connection was closed');
    if (!hasSession) return;
    const auth = await credentials.headers();
    // Without credentials the server would reject the request anyway.
    if (!('headers' in auth)) return;
    await egress.request({
      url,
      method: 'DELETE',
      headers: { ...headers, ...auth.headers },
      timeoutMs: closeTimeoutMs,
      redirect: 'manual',
    });
  }

  return {
    get end() {
      return end;
    },
    setVersion(negotiated) {
      session.setVersion(negotiated);
      void listen();
    },
    notify(method, params) {
      if (!end) void post(encodeNotification(method, params));
    },
    request,
    close: () => (closing ??= endSession()),
  };
}
