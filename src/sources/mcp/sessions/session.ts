import type { JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import { metaKeys } from '../../../wire/meta.js';
import type { Reply, RpcReply } from '../../../wire/reply.js';
import type { ChannelEnd, OpenChannel } from '../channels/channel.js';
import { isChannel } from '../channels/channel.js';
import { isInputMethod } from '../relay/input-requests.js';
import { callListeners } from './call-listeners.js';
import type { CallListener } from './call-listeners.js';
import { rootRequests } from './root-requests.js';
import { modernMeta, negotiate } from './handshake.js';
import type { Era, HandshakeOptions, Peer } from './handshake.js';

export type { CallListener } from './call-listeners.js';

interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly listener?: CallListener;
  /** Capabilities of the client; sent to a modern server with each request. */
  readonly capabilities?: JsonObject;
  readonly meta?: JsonObject | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type ListKind = 'tools' | 'prompts' | 'resources';

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
  /** Lets a server that asked for roots in vain ask this client; undefined if there is nothing to wait for. */
  offerRoots(client: string, listener: CallListener): Promise<void> | undefined;
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

/** Connects and negotiates the protocol; a failure is returned as a channel end. */
export async function openSession(options: SessionOptions): Promise<Session | ChannelEnd> {
  const { open, era, first, handshake, events } = options;
  const calls = callListeners();
  const roots = rootRequests(() => isChannel(channel) && channel.notify('notifications/roots/list_changed'));

  const channel = await open(
    {
      notification: (method, params, owner) => dispatchNotification(calls, events, method, params, owner),
      request: (method, params, owner) => answerServer(calls, roots, method, params, owner),
      ended: (end) => events.ended(end),
    },
    options.owner,
    handshake.signal,
  );
  if (!isChannel(channel)) return channel;
  const peer = await negotiate(channel, era, first, handshake);
  if ('problem' in peer) {
    const { end } = channel;
    await channel.close();
    return end ?? { message: peer.problem, ...(peer.needsAction && { needsAction: true }) };
  }

  let levelSet = false;
  const enableLogs = (): void => {
    if (levelSet || peer.modern || !isJsonObject(peer.capabilities['logging'])) return;
    levelSet = true;
    void channel.request({ method: 'logging/setLevel', params: { level: 'debug' }, timeoutMs: handshake.timeoutMs });
  };
  const envelope = requestEnvelope(peer, handshake);

  /** Sends a request for a listener, which receives messages until the response. */
  const requestFor = async (
    listener: CallListener,
    method: string,
    params: JsonObject,
    request: RequestOptions,
  ): Promise<Reply> => {
    const { timeoutMs, signal, headers } = request;
    const entry = calls.add(listener);
    if (listener.log) enableLogs();
    const _meta = envelope(request, entry.token);
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
      entry.remove();
    }
  };

  return {
    peer,
    get end() {
      return channel.end;
    },
    notify: (method, params) => channel.notify(method, params),
    offerRoots(client, listener) {
      const offered = peer.modern ? undefined : roots.offer(client);
      if (offered === undefined) return undefined;
      // Its request is attributed to this listener.
      const { remove } = calls.add(listener);
      return offered.finally(remove);
    },
    close: () => channel.close(),
    request(method, params, request) {
      const { timeoutMs, signal, listener, headers } = request;
      if (listener) return requestFor(listener, method, params, request);
      const _meta = envelope(request, undefined);
      return channel.request({ method, params: _meta ? { ...params, _meta } : params, timeoutMs, signal, headers });
    },
  };
}

type Calls = ReturnType<typeof callListeners>;

/** Channels return the owner they were given, and owners are always listeners. */
const toCallListener = (owner: object | undefined): CallListener | undefined => owner as CallListener | undefined;

function dispatchNotification(
  calls: Calls,
  events: SessionEvents,
  method: string,
  params: JsonObject,
  owner: object | undefined,
): void {
  if (method === 'notifications/progress') return calls.forwardProgress(params);
  if (method === 'notifications/message') return calls.forwardLog(toCallListener(owner), params);
  if (method === 'notifications/resources/updated')
    return typeof params['uri'] === 'string' ? events.resourceUpdated(params['uri']) : undefined;
  const kind = Object.hasOwn(listKinds, method) ? listKinds[method] : undefined;
  if (kind) events.listChanged(kind);
}

async function answerServer(
  calls: Calls,
  roots: ReturnType<typeof rootRequests>,
  method: string,
  params: JsonObject,
  owner: object | undefined,
): Promise<RpcReply> {
  if (method === 'ping') return { result: {} };
  if (!isInputMethod(method)) return { error: rpcError(rpcCodes.methodNotFound, 'Method not found') };
  const listener = calls.forQuestion(toCallListener(owner));
  if (listener?.question) {
    const reply = await listener.question({ method, params });
    if (method === 'roots/list') roots.answered();
    return reply;
  }
  if (method === 'roots/list') {
    roots.missed();
    return { result: { roots: [] } };
  }
  return {
    error: rpcError(
      rpcCodes.invalidRequest,
      calls.size() > 1
        ? 'Several calls are in flight; the request cannot be attributed to one of them'
        : 'No call is in flight whose client could answer',
    ),
  };
}

/** Builds the `_meta` of requests; requests without special fields share one object (hot path). */
function requestEnvelope(peer: Peer, { clientInfo }: HandshakeOptions) {
  const plainMeta = peer.modern ? modernMeta(clientInfo, {}) : undefined;
  return ({ capabilities, meta, listener }: RequestOptions, token: number | undefined): JsonObject | undefined => {
    if (!peer.modern) return token === undefined ? meta : { ...meta, progressToken: token };
    const isPlain = meta === undefined && token === undefined && listener?.log === undefined;
    if (isPlain && (capabilities === undefined || isEmpty(capabilities))) return plainMeta;
    return {
      ...meta,
      ...modernMeta(clientInfo, capabilities ?? {}),
      ...(listener?.log && { [metaKeys.logLevel]: 'debug' }),
      ...(token !== undefined && { progressToken: token }),
    };
  };
}

const isEmpty = (object: JsonObject): boolean => {
  for (const _ in object) return false;
  return true;
};
