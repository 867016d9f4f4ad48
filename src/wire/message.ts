import { isUtf8 } from 'node:buffer';
import type { Json, JsonObject } from '../core/json.js';
import { nestsDeeperThan } from '../lib/json-limits.js';
import { codes, rpcError } from './codes.js';
import type { RpcError } from './codes.js';
import { encodeId, memberText, readId } from './id.js';
import type { Id } from './id.js';

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
  readonly params: JsonObject;
}
export interface RpcNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}
/** An answer to a request of ours. */
export interface RpcResponse {
  readonly kind: 'response';
  readonly id: Id;
  readonly reply: { readonly result: JsonObject } | { readonly error: RpcError };
}
/** Not JSON-RPC; `error` says why and `id` is the one to answer under, null where it was null, absent where none could be read. */
export interface Invalid {
  readonly kind: 'invalid';
  readonly id?: Id | null;
  readonly error: RpcError;
}
export type Message = RpcRequest | RpcNotification | RpcResponse | Invalid;
export type Decoded = Message | { readonly kind: 'batch'; readonly messages: readonly Message[] };

/** Bounds of one message before it is believed. */
export interface MessageLimits {
  readonly maxDepth: number;
  readonly maxBatch: number;
}

export const messageLimits: MessageLimits = { maxDepth: 64, maxBatch: 64 };

const nothing: JsonObject = Object.freeze({});
const maxMethodLength = 256;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (message: string, id?: Id | null): Invalid => ({
  kind: 'invalid',
  error: rpcError(codes.invalidRequest, message),
  ...(id !== undefined && { id }),
});

/** Parses one JSON-RPC message or batch, once; whatever is wrong with it is a value, never a throw. */
export function decode(bytes: Buffer, limits: MessageLimits = messageLimits): Decoded {
  if (nestsDeeperThan(bytes, limits.maxDepth)) {
    return { kind: 'invalid', error: rpcError(codes.invalidRequest, `JSON nests deeper than ${limits.maxDepth}`) };
  }
  // Bytes that are not UTF-8 would be replaced silently, and two readers could then see two different names.
  if (!isUtf8(bytes)) return { kind: 'invalid', error: rpcError(codes.parseError, 'Not UTF-8') };
  const text = bytes.toString('utf8');
  let value: Json;
  try {
    // JSON.parse yields JSON by definition; its declared type is wider.
    value = JSON.parse(text) as Json;
  } catch {
    return { kind: 'invalid', error: rpcError(codes.parseError, 'Not valid JSON') };
  }
  if (!Array.isArray(value)) return readMessage(value, () => memberText(text, 'id'));
  if (value.length === 0) return invalid('A batch must hold a message');
  if (value.length > limits.maxBatch) return invalid(`A batch may hold at most ${limits.maxBatch} messages`);
  // Ids too long for a double are refused inside batches: their digits cannot be told apart there.
  return { kind: 'batch', messages: value.map((part: Json) => readMessage(part, () => undefined)) };
}

/** Sorts a parsed value into one of the kinds of message. */
export function readMessage(value: Json, idText: () => string | undefined): Message {
  if (!isObject(value)) return invalid('A message must be an object');
  const given = value['id'];
  const id = given === undefined ? undefined : given === null ? null : readId(given, idText);
  if (value['jsonrpc'] !== '2.0') return invalid('jsonrpc must be "2.0"', id);
  if (given !== undefined && id === undefined) return invalid('id must be a string or an integer');
  const method = value['method'];
  if (method === undefined) return readResponse(value, id);
  if (typeof method !== 'string' || method === '' || method.length > maxMethodLength)
    return invalid('method must be a short string', id);
  if (id === null) return invalid('id must not be null', id);
  const params = value['params'];
  if (params !== undefined && !isObject(params)) return invalid('params must be an object', id);
  return id === undefined
    ? { kind: 'notification', method, params: params ?? nothing }
    : { kind: 'request', id, method, params: params ?? nothing };
}

function readResponse(value: JsonObject, id: Id | null | undefined): Message {
  const { result, error } = value;
  if (id === undefined || id === null || (result === undefined) === (error === undefined))
    return invalid('Neither a request nor a response', id);
  if (isObject(result)) return { kind: 'response', id, reply: { result } };
  if (isObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string') {
    const data = isObject(error['data']) ? error['data'] : undefined;
    return { kind: 'response', id, reply: { error: rpcError(Number(error['code']), error['message'], data) } };
  }
  return invalid('A response needs a result object or an error', id);
}

/** The text of a successful response around an already serialised result. */
export const encodeResult = (id: Id, result: string): string =>
  `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${result}}`;

/** The text of an error response; an id that could not be read is null or left out. */
export const encodeError = (id: Id | null | undefined, error: RpcError): string =>
  id === undefined
    ? `{"jsonrpc":"2.0","error":${JSON.stringify(error)}}`
    : `{"jsonrpc":"2.0","id":${id === null ? 'null' : encodeId(id)},"error":${JSON.stringify(error)}}`;

export const encodeRequest = (id: Id, method: string, params?: JsonObject): string =>
  `{"jsonrpc":"2.0","id":${encodeId(id)},"method":${JSON.stringify(method)}${params ? `,"params":${JSON.stringify(params)}` : ''}}`;

export const encodeNotification = (method: string, params?: JsonObject): string =>
  `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${params ? `,"params":${JSON.stringify(params)}` : ''}}`;
