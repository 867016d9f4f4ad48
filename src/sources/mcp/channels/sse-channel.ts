import type { EgressStream } from '../../../net/egress-types.js';
import { lightController } from '../../../lib/light-signal.js';
import { encodeError, encodeNotification, encodeResult } from '../../../wire/message.js';
import { pendingRequests } from '../../../wire/pending.js';
import { failedReply } from '../../../wire/reply.js';
import type { Channel, ChannelEvents, ChannelEnd } from './channel.js';
import { statusProblem } from './http-failures.js';
import { streamMessages } from './http-messages.js';
import type { HttpChannelOptions } from './http-channel.js';

const idleTimeoutMs = 300_000;
const postTimeoutMs = 30_000;
const streamTimeoutMs = 2_000_000_000;
const maxServerRequests = 64;

/** Channel over HTTP+SSE (protocol 2024-11-05): one stream for all server messages, and a POST endpoint for ours. */
export async function sseChannel(
  { url, egress, credentials, maxAnswerBytes = 16 * 1024 * 1024 }: HttpChannelOptions,
  events: ChannelEvents,
): Promise<Channel | ChannelEnd> {
  const stop = lightController();
  let end: ChannelEnd | undefined;
  let endpoint: string | undefined;
  let openServerRequests = 0;

  const finish = (message: string): void => {
    if (end) return;
    end = { message };
    pending.fail({ kind: 'connection', message });
    stop.abort();
    events.ended(end);
  };
  const send = (text: string): void => {
    void (async () => {
      if (endpoint === undefined) return;
      const auth = await credentials.headers(stop.signal);
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
      // Bounds memory: a server could send requests without end.
      else if (message?.kind === 'request' && openServerRequests < maxServerRequests) {
        openServerRequests += 1;
        void events
          .request(message.method, message.params, undefined)
          .finally(() => (openServerRequests -= 1))
          .then((reply) =>
            send(
              'result' in reply
                ? encodeResult(message.id, JSON.stringify(reply.result))
                : encodeError(message.id, reply.error),
            ),
          );
      }
    }
  }

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
