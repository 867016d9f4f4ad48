import type { Content } from '../../core/content.js';
import { text } from '../../core/content.js';
import { behaviourOf, errors, recoveryOf } from '../../core/errors.js';
import type { ToolError } from '../../core/errors.js';
import type { Answer, Identity } from '../../core/gateway.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Done, Failed } from '../../core/outcome.js';
import { codes, rpcError } from '../../wire/codes.js';
import type { RpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import { metaKeys } from '../../wire/meta.js';
import type { Features } from '../../wire/versions.js';
import type { Reply } from './caller.js';
import { toContent, toMessages } from './content.js';

/** Turns outcomes into what goes on the wire; the only place where that is decided, by the error table. */
export interface Encoder {
  /** Any result object, completed with what the revision puts on every result. */
  result(fields: JsonObject, features: Features, meta?: JsonObject): string;
  call(answer: Settled, features: Features): Reply;
  read(answer: Settled, features: Features, caching: JsonObject, uri: string): Reply;
  prompt(answer: Settled, features: Features): Reply;
}

/** An answer that needs nothing more from the client. */
export type Settled = Omit<Answer, 'outcome'> & { readonly outcome: Done | Failed };

const said = (error: ToolError): string => {
  const hint = recoveryOf(error);
  return hint === '' || error.message.includes(hint) ? error.message : `${error.message}\n${hint}`;
};

/** Whether an upstream tool said it in its own words already, which are not ours to repeat. */
const told = (content: readonly Content[], { code, message }: ToolError): boolean =>
  code === 'upstream_error' && content.some((part) => part.type === 'text' && part.text.startsWith(message));

/** What a program may want to know about a failure, beside the words for the model. */
const facts = (error: ToolError, correlationId: string): JsonObject => ({
  code: error.code === 'forbidden' ? 'not_found' : error.code,
  type: behaviourOf(error).type,
  retryable: behaviourOf(error).retryable,
  correlationId,
  ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  ...(error.data && { data: error.data }),
});

/** Our own links lead to what is kept in memory; who follows an old one shall not look for a mistake. */
const gone =
  'It has expired: what was cut off is kept for a while, for its caller only, and not over a restart. Call the tool again';

const internal = (correlationId: string): RpcError =>
  rpcError(codes.internalError, 'Internal error', { correlationId });

/** A server's own code where it means the same here; a reserved one would speak of this connection, its session or its revision. */
function relayedCode(data: JsonObject | undefined): number {
  const upstream = data?.['upstream'];
  const code = isObject(upstream) ? upstream['code'] : undefined;
  const isPlain =
    typeof code === 'number' &&
    Number.isSafeInteger(code) &&
    (code === codes.invalidParams || code > -32_000 || code < -32_768);
  return isPlain ? code : codes.internalError;
}

/** A failure as a JSON-RPC error, for methods whose results cannot say that they failed. */
function protocolError(error: ToolError, correlationId: string): RpcError {
  if (error.code === 'internal') return internal(correlationId);
  const { mcp } = behaviourOf(error);
  const code =
    error.code === 'upstream_refused'
      ? relayedCode(error.data)
      : mcp !== 'result'
        ? mcp.protocol
        : error.code === 'invalid_arguments'
          ? codes.invalidParams
          : codes.internalError;
  return rpcError(
    code,
    said(error),
    error.code === 'capability_missing' ? error.data : { error: facts(error, correlationId) },
  );
}

function blocks(content: readonly Content[], data: Json | undefined): readonly Content[] {
  if (data === undefined || content.some((part) => part.type === 'text')) return content;
  return [...content, text(JSON.stringify(data, null, 2))];
}

/** An encoder that signs every modern result with the gateway's name. */
export function encoder(identity: Identity): Encoder {
  const serverInfo: JsonObject = { name: identity.name, title: identity.title, version: identity.version };
  const signature: JsonObject = { [metaKeys.serverInfo]: serverInfo };
  const signed = `"_meta":${JSON.stringify(signature)}}`;

  const result: Encoder['result'] = (fields, features, meta) => {
    if (!features.modern) return JSON.stringify(meta ? { ...fields, _meta: meta } : fields);
    if (meta) return JSON.stringify({ resultType: 'complete', ...fields, _meta: { ...meta, ...signature } });
    // The usual result is joined from parts, of which only the fields are serialised anew.
    const text = JSON.stringify(fields);
    const type = fields['resultType'] === undefined ? '"resultType":"complete",' : '';
    return text === '{}' ? `{${type}${signed}` : `{${type}${text.slice(1, -1)},${signed}`;
  };

  const structured = (data: Json | undefined, features: Features): JsonObject | undefined =>
    data !== undefined && features.structured && (features.anyData || isObject(data))
      ? { structuredContent: data }
      : undefined;

  return {
    result,
    call({ outcome, correlationId }, features) {
      if (outcome.kind === 'done') {
        const content = toContent(blocks(outcome.content, outcome.data), features);
        // Content is JSON by its types; only its interfaces lack the index signature.
        return {
          result: result(
            { ...outcome.extra, content: content as unknown as Json, ...structured(outcome.data, features) },
            features,
            outcome.meta,
          ),
        };
      }
      const { error } = outcome;
      const form = errors[error.code].mcp;
      // A missing capability is a protocol error only where the protocol has one.
      if (form !== 'result' && (features.modern || form.protocol !== codes.missingCapability))
        return { error: protocolError(error, correlationId) };
      const content = toContent(
        told(outcome.content ?? [], error) ? (outcome.content ?? []) : [...(outcome.content ?? []), text(said(error))],
        features,
      );
      const fields = {
        ...outcome.extra,
        content: content as unknown as Json,
        ...structured(outcome.data, features),
        isError: true,
      };
      return { result: result(fields, features, { ...outcome.meta, 'toolgate/error': facts(error, correlationId) }) };
    },
    read({ outcome, correlationId }, features, caching, uri) {
      if (outcome.kind === 'failed') {
        const error = protocolError(outcome.error, correlationId);
        const missing = outcome.error.code === 'not_found' || outcome.error.code === 'forbidden';
        return {
          error: missing
            ? rpcError(features.modern ? codes.invalidParams : codes.resourceNotFound, 'Resource not found', {
                uri,
                ...(/^toolgate:\/\/(?:rest|results)\//.test(uri) && { hint: gone }),
              })
            : error,
        };
      }
      const data = isObject(outcome.data) ? outcome.data : undefined;
      if (!Array.isArray(data?.['contents'])) return { error: internal(correlationId) };
      return { result: result({ ...data, ...(features.modern && caching) }, features, outcome.meta) };
    },
    prompt({ outcome, correlationId }, features) {
      if (outcome.kind === 'failed') return { error: protocolError(outcome.error, correlationId) };
      const data = isObject(outcome.data) ? outcome.data : undefined;
      const messages = data?.['messages'];
      if (!Array.isArray(messages)) return { error: internal(correlationId) };
      const description = data?.['description'];
      const { description: _, ...rest } = data ?? {};
      const fields = {
        ...rest,
        messages: toMessages(messages.filter(isObject), features),
        ...(typeof description === 'string' && { description }),
      };
      return { result: result(fields, features, outcome.meta) };
    },
  };
}
