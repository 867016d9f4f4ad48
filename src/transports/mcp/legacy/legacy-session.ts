import type { Door } from '../../../core/call.js';
import type { View } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { encodeNotification, isJsonObject } from '../../../wire/message.js';
import type { RpcNotification, RpcRequest, RpcResponse } from '../../../wire/message.js';
import { isLogLevel } from '../../../wire/meta.js';
import type { WireLogLevel } from '../../../wire/meta.js';
import { pendingRequests } from '../../../wire/pending.js';
import type { PendingRequests } from '../../../wire/pending.js';
import { toRpcReply } from '../../../wire/reply.js';
import { featuresOf, negotiateVersion } from '../../../wire/versions.js';
import type { Features } from '../../../wire/versions.js';
import { serverCapabilities } from '../capabilities.js';
import { refusal } from '../request-context.js';
import type { RequestContext, Reply } from '../request-context.js';
import { inFlightRequests } from '../in-flight.js';
import type { InFlightRequests } from '../in-flight.js';
import { listChangedMethod } from '../change-broadcaster.js';
import type { ChangeBroadcaster } from '../change-broadcaster.js';
import type { McpDispatcher } from '../dispatcher.js';
import type { MessageSink } from '../message-sink.js';
import { sessionWatches } from '../methods/subscribe-methods.js';
import type { SessionWatches } from '../methods/subscribe-methods.js';

const maxInFlight = 256;
const maxCapabilities = 16_384;

/** Protocol state of one legacy client from `initialize` on, independent of the transport. */
export interface LegacySession {
  /** Principal and profile that opened the session; it continues only while their rights are unchanged. */
  readonly view: View;
  /** Undefined until the client has initialized. */
  readonly features: Features | undefined;
  /** Number of requests in progress. */
  readonly activeRequests: number;
  /** Undefined if the client cancelled the request: then no response is sent. */
  handleRequest(request: RpcRequest, sink: MessageSink): Promise<Reply | undefined>;
  handleNotification(notification: RpcNotification): void;
  handleResponse(response: RpcResponse): void;
  close(): void;
}

/** Options of one legacy session. */
export interface LegacySessionOptions {
  readonly view: View;
  readonly via: Door;
  readonly sessionId?: string;
  /** Sends a message that belongs to no request. */
  readonly push: (text: string) => void;
}

/** Creates a session that waits for `initialize`. */
export function legacySession(
  dispatcher: McpDispatcher,
  broadcaster: ChangeBroadcaster,
  { view, via, sessionId: session, push }: LegacySessionOptions,
): LegacySession {
  const { encode, identity } = dispatcher;
  // Allocate lazily: most of the (many) idle sessions never use these.
  let features: Features | undefined;
  let capabilities: JsonObject = {};
  let logLevel: WireLogLevel = 'info';
  let inFlight: InFlightRequests | undefined;
  let watches: SessionWatches | undefined;
  let pending: PendingRequests | undefined;
  let unsubscribe: (() => void) | undefined;

  const initialize = (params: JsonObject): Reply => {
    if (features) return refusal(rpcError(rpcCodes.invalidRequest, 'Already initialized'));
    // Capabilities live as long as the session; without a limit, many sessions could exhaust memory.
    if (JSON.stringify(params['capabilities'] ?? {}).length > maxCapabilities)
      return refusal(rpcError(rpcCodes.invalidParams, 'params.capabilities is too large'));
    features = featuresOf(negotiateVersion(params['protocolVersion']));
    capabilities = isJsonObject(params['capabilities']) ? params['capabilities'] : {};
    unsubscribe = broadcaster.subscribe((what) => push(encodeNotification(listChangedMethod(what))));
    const { name, title, version, instructions } = identity;
    return {
      result: encode.result(
        {
          protocolVersion: features.version,
          capabilities: serverCapabilities(features),
          serverInfo: { name, version, ...(features.structured && { title }) },
          ...(instructions !== undefined && { instructions }),
        },
        features,
      ),
    };
  };

  /** Request context with the negotiated features and capabilities of the session. */
  const contextFor = (current: Features, sink: MessageSink, signal: AbortSignal): RequestContext => ({
    view,
    via,
    features: current,
    capabilities,
    signal,
    logLevel,
    ...(session !== undefined && { session }),
    get watches() {
      return (watches ??= sessionWatches(push));
    },
    ...(sink.detach && { detach: () => sink.detach?.() }),
    notify: (method, params) => sink.send(encodeNotification(method, params)),
    ask: (method, params, options) => {
      pending ??= pendingRequests(push);
      return pending.ask(method, params, { ...options, send: (text) => sink.send(text) }).then(toRpcReply);
    },
  });

  return {
    view,
    get features() {
      return features;
    },
    get activeRequests() {
      return inFlight?.size ?? 0;
    },
    async handleRequest(request, sink) {
      const { id, method, params } = request;
      if (method === 'initialize') return initialize(params);
      if (!features) {
        return method === 'ping'
          ? { result: '{}' }
          : refusal(rpcError(rpcCodes.invalidRequest, 'Send initialize first'));
      }
      if (method === 'logging/setLevel') {
        if (!isLogLevel(params['level']))
          return refusal(rpcError(rpcCodes.invalidParams, 'params.level is not a log level'));
        logLevel = params['level'];
        return { result: encode.result({}, features) };
      }
      inFlight ??= inFlightRequests(maxInFlight);
      const problem = inFlight.check(id);
      if (problem) return refusal(problem);
      const signal = inFlight.begin(id);
      try {
        const reply = await dispatcher.dispatch(request, contextFor(features, sink, signal));
        return signal.aborted ? undefined : reply;
      } finally {
        inFlight.end(id);
        if (inFlight.size === 0) inFlight = undefined;
      }
    },
    handleNotification({ method, params }) {
      if (method === 'notifications/cancelled') inFlight?.cancel(params['requestId']);
    },
    handleResponse(response) {
      pending?.settle(response);
    },
    close() {
      unsubscribe?.();
      watches?.close();
      inFlight?.cancelAll();
      pending?.fail({ kind: 'connection', message: 'The connection is closed' });
    },
  };
}
