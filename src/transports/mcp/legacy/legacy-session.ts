import type { Door } from '../../../core/call.js';
import type { View } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { encodeNotification, isJsonObject } from '../../../wire/message.js';
import type { RpcNotification, RpcRequest, RpcResponse } from '../../../wire/message.js';
import { clientNameOf, isLogLevel } from '../../../wire/meta.js';
import type { WireLogLevel } from '../../../wire/meta.js';
import { pendingRequests } from '../../../wire/pending.js';
import type { PendingRequests } from '../../../wire/pending.js';
import { toRpcReply } from '../../../wire/reply.js';
import { featuresOf, negotiateVersion } from '../../../wire/versions.js';
import type { Features } from '../../../wire/versions.js';
import { serverCapabilities } from '../capabilities.js';
import { instructionsFor } from '../instructions.js';
import { refusal } from '../request-context.js';
import type { RequestContext, Reply } from '../request-context.js';
import { inFlightRequests } from '../in-flight.js';
import type { InFlightRequests } from '../in-flight.js';
import { listChangedMethod } from '../change-broadcaster.js';
import type { ChangeBroadcaster } from '../change-broadcaster.js';
import type { McpDispatcher } from '../dispatcher.js';
import type { MessageSink } from '../message-sink.js';
import type { SealedSession, SessionNotes } from './session-vault.js';
import { neverAborted } from '../../../lib/light-signal.js';
import { sessionWatches } from '../methods/subscribe-methods.js';
import type { SessionWatches } from '../methods/subscribe-methods.js';

/** Requests in progress per session; more are refused instead of queued. */
const maxInFlight = 256;
/** Characters of the declared capabilities that are kept. */
const maxCapabilities = 16_384;

/** Protocol state of one legacy client from `initialize` on, independent of the transport. */
export interface LegacySession {
  /** Principal and profile that opened the session; it continues only while their rights are unchanged. */
  readonly view: View;
  /** Undefined until the client has initialized. */
  readonly features: Features | undefined;
  /** Declared by the client in `initialize`. */
  readonly capabilities: JsonObject;
  /** Number of requests in progress. */
  readonly activeRequests: number;
  /** Undefined if the client cancelled the request: then no response is sent. */
  handleRequest(request: RpcRequest, sink: MessageSink): Promise<Reply | undefined>;
  handleNotification(notification: RpcNotification): void;
  handleResponse(response: RpcResponse): void;
  /** Opens the resource subscriptions of a restored session again, through the same guards. */
  resumeWatches(): void;
  close(): void;
}

/** Options of one legacy session. */
export interface LegacySessionOptions {
  readonly view: View;
  readonly via: Door;
  readonly sessionId?: string;
  /** Sends a message that belongs to no request. */
  readonly push: (text: string) => void;
  /** Continues a session that was opened in another process. */
  readonly restored?: Pick<SealedSession, 'version' | 'capabilities'> & { readonly notes: SessionNotes };
  /** Called when the client changes what a restored session must have again. */
  readonly onNotes?: (notes: SessionNotes) => void;
  /** Prefix of the ids of questions, which leads replies to the replica that asked. */
  readonly idPrefix?: string | undefined;
}

