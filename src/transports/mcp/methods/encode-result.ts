import type { Content } from '../../../core/content.js';
import { textContent } from '../../../core/content.js';
import { behaviourOf, errors, recoveryOf } from '../../../core/errors.js';
import type { ToolError } from '../../../core/errors.js';
import type { Answer, Identity } from '../../../core/gateway.js';
import type { Json, JsonObject } from '../../../core/json.js';
import type { Done, Failed } from '../../../core/outcome.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import type { RpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import { metaKeys } from '../../../wire/meta.js';
import type { Features } from '../../../wire/versions.js';
import type { Reply } from '../request-context.js';
import { toContent, toMessages } from './encode-content.js';

/** Converts outcomes to MCP results and errors, by the error table in core/errors.ts. */
export interface Encoder {
  /** Serialises a result with the fields that the revision requires on every result. */
  result(fields: JsonObject, features: Features, meta?: JsonObject): string;
  call(answer: FinalAnswer, features: Features): Reply;
  read(answer: FinalAnswer, features: Features, caching: JsonObject, uri: string): Reply;
  prompt(answer: FinalAnswer, features: Features): Reply;
}

/** An answer that needs no further input from the client. */
export type FinalAnswer = Omit<Answer, 'outcome'> & { readonly outcome: Done | Failed };

/** Message and recovery hint, for the model. */
const errorText = (error: ToolError): string => {
  const hint = recoveryOf(error);
  return hint === '' || error.message.includes(hint) ? error.message : `${error.message}\n${hint}`;
};

/** Whether the content of a failed upstream tool already contains the error message. */
const includesErrorText = (content: readonly Content[], { code, message }: ToolError): boolean =>
  code === 'upstream_error' && content.some((part) => part.type === 'text' && part.text.startsWith(message));

/** Machine-readable details of a failure. */
const errorDetails = (error: ToolError, correlationId: string): JsonObject => ({
  code: error.code === 'forbidden' ? 'not_found' : error.code,
  type: behaviourOf(error).type,
  retryable: behaviourOf(error).retryable,
  correlationId,
  ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  ...(error.data && { data: error.data }),
});

/** Hint for expired `toolgate://` links, which point to results in memory. */
const expiredHint =
  'The link has expired: large results are stored for a limited time, for their caller only, and not across restarts. Call the tool again';

/** Internal error without details; the correlation id leads to the log. */
const internalError = (correlationId: string): RpcError =>
  rpcError(rpcCodes.internalError, 'Internal error', { correlationId });

/** Upstream error code if it is safe to relay; reserved codes would describe this connection, not the upstream one. */
function relayedCode(data: JsonObject | undefined): number {
  const upstream = data?.['upstream'];
  const code = isJsonObject(upstream) ? upstream['code'] : undefined;
  const isPlain =
    typeof code === 'number' &&
    Number.isSafeInteger(code) &&
    (code === rpcCodes.invalidParams || code > -32_000 || code < -32_768);
  return isPlain ? code : rpcCodes.internalError;
}

/** Converts a failure to a JSON-RPC error, for methods whose results have no `isError`. */
function protocolError(error: ToolError, correlationId: string): RpcError {
  if (error.code === 'internal') return internalError(correlationId);
  const { mcp } = behaviourOf(error);
  const code =
    error.code === 'upstream_refused'
      ? relayedCode(error.data)
      : mcp !== 'result'
        ? mcp.protocol
        : error.code === 'invalid_arguments'
          ? rpcCodes.invalidParams
          : rpcCodes.internalError;
  return rpcError(
    code,
    errorText(error),
    error.code === 'capability_missing' ? error.data : { error: errorDetails(error, correlationId) },
  );
}

/** Adds structured data as text for clients that only read text content. */
function withDataText(content: readonly Content[], data: Json | undefined): readonly Content[] {
  if (data === undefined || content.some((part) => part.type === 'text')) return content;
  return [...content, textContent(JSON.stringify(data, null, 2))];
}

