import type { Door } from '../../core/call.js';
import type { View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import { encodeNotification, isObject } from '../../wire/message.js';
import type { RpcNotification, RpcRequest, RpcResponse } from '../../wire/message.js';
import { isLogLevel } from '../../wire/meta.js';
import type { WireLogLevel } from '../../wire/meta.js';
import { pendingRequests } from '../../wire/pending.js';
import type { PendingRequests } from '../../wire/pending.js';
import { featuresOf, negotiated } from '../../wire/versions.js';
import type { Features } from '../../wire/versions.js';
import { serverCapabilities } from './capabilities.js';
import { refusal } from './caller.js';
import type { Caller, Reply } from './caller.js';
import { inFlightRequests } from './in-flight.js';
import type { InFlight } from './in-flight.js';
import { listChanged } from './changes.js';
import type { Changes } from './changes.js';
import type { Protocol } from './methods.js';
import type { Outlet } from './outlet.js';

const maxWatches = 256;
const maxInFlight = 256;
const maxCapabilities = 16_384;

/** One legacy client from `initialize` on; the transport decides where its messages go. */
export interface Conversation {
  /** Who opened it and where: it goes on only for them as they were then. */
  readonly view: View;
  /** Undefined until the client has initialized. */
  readonly features: Features | undefined;
  /** How many requests are being answered now. */
  readonly busy: number;
  /** Undefined where the client cancelled: then nothing is answered. */
  answer(request: RpcRequest, outlet: Outlet): Promise<Reply | undefined>;
  notified(notification: RpcNotification): void;
  settle(response: RpcResponse): void;
  close(): void;
}

export interface ConversationSetting {
  readonly view: View;
  readonly via: Door;
  readonly session?: string;
  /** Sends what belongs to no request. */
  readonly push: (text: string) => void;
}

export function conversation(
  protocol: Protocol,
  changes: Changes,
  { view, via, session, push }: ConversationSetting,
): Conversation {
  const { encode, gateway, identity } = protocol;
  // Idle sessions are many: what most never use is made on first use.
  let features: Features | undefined;
  let capabilities: JsonObject = {};
  let logLevel: WireLogLevel = 'info';
  let inFlight: InFlight | undefined;
  let watches: Map<string, () => void> | undefined;
  let pending: PendingRequests | undefined;
  let unsubscribe: (() => void) | undefined;

  const initialize = (params: JsonObject): Reply => {
    if (features) return refusal(rpcError(codes.invalidRequest, 'Already initialized'));
    // They are kept for as long as the session: ten thousand of them must not fill the memory.
    if (JSON.stringify(params['capabilities'] ?? {}).length > maxCapabilities)
      return refusal(rpcError(codes.invalidParams, 'params.capabilities is too large'));
    features = featuresOf(negotiated(params['protocolVersion']));
    capabilities = isObject(params['capabilities']) ? params['capabilities'] : {};
    unsubscribe = changes.subscribe((what) => push(encodeNotification(listChanged(what))));
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

  const watch = (method: string, { uri }: JsonObject, current: Features): Reply => {
    if (typeof uri !== 'string') return refusal(rpcError(codes.invalidParams, 'params.uri must be a string'));
    watches ??= new Map();
    if (method === 'resources/unsubscribe') {
      watches.get(uri)?.();
      watches.delete(uri);
    } else if (!watches.has(uri)) {
      if (watches.size >= maxWatches)
        return refusal(rpcError(codes.invalidParams, `At most ${maxWatches} resources may be watched`));
      const stop = gateway.watch(view, uri, () => push(encodeNotification('notifications/resources/updated', { uri })));
      if (!stop) return refusal(rpcError(codes.resourceNotFound, 'Resource not found', { uri }));
      watches.set(uri, stop);
    }
    return { result: encode.result({}, current) };
  };

  const callerFor = (current: Features, outlet: Outlet, signal: AbortSignal): Caller => ({
    view,
    via,
    features: current,
    capabilities,
    signal,
    logLevel,
    ...(session !== undefined && { session }),
    ...(outlet.detach && { detach: () => outlet.detach?.() }),
    notify: (method, params) => outlet.send(encodeNotification(method, params)),
    ask: (method, params, options) => {
      pending ??= pendingRequests(push);
      return pending.ask(method, params, { ...options, send: (text) => outlet.send(text) });
    },
  });

  return {
    view,
    get features() {
      return features;
    },
    get busy() {
      return inFlight?.size ?? 0;
    },
    async answer(request, outlet) {
      const { id, method, params } = request;
      if (method === 'initialize') return initialize(params);
      if (!features) {
        return method === 'ping' ? { result: '{}' } : refusal(rpcError(codes.invalidRequest, 'Send initialize first'));
      }
      if (method === 'logging/setLevel') {
        if (!isLogLevel(params['level']))
          return refusal(rpcError(codes.invalidParams, 'params.level is not a log level'));
        logLevel = params['level'];
        return { result: encode.result({}, features) };
      }
      if (method === 'resources/subscribe' || method === 'resources/unsubscribe')
        return watch(method, params, features);
      inFlight ??= inFlightRequests(maxInFlight);
      const refused = inFlight.refusal(id);
      if (refused) return refusal(refused);
      const signal = inFlight.begin(id);
      try {
        const reply = await protocol.answer(request, callerFor(features, outlet, signal));
        return signal.aborted ? undefined : reply;
      } finally {
        inFlight.end(id);
        if (inFlight.size === 0) inFlight = undefined;
      }
    },
    notified({ method, params }) {
      if (method === 'notifications/cancelled') inFlight?.cancel(params['requestId']);
    },
    settle(response) {
      pending?.settle(response);
    },
    close() {
      unsubscribe?.();
      for (const stop of watches?.values() ?? []) stop();
      watches = undefined;
      inFlight?.cancelAll();
      pending?.fail(rpcError(codes.internalError, 'The connection is closed'));
    },
  };
}
