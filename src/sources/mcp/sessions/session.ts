import type { LogLevel, Progress } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';
import type { Ask } from '../../../core/outcome.js';
import { linkedSet } from '../../../lib/linked-set.js';
import { slotTable } from '../../../lib/slot-table.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import { isLogLevel, metaKeys } from '../../../wire/meta.js';
import type { Reply, RpcReply } from '../../../wire/reply.js';
import type { ChannelEvents, ChannelEnd, OpenChannel } from '../channels/channel.js';
import { isChannel } from '../channels/channel.js';
import { modernMeta, negotiate } from './handshake.js';
import type { Era, HandshakeOptions, Peer } from './handshake.js';

/** A call in flight, and its handlers for progress, logs and questions of the server. */
export interface CallListener {
  /** Equal for calls of one client of one principal; an ambiguous question is never delivered to another client. */
  readonly clientKey: string;
  readonly progress?: (progress: Progress) => void;
  readonly log?: (level: LogLevel, data: Json, logger?: string) => void;
  readonly question?: (ask: Ask) => Promise<RpcReply>;
}

interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly listener?: CallListener;
  /** Capabilities of the client; sent to a modern server with each request. */
  readonly capabilities?: JsonObject;
  readonly meta?: JsonObject | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type ListKind = 'tools' | 'prompts' | 'resources';

interface SessionEvents {
  listChanged(kind: ListKind): void;
  resourceUpdated(uri: string): void;
  ended(end: ChannelEnd): void;
}

/** An open session with one upstream server. */
export interface Session {
  readonly peer: Peer;
  readonly end: ChannelEnd | undefined;
  request(method: string, params: JsonObject, options: RequestOptions): Promise<Reply>;
  notify(method: string, params?: JsonObject): void;
  close(): Promise<void>;
}

interface SessionOptions {
  readonly open: OpenChannel;
  readonly owner: string;
  readonly era: Era;
  readonly first: 'legacy' | 'modern';
  readonly handshake: HandshakeOptions;
  readonly events: SessionEvents;
}

const listKinds: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
};
const inputMethods = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

/** Connects and negotiates the protocol; a failure is returned as a channel end. */
export async function openSession(options: SessionOptions): Promise<Session | ChannelEnd> {
  const { open, era, first, handshake, events } = options;
  const listeners = linkedSet<CallListener>();
  const tokens = slotTable<CallListener>();
  let levelSet = false;

  /** The call an unattributed message belongs to: the only call in flight, or the latest if all come from one client. */
  const attribute = (accepts: (listener: CallListener) => boolean): CallListener | undefined => {
    let found: CallListener | undefined;
    for (const listener of listeners) {
      if (found && listener.clientKey !== found.clientKey) return undefined;
      if (accepts(listener) || !found) found = listener;
    }
    return found && accepts(found) ? found : undefined;
  };

  const notification: ChannelEvents['notification'] = (method, params, owner) => {
    if (method === 'notifications/progress') return forwardProgress(tokens.get(params['progressToken']), params);
    // Channels return the owner they were given, and owners are always listeners.
    if (method === 'notifications/message')
      return forwardLog((owner as CallListener | undefined) ?? attribute(({ log }) => log !== undefined), params);
    if (method === 'notifications/resources/updated')
      return typeof params['uri'] === 'string' ? events.resourceUpdated(params['uri']) : undefined;
    const kind = Object.hasOwn(listKinds, method) ? listKinds[method] : undefined;
    if (kind) events.listChanged(kind);
  };

  const request: ChannelEvents['request'] = async (method, params, owner) => {
    if (method === 'ping') return { result: {} };
    if (!inputMethods.has(method)) return { error: rpcError(rpcCodes.methodNotFound, 'Method not found') };
    const listener = (owner as CallListener | undefined) ?? attribute(({ question }) => question !== undefined); // as above
    if (listener?.question) return listener.question({ method: method as Ask['method'], params }); // checked by inputMethods
    // Some servers request roots right after initialize, when no client call is in flight.
    if (method === 'roots/list') return { result: { roots: [] } };
    return {
      error: rpcError(
        rpcCodes.invalidRequest,
        listeners.size > 1
          ? 'Several calls are in flight; the request cannot be attributed to one of them'
          : 'No call is in flight whose client could answer',
      ),
    };
  };

  const channel = await open({ notification, request, ended: (end) => events.ended(end) }, options.owner);
  if (!isChannel(channel)) return channel;
  const peer = await negotiate(channel, era, first, handshake);
  if ('problem' in peer) {
    const { end } = channel;
    await channel.close();
    return end ?? { message: peer.problem, ...(peer.needsAction && { needsAction: true }) };
  }

  const enableLogs = (): void => {
    if (levelSet || peer.modern || !isJsonObject(peer.capabilities['logging'])) return;
    levelSet = true;
    void channel.request({ method: 'logging/setLevel', params: { level: 'debug' }, timeoutMs: handshake.timeoutMs });
  };

  const plainMeta = peer.modern ? modernMeta(handshake.clientInfo, {}) : undefined;

  /** `_meta` of a request; requests without special fields share one object (hot path). */
  const envelope = (
    { capabilities, meta, listener }: RequestOptions,
    token: number | undefined,
  ): JsonObject | undefined => {
    const isPlain = meta === undefined && token === undefined;
    if (!peer.modern) return token === undefined ? meta : { ...meta, progressToken: token };
    if (isPlain && listener?.log === undefined && (capabilities === undefined || isEmpty(capabilities)))
      return plainMeta;
    return {
      ...meta,
      ...modernMeta(handshake.clientInfo, capabilities ?? {}),
      ...(listener?.log && { [metaKeys.logLevel]: 'debug' }),
      ...(token !== undefined && { progressToken: token }),
    };
  };

  /** Sends a request for a listener, which receives messages until the response. */
  const requestFor = async (
    listener: CallListener,
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<Reply> => {
    const { timeoutMs, signal, headers } = options;
    const entry = listeners.add(listener);
    if (listener.log) enableLogs();
    const token = listener.progress && tokens.add(listener);
    const _meta = envelope(options, token);
    try {
      return await channel.request({
        method,
        params: _meta ? { ...params, _meta } : params,
        timeoutMs,
        signal,
        owner: listener,
        headers,
      });
    } finally {
      listeners.remove(entry);
      if (token !== undefined) tokens.delete(token);
    }
  };

  return {
    peer,
    get end() {
      return channel.end;
    },
    notify: (method, params) => channel.notify(method, params),
    close: () => channel.close(),
    request(method, params, options) {
      const { timeoutMs, signal, listener, headers } = options;
      if (!listener) {
        const _meta = envelope(options, undefined);
        return channel.request({ method, params: _meta ? { ...params, _meta } : params, timeoutMs, signal, headers });
      }
      return requestFor(listener, method, params, options);
    },
  };
}

const isEmpty = (object: JsonObject): boolean => {
  for (const _ in object) return false;
  return true;
};

function forwardProgress(listener: CallListener | undefined, { progress, total, message }: JsonObject): void {
  if (typeof progress !== 'number') return;
  listener?.progress?.({
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message: message.slice(0, 1_000) }),
  });
}

function forwardLog(listener: CallListener | undefined, { level, data, logger }: JsonObject): void {
  if (isLogLevel(level)) listener?.log?.(level, data ?? null, typeof logger === 'string' ? logger : undefined);
}
