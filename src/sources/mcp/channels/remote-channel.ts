import type { JsonObject } from '../../../core/json.js';
import type { Reply } from '../../../wire/reply.js';
import type { Channel, ChannelEvents, ChannelEnd, OpenChannel, OutgoingRequest } from './channel.js';
import { isChannel } from './channel.js';
import { httpChannel } from './http-channel.js';
import type { Credentials, HttpChannelOptions } from './http-exchange.js';
import { sseChannel } from './sse-channel.js';

/** What a remote channel is built from. */
export interface RemoteChannelOptions extends Omit<HttpChannelOptions, 'credentials'> {
  readonly transport: 'streamable_http' | 'sse';
  /** Credentials for the owner of a connection. */
  readonly credentials: (owner: string) => Credentials;
}

/** Connects to a remote server over Streamable HTTP, with a fallback to HTTP+SSE of 2024. */
export const remoteChannel =
  ({ transport, credentials, ...options }: RemoteChannelOptions): OpenChannel =>
  async (events: ChannelEvents, owner: string): Promise<Channel | ChannelEnd> => {
    const own = { ...options, credentials: credentials(owner) };
    const presented = await own.credentials.headers();
    // A missing login is no failure of the server: counting it would pause the server for all callers.
    if ('problem' in presented && presented.needsAction) return { message: presented.problem, needsAction: true };
    return transport === 'sse' ? sseChannel(own, events) : httpWithSseFallback(own, events);
  };

/** Falls back only on `initialize`: later a 404 means an expired session. */
function httpWithSseFallback(options: HttpChannelOptions, events: ChannelEvents): Channel {
  let fallback: Channel | undefined;
  let isReplaced = false;
  const first = httpChannel(options, { ...events, ended: (end) => isReplaced || events.ended(end) });
  const current = (): Channel => fallback ?? first;
  const initialize = async (outgoing: OutgoingRequest): Promise<Reply> => {
    const reply = await first.request(outgoing);
    // Statuses with which servers of 2024 answer a POST to their stream.
    if (!('failure' in reply) || ![400, 404, 405].includes(reply.failure.status ?? 0)) return reply;
    const opened = await sseChannel(options, events);
    if (!isChannel(opened)) return reply;
    // From here on the end of the first channel is no end of the connection.
    isReplaced = true;
    void first.close();
    fallback = opened;
    return fallback.request(outgoing);
  };
  return {
    get end() {
      return current().end;
    },
    setVersion: (version: string) => current().setVersion?.(version),
    notify: (method: string, params?: JsonObject) => current().notify(method, params),
    close: () => current().close(),
    request: (outgoing) =>
      fallback || outgoing.method !== 'initialize' ? current().request(outgoing) : initialize(outgoing),
  };
}
