import type { EgressStream } from '../../net/egress-types.js';
import { lightController } from '../../lib/light-signal.js';
import { codes, rpcError } from '../../wire/codes.js';
import { encodeError, encodeNotification, encodeResult } from '../../wire/message.js';
import { pendingRequests } from '../../wire/pending.js';
import type { Channel, ChannelEvents, Ended } from './channel.js';
import { messagesOf, problemOf } from './http-answers.js';
import type { HttpOptions } from './http-channel.js';

const quietMs = 300_000;
const postMs = 30_000;
const longMs = 2_000_000_000;
const maxAsked = 64;

/** A channel in the way of 2024: one stream for everything the server says, and a second address for what we say. */
export async function sseChannel(
  { url, egress, credentials, maxAnswerBytes = 16 * 1024 * 1024 }: HttpOptions,
  events: ChannelEvents,
): Promise<Channel | Ended> {
  const stop = lightController();
  let end: Ended | undefined;
  let endpoint: string | undefined;
  let asked = 0;

  const finish = (message: string): void => {
    if (end) return;
    end = { message };
    pending.fail(rpcError(codes.internalError, message));
    stop.abort();
    events.ended(end);
  };
  const send = (text: string): void => {
    void (async () => {
      if (endpoint === undefined) return;
      const own = await credentials.headers(stop.signal);
      if ('problem' in own) return finish(own.problem);
      const answer = await egress.request({
        url: endpoint,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...own.headers },
        body: text,
        timeoutMs: postMs,
        signal: stop.signal,
        redirect: 'manual',
      });
      if (answer.kind !== 'response') finish(`cannot be reached: ${answer.message}`);
      else if (answer.status >= 400) finish(problemOf(answer.status, undefined));
    })();
  };
  const pending = pendingRequests(send);

  const own = await credentials.headers(stop.signal);
  if ('problem' in own) return { message: own.problem };
  const stream = await egress.open({
    url,
    headers: { accept: 'text/event-stream', ...own.headers },
    signal: stop.signal,
    idleMs: quietMs,
    totalMs: longMs,
    maxResponseBytes: 1024 * 1024 * 1024,
    redirect: 'manual',
  });
  if (stream.kind !== 'stream') return { message: `cannot be reached: ${stream.message}` };
  if (stream.status !== 200) {
    stream.cancel();
    return { message: problemOf(stream.status, undefined) };
  }

  const opened = new Promise<boolean>((resolve) => {
    void read(stream, (text) => {
      // The server names the address; another origin would be sent our credentials.
      const named = URL.canParse(text, url) ? new URL(text, url) : undefined;
      if (named?.origin !== new URL(url).origin) return finish('the server names an address that is not its own');
      endpoint ??= named.href;
      return resolve(true);
    })
      .then(
        () => finish('the server closed the stream'),
        () => finish('the stream broke off'),
      )
      .finally(() => resolve(false));
  });

  async function read(from: EgressStream, name: (text: string) => void): Promise<void> {
    for await (const { message, event, data } of messagesOf(from, maxAnswerBytes)) {
      if (event === 'endpoint' && data !== undefined) name(data);
      else if (message?.kind === 'response') pending.settle(message);
      else if (message?.kind === 'notification') events.notification(message.method, message.params, undefined);
      // A server that asks without end would have us hold its questions.
      else if (message?.kind === 'request' && asked < maxAsked) {
        asked += 1;
        void events
          .request(message.method, message.params, undefined)
          .finally(() => (asked -= 1))
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

  const late = setTimeout(() => finish('the server did not say where to send requests'), postMs);
  const isOpen = await opened;
  clearTimeout(late);
  if (!isOpen) return end ?? { message: 'the server closed the stream' };
  return {
    get end() {
      return end;
    },
    request: ({ method, params, timeoutMs, signal }) =>
      end
        ? Promise.resolve({ error: rpcError(codes.internalError, end.message) })
        : pending.ask(method, params, { timeoutMs: Math.min(timeoutMs, 2_147_483_647), ...(signal && { signal }) }),
    notify: (method, params) => end || send(encodeNotification(method, params)),
    close() {
      finish('the connection was closed');
      return Promise.resolve();
    },
  };
}
