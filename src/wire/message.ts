import type { Json, JsonObject } from '../core/json.js';
import { rpcCodes, rpcError } from './codes.js';
import type { RpcError } from './codes.js';
import { encodeId, memberText, readId } from './id.js';
import type { Id } from './id.js';
import { decodeJson } from './json.js';
import type { JsonLimits, JsonProblem } from './json.js';

/** A request; missing params are an empty object. */
export interface RpcRequest {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
  readonly params: JsonObject;
}
/** A notification; missing params are an empty object. */
export interface RpcNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}
/** Response to a request that this side sent. */
export interface RpcResponse {
  readonly kind: 'response';
  readonly id: Id;
  readonly reply: { readonly result: JsonObject } | { readonly error: RpcError };
}
/** Not valid JSON-RPC; `id` is the id to answer under: null if it was null, absent if it could not be read. */
interface InvalidMessage {
  readonly kind: 'invalid';
  readonly id?: Id | null;
  readonly error: RpcError;
}
export type Message = RpcRequest | RpcNotification | RpcResponse | InvalidMessage;
/** A message or a batch of messages. */
export type Decoded = Message | { readonly kind: 'batch'; readonly messages: readonly Message[] };

/** Limits of a message. */
export interface MessageLimits extends JsonLimits {
  readonly maxBatch: number;
}

/** Limits for messages of upstream servers: their JSON may be loose, because it is data and decides nothing. */
export const messageLimits: MessageLimits = { maxDepth: 64, strict: false, maxBatch: 64 };

/** Limits for messages of clients. */
export const clientLimits: MessageLimits = { ...messageLimits, strict: true };

const emptyParams: JsonObject = Object.freeze({});
const maxMethodLength = 256;

/** Whether a value is a JSON object, not an array or null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalidMessage = (message: string, id?: Id | null): InvalidMessage => ({
  kind: 'invalid',
  error: rpcError(rpcCodes.invalidRequest, message),
  ...(id !== undefined && { id }),
});

/** Parses one JSON-RPC message or batch; malformed input is returned as `invalid`, never thrown. */
export function decode(bytes: Buffer, limits: MessageLimits = messageLimits): Decoded {
  const decoded = decodeJson(bytes, limits);
  if ('problem' in decoded) return invalidJson(decoded.problem);
  const { value, text } = decoded;
  if (!Array.isArray(value)) return readMessage(value, () => memberText(text, 'id'));
  if (value.length === 0) return invalidMessage('A batch must contain at least one message');
  if (value.length > limits.maxBatch) return invalidMessage(`A batch may contain at most ${limits.maxBatch} messages`);
  // Ids beyond double precision are rejected inside batches: their source text cannot be located there.
  return { kind: 'batch', messages: value.map((part: Json) => readMessage(part, () => undefined)) };
}

/** Rejects unacceptable JSON, under the id of the message if it could be parsed: without it the client would wait forever. */
function invalidJson({ fault, message, value }: JsonProblem): InvalidMessage {
  const code = fault === 'not_json' || fault === 'not_utf8' ? rpcCodes.parseError : rpcCodes.invalidRequest;
  const id = isJsonObject(value) && value['id'] !== undefined ? readId(value['id'], () => undefined) : undefined;
  return { kind: 'invalid', error: rpcError(code, message, { fault }), ...(id !== undefined && { id }) };
}

/** Classifies a parsed value as request, notification, response or invalid. */
function readMessage(value: Json, idText: () => string | undefined): Message {
  if (!isJsonObject(value)) return invalidMessage('A message must be an object');
  const given = value['id'];
  const id = given === undefined ? undefined : given === null ? null : readId(given, idText);
  if (value['jsonrpc'] !== '2.0') return invalidMessage('jsonrpc must be "2.0"', id);
  if (given !== undefined && id === undefined) return invalidMessage('id must be a string or an integer');
  const method = value['method'];
  if (method === undefined) return readResponse(value, id);
  if (typeof method !== 'string' || method === '' || method.length > maxMethodLength)
    return invalidMessage('method must be a short string', id);
  if (id === null) return invalidMessage('id must not be null', id);
  const params = value['params'];
  if (params !== undefined && !isJsonObject(params)) return invalidMessage('params must be an object', id);
  return id === undefined
    ? { kind: 'notification', method, params: params ?? emptyParams }
    : { kind: 'request', id, method, params: params ?? emptyParams };
}

function readResponse(value: JsonObject, id: Id | null | undefined): Message {
  const { result, error } = value;
  if (id === undefined || id === null || (result === undefined) === (error === undefined))
    return invalidMessage('Neither a request nor a response', id);
  if (isJsonObject(result)) return { kind: 'response', id, reply: { result } };
  if (isJsonObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string') {
    const data = isJsonObject(error['data']) ? error['data'] : undefined;
    return { kind: 'response', id, reply: { error: rpcError(Number(error['code']), error['message'], data) } };
  }
  return invalidMessage('A response needs a result object or an error', id);
}

/** Serialises a successful response around an already serialised result. */
export const encodeResult = (id: Id, result: string): string =>
  `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${result}}`;

/** Serialises an error response; an unreadable id is null or omitted. */
export const encodeError = (id: Id | null | undefined, error: RpcError): string =>
  id === undefined
    ? `{"jsonrpc":"2.0","error":${JSON.stringify(error)}}`
    : `{"jsonrpc":"2.0","id":${id === null ? 'null' : encodeId(id)},"error":${JSON.stringify(error)}}`;

export const encodeRequest = (id: Id, method: string, params?: JsonObject): string =>
  `{"jsonrpc":"2.0","id":${encodeId(id)},"method":${JSON.stringify(method)}${params ? `,"params":${JSON.stringify(params)}` : ''}}`;

export const encodeNotification = (method: string, params?: JsonObject): string =>
  `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${params ? `,"params":${JSON.stringify(params)}` : ''}}`;
