import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../../core/json.js';
import type { Id } from '../../../wire/id.js';
import type { RpcResponse } from '../../../wire/message.js';
import type { EventSink } from './resumable-stream.js';
import type { SessionEntry, SessionTable } from './session-table.js';

/** Messages between the replicas that serve the same sessions; they may be lost, and every waiting thing has a deadline. */
export interface SessionChannel {
  readonly replica: string;
  publish(message: Json, to?: string): void;
  subscribe(listener: (message: Json, from: string) => void): void;
  /** Replicas that are running, this one included. */
  replicas(): readonly string[];
}

/** Takes what a client sends to this replica about something that another one holds. */
export interface SessionRelay {
  /** Prefix of ids that this replica issues. */
  readonly prefix: string;
  /** Passes the reply to a question on to the replica that asked; false if that is this one or none. */
  reply(entry: SessionEntry, response: RpcResponse): boolean;
  /** Cancels a request on whatever replica runs it. */
  cancel(entry: SessionEntry, request: string | number): void;
  /** Continues a stream of another replica on this response; false if no other replica holds it. */
  resume(entry: SessionEntry, stream: string, after: number, sink: EventSink): boolean;
}

/** Longest text of one message; a longer event is sent in parts. */
const maxPartChars = 100_000;
const maxRelayedStreams = 1_000;
/** Time that a replica has to begin a stream; a lost message must not keep a client waiting. */
const beginMs = 5_000;

interface RelayedStream {
  readonly sink: EventSink;
  readonly timer: NodeJS.Timeout;
}

/**
 * Routes by the replica name inside an id (`r7.42`), so no directory is needed. A name that a client made up leads nowhere: messages
 * carry session and owner, and the receiver looks only at that session.
 */
export function sessionRelay(channel: SessionChannel, sessions: SessionTable): SessionRelay {
  const { replica } = channel;
  const incoming = new Map<string, RelayedStream>();
  const outgoing = new Map<string, EventSink & { close(): void }>();

  /** The replica that issued an id, if it is another one that is running. */
  const issuerOf = (id: Id): string | undefined => {
    const [, name] = typeof id === 'string' ? (/^([A-Za-z0-9-]{1,32})\./.exec(id) ?? []) : [];
    return name !== undefined && name !== replica && channel.replicas().includes(name) ? name : undefined;
  };
  const about = ({ id, owner }: SessionEntry): JsonObject => ({ session: id, owner });
  const endIncoming = (ticket: string): void => {
    const stream = incoming.get(ticket);
    if (stream === undefined) return;
    clearTimeout(stream.timer);
    incoming.delete(ticket);
    stream.sink.end();
  };

  channel.subscribe((message, from) => {
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return;
    // Authenticated by the channel, so written by a replica; its version may be another one.
    const { kind, session, owner, ticket, text, request, response, stream, after } = message as Record<string, Json>;
    if (kind === 'events' && typeof ticket === 'string' && typeof text === 'string') {
      const known = incoming.get(ticket);
      if (known) clearTimeout(known.timer);
      return void known?.sink.write(text);
    }
    if (kind === 'end' && typeof ticket === 'string') return endIncoming(ticket);
    if (kind === 'leave' && typeof ticket === 'string') return outgoing.get(ticket)?.close();
    if (typeof session !== 'string' || typeof owner !== 'string') return;
    const entry = sessions.find(session, owner);
    if (kind === 'cancel')
      entry?.session.handleNotification({
        kind: 'notification',
        method: 'notifications/cancelled',
        params: { requestId: request ?? null },
      });
    if (kind === 'reply') entry?.session.handleResponse(response as unknown as RpcResponse);
    if (kind === 'resume' && typeof ticket === 'string' && typeof stream === 'string') {
      const found = entry?.resumables?.get(stream);
      const end = (): void => channel.publish({ kind: 'end', ticket }, from);
      if (found === undefined || outgoing.size >= maxRelayedStreams) return end();
      let onClose = (): void => {};
      const sink = {
        writableLength: 0,
        write(event: string) {
          for (let at = 0; at < event.length; at += maxPartChars)
            channel.publish({ kind: 'events', ticket, text: event.slice(at, at + maxPartChars) }, from);
        },
        end() {
          outgoing.delete(ticket);
          end();
        },
        once: (_event: 'close', listener: () => void) => void (onClose = listener),
        close() {
          outgoing.delete(ticket);
          onClose();
        },
      };
      outgoing.set(ticket, sink);
      found.attach(sink, Number(after));
    }
  });

  return {
    prefix: `${replica}.`,
    reply(entry, response) {
      const to = issuerOf(response.id);
      if (to === undefined) return false;
      channel.publish({ kind: 'reply', ...about(entry), response: response as unknown as Json }, to);
      return true;
    },
    cancel: (entry, request) => channel.publish({ kind: 'cancel', ...about(entry), request }),
    resume(entry, stream, after, sink) {
      const to = issuerOf(stream);
      if (to === undefined || incoming.size >= maxRelayedStreams) return false;
      const ticket = randomUUID();
      incoming.set(ticket, { sink, timer: setTimeout(() => endIncoming(ticket), beginMs) });
      sink.once('close', () => {
        if (!incoming.has(ticket)) return;
        endIncoming(ticket);
        channel.publish({ kind: 'leave', ticket }, to);
      });
      channel.publish({ kind: 'resume', ...about(entry), stream, after, ticket }, to);
      return true;
    },
  };
}