/** Encoder that adds `serverInfo` to every modern result. */
export function encoder(identity: Identity): Encoder {
  const serverInfo: JsonObject = { name: identity.name, title: identity.title, version: identity.version };
  const serverMeta: JsonObject = { [metaKeys.serverInfo]: serverInfo };
  const metaSuffix = `"_meta":${JSON.stringify(serverMeta)}}`;

  const result: Encoder['result'] = (fields, features, meta) => {
    if (!features.modern) return JSON.stringify(meta ? { ...fields, _meta: meta } : fields);
    if (meta) return JSON.stringify({ resultType: 'complete', ...fields, _meta: { ...meta, ...serverMeta } });
    // Fast path: concatenate the precomputed parts; only the fields are serialised.
    const text = JSON.stringify(fields);
    const type = fields['resultType'] === undefined ? '"resultType":"complete",' : '';
    return text === '{}' ? `{${type}${metaSuffix}` : `{${type}${text.slice(1, -1)},${metaSuffix}`;
  };

  const structured = (data: Json | undefined, features: Features): JsonObject | undefined =>
    data !== undefined && features.structured && (features.anyData || isJsonObject(data))
      ? { structuredContent: data }
      : undefined;

  return {
    result,
    call({ outcome, correlationId }, features) {
      if (outcome.kind === 'done') {
        const content = toContent(withDataText(outcome.content, outcome.data), features);
        // Content is plain JSON; only its interfaces lack the index signature.
        return {
          result: result(
            { ...outcome.extra, content: content as unknown as Json, ...structured(outcome.data, features) },
            features,
            outcome.meta,
          ),
        };
      }
      const { error } = outcome;
      const encoding = errors[error.code].mcp;
      // Only modern revisions have a protocol error for missing capabilities.
      if (encoding !== 'result' && (features.modern || encoding.protocol !== rpcCodes.missingCapability))
        return { error: protocolError(error, correlationId) };
      const content = toContent(
        includesErrorText(outcome.content ?? [], error)
          ? (outcome.content ?? [])
          : [...(outcome.content ?? []), textContent(errorText(error))],
        features,
      );
      const fields = {
        ...outcome.extra,
        content: content as unknown as Json,
        ...structured(outcome.data, features),
        isError: true,
      };
      return {
        result: result(fields, features, { ...outcome.meta, 'toolgate/error': errorDetails(error, correlationId) }),
      };
    },
    read({ outcome, correlationId }, features, caching, uri) {
      if (outcome.kind === 'failed') {
        const error = protocolError(outcome.error, correlationId);
        const missing = outcome.error.code === 'not_found' || outcome.error.code === 'forbidden';
        return {
          error: missing
            ? rpcError(features.modern ? rpcCodes.invalidParams : rpcCodes.resourceNotFound, 'Resource not found', {
                uri,
                ...(/^toolgate:\/\/(?:rest|results)\//.test(uri) && { hint: expiredHint }),
              })
            : error,
        };
      }
      const data = isJsonObject(outcome.data) ? outcome.data : undefined;
      if (!Array.isArray(data?.['contents'])) return { error: internalError(correlationId) };
      return { result: result({ ...data, ...(features.modern && caching) }, features, outcome.meta) };
    },
    prompt({ outcome, correlationId }, features) {
      if (outcome.kind === 'failed') return { error: protocolError(outcome.error, correlationId) };
      const data = isJsonObject(outcome.data) ? outcome.data : undefined;
      const messages = data?.['messages'];
      if (!Array.isArray(messages)) return { error: internalError(correlationId) };
      const description = data?.['description'];
      const { description: _, ...rest } = data ?? {};
      const fields = {
        ...rest,
        messages: toMessages(messages.filter(isJsonObject), features),
        ...(typeof description === 'string' && { description }),
      };
      return { result: result(fields, features, outcome.meta) };
    },
  };
}
