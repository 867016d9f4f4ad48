import type { JsonObject } from '../../core/json.js';
import type { RpcReply } from '../../wire/pending.js';
import type { Channel, ChannelEvents, Ended, OpenChannel, Outgoing } from './channel.js';
import { isChannel } from './channel.js';
import { httpChannel } from './http-channel.js';
import type { Credentials, HttpOptions } from './http-channel.js';
import { sseChannel } from './sse-channel.js';

export interface RemoteOptions extends Omit<HttpOptions, 'credentials'> {
  readonly transport: 'streamable_http' | 'sse';
  /** Who the owner of a connection is to the server. */
  readonly credentials: (owner: string) => Credentials;
}

/** Opens a way to a remote server; one that does not know Streamable HTTP is spoken to in the way of 2024. */
export const remoteChannel =
  ({ transport, credentials, ...options }: RemoteOptions): OpenChannel =>
  async (events: ChannelEvents, owner: string): Promise<Channel | Ended> => {
    const own = { ...options, credentials: credentials(owner) };
    const presented = await own.credentials.headers();
    // Somebody who has not logged in is no failure of the server, after which it would be left alone for everybody.
    if ('problem' in presented && presented.held) return { message: presented.problem, held: true };
    return transport === 'sse' ? sseChannel(own, events) : withFallback(own, events);
  };

/** Only the greeting may find out that the address is an old one: later a 404 means something else. */
function withFallback(options: HttpOptions, events: ChannelEvents): Channel {
  let older: Channel | undefined;
  let quiet = false;
  const first = httpChannel(options, { ...events, ended: (end) => quiet || events.ended(end) });
  const current = (): Channel => older ?? first;
  const greeting = async (outgoing: Outgoing): Promise<RpcReply> => {
    const reply = await first.request(outgoing);
    if ('result' in reply || !/status (404|405|400)$/.test(reply.error.message)) return reply;
    const opened = await sseChannel(options, events);
    if (!isChannel(opened)) return reply;
    quiet = true;
    void first.close();
    older = opened;
    return older.request(outgoing);
  };
  return {
    get end() {
      return current().end;
    },
    agreed: (version: string) => current().agreed?.(version),
    notify: (method: string, params?: JsonObject) => current().notify(method, params),
    close: () => current().close(),
    request: (outgoing) =>
      older || outgoing.method !== 'initialize' ? current().request(outgoing) : greeting(outgoing),
  };
}
