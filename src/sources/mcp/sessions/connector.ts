import type { JsonObject } from '../../../core/json.js';
import type { ChannelEnd, OpenChannel } from '../channels/channel.js';
import type { Era, Peer } from './handshake.js';
import { openSession } from './session.js';
import type { Session } from './session.js';

interface ConnectorOptions {
  readonly source: string;
  readonly open: OpenChannel;
  readonly remote: boolean;
  readonly era: Era;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly connectMs: number;
  onEvent(event: string, fields: JsonObject): void;
  onListChanged(): void;
  onConnect(session: Session): void;
  onUpdate(session: Session, uri: string): void;
  onEnd(session: Session): void;
  /** Called for every channel that ended, also before its session was open. */
  onChannelEnd(end: ChannelEnd): void;
}

/** Opens sessions with one server, remembers its protocol era and what it last declared about itself. */
export function connector(options: ConnectorOptions) {
  const { source, remote, onEvent } = options;
  let knownEra: Era = options.era;
  let peer: Peer | undefined;
  let closed = false;

  async function connect(signal: AbortSignal, owner: string): Promise<Session | ChannelEnd> {
    let session: Session | undefined;
    const opened = await openSession({
      open: options.open,
      owner,
      era: knownEra,
      first: remote ? 'modern' : 'legacy',
      handshake: { clientInfo: options.clientInfo, timeoutMs: options.connectMs, signal },
      events: {
        listChanged: options.onListChanged,
        resourceUpdated: (uri) => session && options.onUpdate(session, uri),
        ended(end) {
          if (session) options.onEnd(session);
          options.onChannelEnd(end);
          if (closed) return;
          const { message, stderr } = end;
          onEvent('upstream.closed', { source, message, ...(stderr !== undefined && { stderr }) });
        },
      },
    });
    if (!('request' in opened)) {
      // The server may have been replaced by one of the other era.
      if (options.era === 'auto') knownEra = 'auto';
      return opened;
    }
    session = opened;
    peer = opened.peer;
    const { server, version: revision, modern } = peer;
    if (options.era === 'auto') knownEra = modern ? 'modern' : 'legacy';
    onEvent('upstream.connected', { source, server: server.name, version: server.version, revision });
    options.onConnect(opened);
    return opened;
  }

  return {
    connect,
    /** What the server declared at the last connect. */
    peer: () => peer,
    /** Sessions that end from now on are not reported. */
    close(): void {
      closed = true;
    },
  };
}
