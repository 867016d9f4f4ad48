import type { EgressStream } from '../../../net/egress/egress-types.js';
import { lightController } from '../../../lib/light-signal.js';
import { encodeNotification } from '../../../wire/message.js';
import { pendingRequests } from '../../../wire/pending.js';
import { failedReply } from '../../../wire/reply.js';
import type { Channel, ChannelEvents, ChannelEnd } from './channel.js';
import { statusProblem } from './http-failures.js';
import { streamMessages } from './http-messages.js';
import { defaultMaxAnswerBytes } from './http-exchange.js';
import type { HttpChannelOptions } from './http-exchange.js';
import { serverRequests } from './server-requests.js';

/** A stream without a byte for this long is dead. */
const idleTimeoutMs = 300_000;
/** Time for one POST. */
const postTimeoutMs = 30_000;
/** The stream itself has no natural end. */
const streamTimeoutMs = 2_000_000_000;

/** Channel over HTTP+SSE (protocol 2024-11-05): one stream for all server messages, and a POST endpoint for ours. */
export async function sseChannel(
  { url, egress, credentials, maxAnswerBytes = defaultMaxAnswerBytes }: HttpChannelOptions,
  events: ChannelEvents,
): Promise<Channel | ChannelEnd> {
  const stop = lightController();
  let end: ChannelEnd | undefined;
  let endpoint: string | undefined;

  const finish = (message: string): void => {
    if (end) return;
    end = { message };
    // All pending requests fail at once instead of at their deadlines.
    pending.fail({ kind: 'connection', message });
    stop.abort();
    events.ended(end);
  };
  const send = (text: string): void => {
    void (async () => {
      if (endpoint === undefined) return;
      const auth = await credentials.headers(stop.signal);
      // Every message travels by a separate request, so that one failure ends the channel.
      if ('problem' in auth) return finish(auth.problem);
      const answer = await egress.request({
        url: endpoint,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...auth.headers },
        body: text,
        timeoutMs: postTimeoutMs,
        signal: stop.signal,
        redirect: 'manual',
      });
      if (answer.kind !== 'response') finish(`cannot be reached: ${answer.message}`);
      else if (answer.status >= 400) finish(statusProblem(answer.status, undefined));
    })();
  };
  const pending = pendingRequests(send);
  const answerRequest = serverRequests({ request: events.request, send, rejectExcess: false });

  const auth = await credentials.headers(stop.signal);
  if ('problem' in auth) return { message: auth.problem };
  const stream = await egress.open({
    url,
    headers: { accept: 'text/event-stream', ...auth.headers },
    signal: stop.signal,
    idleMs: idleTimeoutMs,
    totalMs: streamTimeoutMs,
    maxResponseBytes: 1024 * 1024 * 1024,
    redirect: 'manual',
  });
  if (stream.kind !== 'stream') return { message: `cannot be reached: ${stream.message}` };
  if (stream.status !== 200) {
    stream.cancel();
    return { message: statusProblem(stream.status, undefined) };
  }

  const opened = new Promise<boolean>((resolve) => {
    void read(stream, (text) => {
      // The server chooses the endpoint; another origin would receive our credentials (confused deputy).
      const named = URL.canParse(text, url) ? new URL(text, url) : undefined;
      if (named?.origin !== new URL(url).origin) return finish('the server named an endpoint on another origin');
      // Only the first endpoint counts: a later one could redirect running requests.
      endpoint ??= named.href;
      return resolve(true);
    })
      .then(
        () => finish('the server closed the stream'),
        () => finish('the stream was interrupted'),
      )
      .finally(() => resolve(false));
  });

  async function read(from: EgressStream, name: (text: string) => void): Promise<void> {
    for await (const { message, event, data } of streamMessages(from, maxAnswerBytes)) {
      if (event === 'endpoint' && data !== undefined) name(data);
      else if (message?.kind === 'response') pending.settle(message);
      else if (message?.kind === 'notification') events.notification(message.method, message.params, undefined);
      else if (message?.kind === 'request') void answerRequest(message, undefined);
    }
  }

  // A server that never names its endpoint would keep the handshake waiting.
  const endpointTimer = setTimeout(() => finish('the server sent no endpoint event'), postTimeoutMs);
  const isOpen = await opened;
  clearTimeout(endpointTimer);
  if (!isOpen) return end ?? { message: 'the server closed the stream' };
  return {
    get end() {
      return end;
    },
    request: ({ method, params, timeoutMs, signal }) =>
      end
        ? Promise.resolve(failedReply('connection', end.message, { unprocessed: true }))
        : pending.ask(method, params, { timeoutMs: Math.min(timeoutMs, 2_147_483_647), ...(signal && { signal }) }),
    notify: (method, params) => end || send(encodeNotification(method, params)),
    close() {
      finish('the connection was closed');
      return Promise.resolve();
    },
  };
}
