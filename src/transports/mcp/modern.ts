import type { Door } from '../../core/call.js';
import type { View } from '../../core/gateway.js';
import type { RpcError } from '../../wire/codes.js';
import { codes, rpcError } from '../../wire/codes.js';
import { headerProblem } from '../../wire/headers.js';
import type { Headers } from '../../wire/headers.js';
import { encodeNotification, isObject } from '../../wire/message.js';
import type { RpcRequest } from '../../wire/message.js';
import { isLogLevel, readEnvelope } from '../../wire/meta.js';
import type { Envelope } from '../../wire/meta.js';
import { paramHeaderProblem } from '../../wire/param-headers.js';
import { featuresOf, modernVersions } from '../../wire/versions.js';
import { serverCapabilities } from './capabilities.js';
import type { Reply } from './caller.js';
import type { Listens } from './listen.js';
import type { Protocol } from './methods.js';
import type { Outlet } from './outlet.js';

const features = featuresOf('2026-07-28');
const discoverTtlMs = 3_600_000;

export interface ModernSetting {
  readonly view: View;
  readonly via: Door;
  readonly signal: AbortSignal;
  readonly outlet?: Outlet;
}

/** The 2026-07-28 era, in which every request stands alone. */
export interface ModernEra {
  /** The envelope of a request, or why it is refused before anything is looked up; `headers` only where there are any. */
  admit(request: RpcRequest, view: View, headers?: Headers): Envelope | RpcError;
  answer(request: RpcRequest, envelope: Envelope, setting: ModernSetting): Reply | Promise<Reply>;
}

/** The HTTP status that goes with an error of an admitted request; most are told in band. */
export const statusOf = (error: RpcError): number =>
  error.code === codes.methodNotFound
    ? 404
    : error.code === codes.missingCapability || error.code === codes.headerMismatch
      ? 400
      : 200;

export function modernEra(protocol: Protocol, listens: Listens): ModernEra {
  const { identity, encode, tools } = protocol;
  const discovered = encode.result(
    {
      supportedVersions: [...modernVersions],
      capabilities: serverCapabilities(features),
      ...(identity.instructions !== undefined && { instructions: identity.instructions }),
      ttlMs: discoverTtlMs,
      cacheScope: 'public',
    },
    features,
  );

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
    return declared && paramHeaderProblem(declared, headers, isObject(params['arguments']) ? params['arguments'] : {});
  };

  return {
    admit(request, view, headers) {
      const envelope = readEnvelope(request.params);
      // An unsupported version is told as such only where header and body agree on it.
      if (headers === undefined || ('code' in envelope && envelope.code !== codes.unsupportedVersion)) return envelope;
      if ('code' in envelope) {
        const requested = envelope.data?.['requested'];
        return headers['mcp-protocol-version'] === requested
          ? envelope
          : rpcError(codes.headerMismatch, 'The MCP-Protocol-Version header differs from the body');
      }
      const problem = mismatch(request, view, headers, envelope.version);
      return problem === undefined ? envelope : rpcError(codes.headerMismatch, problem);
    },
    answer(request, envelope, { view, via, signal, outlet }) {
      if (request.method === 'server/discover') return { result: discovered };
      const { capabilities, logLevel } = envelope;
      const caller = {
        view,
        via,
        features,
        capabilities,
        signal,
        ...(isLogLevel(logLevel) && { logLevel }),
        ...(outlet && {
          notify: (method: string, params: Parameters<typeof encodeNotification>[1]) =>
            outlet.send(encodeNotification(method, params)),
        }),
      };
      if (request.method === 'subscriptions/listen' && outlet) return listens.serve(request, caller, outlet);
      return protocol.answer(request, caller);
    },
  };
}