/** Creates a session that waits for `initialize`. */
export function legacySession(
  dispatcher: McpDispatcher,
  broadcaster: ChangeBroadcaster,
  { view, via, sessionId: session, push, restored, onNotes, idPrefix }: LegacySessionOptions,
): LegacySession {
  const { encode, identity } = dispatcher;
  // Allocate lazily: most of the (many) idle sessions never use these.
  let features: Features | undefined = restored && featuresOf(negotiateVersion(restored.version));
  let capabilities: JsonObject = restored?.capabilities ?? {};
  // The name that the client declares; used for statistics only.
  let client: string | undefined;
  // Counts changes of the client's roots, so that sources can cache their answer.
  let rootsVersion = 0;
  let logLevel: WireLogLevel = restored?.notes.logLevel ?? 'info';
  let inFlight: InFlightRequests | undefined;
  let watches: SessionWatches | undefined;
  let pending: PendingRequests | undefined;
  let unsubscribe: (() => void) | undefined;

  const subscribeToChanges = (): void => {
    unsubscribe = broadcaster.subscribe((what) => push(encodeNotification(listChangedMethod(what))));
  };
  if (restored) subscribeToChanges();
  // Persisted, so that a restored session has the same level and subscriptions.
  const takeNotes = (): void => onNotes?.({ logLevel, watches: boundedWatches(watches?.uris ?? []) });

  const initialize = (params: JsonObject): Reply => {
    // A second handshake could change the rights of a running session.
    if (features) return refusal(rpcError(rpcCodes.invalidRequest, 'Already initialized'));
    // Capabilities live as long as the session; without a limit, many sessions could exhaust memory.
    if (JSON.stringify(params['capabilities'] ?? {}).length > maxCapabilities)
      return refusal(rpcError(rpcCodes.invalidParams, 'params.capabilities is too large'));
    features = featuresOf(negotiateVersion(params['protocolVersion']));
    capabilities = isJsonObject(params['capabilities']) ? params['capabilities'] : {};
    client = clientNameOf(params['clientInfo']);
    subscribeToChanges();
    const { name, title, version } = identity;
    const instructions = instructionsFor(dispatcher, view);
    return {
      result: encode.result(
        {
          protocolVersion: features.version,
          capabilities: serverCapabilities(features),
          // `title` is unknown to revisions before 2025-06-18, and strict clients reject it.
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
    ...(client !== undefined && { client }),
    ...(rootsVersion > 0 && { rootsVersion }),
    get watches() {
      return (watches ??= sessionWatches(push));
    },
    ...(sink.detach && { detach: () => sink.detach?.() }),
    notify: (method, params) => sink.send(encodeNotification(method, params)),
    ask: (method, params, options) => {
      // Created with the first question.
      pending ??= pendingRequests(push, undefined, idPrefix);
      return pending.ask(method, params, { ...options, send: (text) => sink.send(text) }).then(toRpcReply);
    },
  });

  return {
    view,
    get features() {
      return features;
    },
    get capabilities() {
      return capabilities;
    },
    get activeRequests() {
      return inFlight?.size ?? 0;
    },
    async handleRequest(request, sink) {
      const { id, method, params } = request;
      if (method === 'initialize') return initialize(params);
      // `ping` is allowed before the handshake, nothing else.
      if (!features) {
        return method === 'ping'
          ? { result: '{}' }
          : refusal(rpcError(rpcCodes.invalidRequest, 'Send initialize first'));
      }
      if (method === 'logging/setLevel') {
        if (!isLogLevel(params['level']))
          return refusal(rpcError(rpcCodes.invalidParams, 'params.level is not a log level'));
        logLevel = params['level'];
        takeNotes();
        return { result: encode.result({}, features) };
      }
      inFlight ??= inFlightRequests(maxInFlight);
      // A repeated id would make two responses indistinguishable.
      const problem = inFlight.check(id);
      if (problem) return refusal(problem);
      const signal = inFlight.begin(id);
      try {
        const reply = await dispatcher.dispatch(request, contextFor(features, sink, signal));
        if (watchMethods.has(method)) takeNotes();
        // The specification wants no response to a cancelled request.
        return signal.aborted ? undefined : reply;
      } finally {
        inFlight.end(id);
        // Released, so that idle sessions stay small.
        if (inFlight.size === 0) inFlight = undefined;
      }
    },
    handleNotification({ method, params }) {
      if (method === 'notifications/cancelled') inFlight?.cancel(params['requestId']);
      else if (method === 'notifications/roots/list_changed') rootsVersion += 1;
    },
    handleResponse(response) {
      pending?.settle(response);
    },
    resumeWatches() {
      for (const uri of restored?.notes.watches ?? []) {
        if (!features || watches?.has(uri)) continue;
        // The original stream is gone, so messages of the call go nowhere.
        const context = contextFor(features, { send: () => {} }, neverAborted());
        void dispatcher.dispatch({ kind: 'request', id: 0, method: 'resources/subscribe', params: { uri } }, context);
      }
    },
    close() {
      unsubscribe?.();
      watches?.close();
      inFlight?.cancelAll();
      // Questions without a connection can never be answered.
      pending?.fail({ kind: 'connection', message: 'The connection is closed' });
    },
  };
}

/** Methods that change the subscriptions of a session. */
const watchMethods = new Set(['resources/subscribe', 'resources/unsubscribe']);
/** Characters of all subscriptions in one note. */
const maxNotedChars = 65_536;

/** The first subscriptions that fit into a note. */
function boundedWatches(uris: readonly string[]): readonly string[] {
  let left = maxNotedChars;
  return uris.filter((uri) => (left -= uri.length) > 0);
}
