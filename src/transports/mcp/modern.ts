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
import type { Reply } from './request-context.js';
import type { Subscriptions } from './subscriptions.js';
import type { McpDispatcher } from './dispatcher.js';
import type { MessageSink } from './message-sink.js';

const features = featuresOf('2026-07-28');
/** Cache lifetime of the discovery result. */
const discoverTtlMs = 3_600_000;

interface ModernRequestOptions {
  readonly view: View;
  readonly via: Door;
  readonly signal: AbortSignal;
  readonly sink?: MessageSink;
}

/** The stateless protocol of 2026-07-28. */
export interface ModernProtocol {
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
  const discoverResult = encode.result(
    {
      supportedVersions: [...modernVersions],
      capabilities: serverCapabilities(features),
      ...(identity.instructions !== undefined && { instructions: identity.instructions }),
      ttlMs: discoverTtlMs,
      cacheScope: 'public',
    },
    features,
  );

  /** Headers must repeat method, name and declared arguments, so that proxies can filter by header. */
  const mismatch = (
    { method, params }: RpcRequest,
    view: View,
    headers: Headers,
    version: string,
  ): string | undefined => {
    const problem = headerProblem(headers, method, params, version);
    if (problem !== undefined || method !== 'tools/call' || typeof params['name'] !== 'string') return problem;
    const tool = tools.find(view, params['name']);
    const declared = tool && tools.headersOf(tool);
    return (
      declared && paramHeaderProblem(declared, headers, isJsonObject(params['arguments']) ? params['arguments'] : {})
    );
  };

  return {
    validate(request, view, headers) {
      const envelope = readEnvelope(request.params);
      // Report an unsupported version only if header and body agree on it; otherwise it is a header mismatch.
      if (headers === undefined || ('code' in envelope && envelope.code !== rpcCodes.unsupportedVersion))
        return envelope;
      if ('code' in envelope) {
        const requested = envelope.data?.['requested'];
        return headers['mcp-protocol-version'] === requested
          ? envelope
          : rpcError(rpcCodes.headerMismatch, 'The MCP-Protocol-Version header differs from the body');
      }
      const problem = mismatch(request, view, headers, envelope.version);
      return problem === undefined ? envelope : rpcError(rpcCodes.headerMismatch, problem);
    },
    handle(request, envelope, { view, via, signal, sink }) {
      if (request.method === 'server/discover') return { result: discoverResult };
      const { capabilities, logLevel } = envelope;
      const context = {
        view,
        via,
        features,
        capabilities,
        signal,
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
