import type { Door } from '../../core/call.js';
import type { View } from '../../core/gateway.js';
import type { RpcError } from '../../wire/codes.js';
import { rpcCodes, rpcError } from '../../wire/codes.js';
import { headerProblem } from '../../wire/headers.js';
import type { Headers } from '../../wire/headers.js';
import { encodeNotification, isJsonObject } from '../../wire/message.js';
import type { RpcRequest } from '../../wire/message.js';
import { isLogLevel, readEnvelope } from '../../wire/meta.js';
import type { Envelope } from '../../wire/meta.js';
import { paramHeaderProblem } from '../../wire/param-headers.js';
import { featuresOf, modernVersions } from '../../wire/versions.js';
import { serverCapabilities } from './capabilities.js';
import { instructionsFor } from './instructions.js';
import type { Reply } from './request-context.js';
import type { Subscriptions } from './subscriptions.js';
import type { McpDispatcher } from './dispatcher.js';
import type { MessageSink } from './message-sink.js';

/** What this revision supports. */
const features = featuresOf('2026-07-28');
/** Cache lifetime of the discovery result. */
const discoverTtlMs = 3_600_000;

/** The transport's part of a request. */
interface ModernRequestOptions {
  readonly view: View;
  readonly via: Door;
  readonly signal: AbortSignal;
  readonly sink?: MessageSink;
  readonly session?: string | undefined;
}

/** The stateless protocol of 2026-07-28. */
interface ModernProtocol {
  /** Validates envelope and headers of a request; `headers` is undefined on transports without headers. */
  validate(request: RpcRequest, view: View, headers?: Headers): Envelope | RpcError;
  handle(request: RpcRequest, envelope: Envelope, options: ModernRequestOptions): Reply | Promise<Reply>;
}

/** HTTP status of an error; most errors are sent with status 200, in the JSON-RPC body. */
export const httpStatusOf = (error: RpcError): number =>
  error.code === rpcCodes.methodNotFound
    ? 404
    : error.code === rpcCodes.missingCapability || error.code === rpcCodes.headerMismatch
      ? 400
      : 200;

/** Handles modern requests over any transport; keeps no state between them. */
export function modernProtocol(dispatcher: McpDispatcher, subscriptions: Subscriptions): ModernProtocol {
  const { identity, encode, tools } = dispatcher;
  const discover = (view: View): string | Buffer => {
    const instructions = instructionsFor(dispatcher, view);
    return encode.result(
      {
        supportedVersions: [...modernVersions],
        capabilities: serverCapabilities(features),
        ...(instructions !== undefined && { instructions }),
        ttlMs: discoverTtlMs,
        // Instructions of sources depend on what the caller may see.
        cacheScope: instructions === identity.instructions ? 'public' : 'private',
      },
      features,
    );
  };

  /** Headers must repeat method, name and declared arguments, so that proxies can filter by header. */
  const mismatch = (
    { method, params }: RpcRequest,
    view: View,
    headers: Headers,
    version: string,
  ): string | undefined => {
    const problem = headerProblem(headers, method, params, version);
    // Other methods have no arguments that headers could repeat.
    if (problem !== undefined || method !== 'tools/call' || typeof params['name'] !== 'string') return problem;
    const tool = tools.find(view, params['name']);
    const declared = tool && tools.headersOf(tool);
    return (
      declared && paramHeaderProblem(declared, headers, isJsonObject(params['arguments']) ? params['arguments'] : {})
    );
  };

  const check = (
    request: RpcRequest,
    view: View,
    headers: Headers | undefined,
  ): ReturnType<ModernProtocol['validate']> => {
    const envelope = readEnvelope(request.params);
    // Report an unsupported version only if header and body agree on it; otherwise it is a header mismatch.
    if (headers === undefined || ('code' in envelope && envelope.code !== rpcCodes.unsupportedVersion)) return envelope;
    if ('code' in envelope) {
      const requested = envelope.data?.['requested'];
      return headers['mcp-protocol-version'] === requested
        ? envelope
        : rpcError(rpcCodes.headerMismatch, 'The MCP-Protocol-Version header differs from the body');
    }
    const problem = mismatch(request, view, headers, envelope.version);
    return problem === undefined ? envelope : rpcError(rpcCodes.headerMismatch, problem);
  };

  return {
    validate(request, view, headers) {
      const checked = check(request, view, headers);
      // Recorded: a refusal by a header check is a refused call.
      if ('code' in checked)
        dispatcher.recordRefusal(request, { view, via: headers ? 'http' : 'stdio' }, checked.message);
      return checked;
    },
    handle(request, envelope, { view, via, signal, sink, session }) {
      // Discovery needs no session and no sources, so it never waits for them.
      if (request.method === 'server/discover') return { result: discover(view) };
      const { capabilities, logLevel } = envelope;
      const context = {
        view,
        via,
        features,
        capabilities,
        signal,
        ...(session !== undefined && { session }),
        // Without a level the client gets no log messages, by protocol.
        ...(isLogLevel(logLevel) && { logLevel }),
        ...(sink && {
          notify: (method: string, params: Parameters<typeof encodeNotification>[1]) =>
            sink.send(encodeNotification(method, params)),
        }),
      };
      if (request.method === 'subscriptions/listen' && sink) return subscriptions.serve(request, context, sink);
      return dispatcher.dispatch(request, context);
    },
  };
}
