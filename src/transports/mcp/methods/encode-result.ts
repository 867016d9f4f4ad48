import type { Content } from '../../../core/content.js';
import { textContent } from '../../../core/content.js';
import { behaviourOf, errorData, errors } from '../../../core/errors.js';
import { recoveryForModel } from '../../../core/recovery.js';
import type { ToolError } from '../../../core/errors.js';
import type { Answer, Identity } from '../../../core/gateway.js';
import type { Json, JsonObject } from '../../../core/json.js';
import type { Done, Failed } from '../../../core/outcome.js';
import { asCommandOutput, executionSeconds, toToolOutput } from '../../../wire/command-output.js';
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
  const hint = recoveryForModel(error);
  // A hint that the message already contains is not repeated.
  return hint === '' || error.message.includes(hint) ? error.message : `${error.message}\n${hint}`;
};

/** Data of a result; the output of a command is completed with error, duration and correlation id, as REST returns it. */
function resultData({ outcome, correlationId, durationMs }: FinalAnswer): Json | undefined {
  const output = asCommandOutput(outcome.data);
  // Only commands have this shape; other data is returned as it is.
  if (output === undefined) return outcome.data;
  return toToolOutput(output, {
    correlationId,
    durationMs,
    ...(outcome.kind === 'failed' && { error: outcome.error }),
  });
}

/** Content of a result, done or failed: its parts, its data as text if no part is text, and the error if no part states it. */
function resultContent({ outcome }: FinalAnswer, data: Json | undefined): readonly Content[] {
  const content = withDataText(outcome.content ?? [], data);
  if (outcome.kind === 'done' || includesErrorText(content, outcome.error)) return content;
  return [...content, textContent(errorText(outcome.error))];
}

/** Whether the content of a failed upstream tool already contains the error message. */
const includesErrorText = (content: readonly Content[], { code, message }: ToolError): boolean =>
  // Upstream tools report failures as content; repeating them would double the text.
  code === 'upstream_error' && content.some((part) => part.type === 'text' && part.text.startsWith(message));

/** Machine-readable details of a failure. */
const errorDetails = (error: ToolError, correlationId: string, data = errorData(error)): JsonObject => ({
  // A forbidden item must look like a missing one (enumeration).
  code: error.code === 'forbidden' ? 'not_found' : error.code,
  type: behaviourOf(error).type,
  retryable: behaviourOf(error).retryable,
  correlationId,
  ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  ...(data && { data }),
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
    // The upstream's own code, so that clients can react to it as if they were connected directly.
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
    // The protocol defines the data of this error.
    error.code === 'capability_missing' ? error.data : { error: errorDetails(error, correlationId) },
  );
}

/** Adds structured data as text for clients that only read text content. */
function withDataText(content: readonly Content[], data: Json | undefined): readonly Content[] {
  // Clients of older revisions show text only.
  if (data === undefined || content.some((part) => part.type === 'text')) return content;
  return [...content, textContent(JSON.stringify(data, null, 2))];
}

/** Encoder that adds `serverInfo` to every modern result. */
export function encoder(identity: Identity): Encoder {
  const serverInfo: JsonObject = { name: identity.name, title: identity.title, version: identity.version };
  const serverMeta: JsonObject = { [metaKeys.serverInfo]: serverInfo };
  // Serialised once: it is part of every result.
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
    call(answer, features) {
      const { outcome, correlationId, durationMs } = answer;
      const error = outcome.kind === 'failed' ? outcome.error : undefined;
      const encoding = error === undefined ? 'result' : errors[error.code].mcp;
      // Only modern revisions have a protocol error for missing capabilities.
      if (
        error !== undefined &&
        encoding !== 'result' &&
        (features.modern || encoding.protocol !== rpcCodes.missingCapability)
      )
        return { error: protocolError(error, correlationId) };
      const data = resultData(answer);
      const fields = {
        // Unknown fields of an upstream come first, so that they cannot replace ours.
        ...outcome.extra,
        // Content is plain JSON; only its interfaces lack the index signature.
        content: toContent(resultContent(answer, data), features) as unknown as Json,
        ...structured(data, features),
        ...(error !== undefined && { isError: true }),
      };
      const meta = {
        ...outcome.meta,
        // Clients can quote the id when they report a problem.
        'toolgate/call': { correlation_id: correlationId, execution_time: executionSeconds(durationMs) },
        ...(error !== undefined && { 'toolgate/error': errorDetails(error, correlationId) }),
      };
      return { result: result(fields, features, meta) };
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
      // A source that returned something else is a bug in the source.
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
        // Fields that a later revision adds are passed on.
        ...rest,
        messages: toMessages(messages.filter(isJsonObject), features),
        ...(typeof description === 'string' && { description }),
      };
      return { result: result(fields, features, outcome.meta) };
    },
  };
}
