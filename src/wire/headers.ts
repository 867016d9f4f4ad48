import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../core/json.js';

const base64Open = '=?base64?';
const base64Close = '?=';
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Encodes a header value: printable ASCII as is, anything else as `=?base64?…?=` so that it cannot inject header lines. */
export function encodeHeaderValue(value: string): string {
  const plain =
    /^[\x20-\x7e]*$/.test(value) &&
    value === value.trim() &&
    !(value.startsWith(base64Open) && value.endsWith(base64Close));
  return plain ? value : `${base64Open}${Buffer.from(value, 'utf8').toString('base64')}${base64Close}`;
}

/** Decodes a header value; undefined for invalid base64 or UTF-8. A prefix without its suffix is a plain value. */
export function decodeHeaderValue(header: string): string | undefined {
  if (
    !header.startsWith(base64Open) ||
    !header.endsWith(base64Close) ||
    header.length < base64Open.length + base64Close.length
  )
    return header;
  const body = header.slice(base64Open.length, -base64Close.length);
  if (!base64Pattern.test(body)) return undefined;
  const bytes = Buffer.from(body, 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Methods with an `Mcp-Name` header, and the parameter it repeats. */
const nameFields: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Parameter that the `Mcp-Name` header must repeat; undefined for methods without that header. */
const nameField = (method: string): string | undefined =>
  Object.hasOwn(nameFields, method) ? nameFields[method] : undefined;

/** Headers that a client must send with a modern request. */
export function requestHeaders(method: string, params: JsonObject, version: string): Record<string, string> {
  const field = nameField(method);
  const name = field === undefined ? undefined : params[field];
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  };
}

type HeaderValue = string | readonly string[] | undefined;
/** Request headers as node:http provides them. */
export type Headers = Readonly<Record<string, HeaderValue>>;

const singleHeaderValue = (value: HeaderValue): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Describes how the standard headers of a modern request contradict its body; undefined if they agree. A mismatch would let
 * a proxy that filters by header pass a call it was configured to block.
 */
export function headerProblem(
  headers: Headers,
  method: string,
  params: JsonObject,
  version: string,
): string | undefined {
  const given = singleHeaderValue(headers['mcp-protocol-version']);
  if (given === undefined) return 'The MCP-Protocol-Version header is missing';
  if (given !== version) return 'The MCP-Protocol-Version header differs from the body';
  const named = singleHeaderValue(headers['mcp-method']);
  if (named === undefined) return 'The Mcp-Method header is missing';
  if (named !== method) return 'The Mcp-Method header differs from the body';
  const field = nameField(method);
  if (field === undefined) return undefined;
  const value = params[field];
  const header = singleHeaderValue(headers['mcp-name']);
  if (header === undefined) return value === undefined ? undefined : 'The Mcp-Name header is missing';
  const decoded = decodeHeaderValue(header.trim());
  if (decoded === undefined) return 'The Mcp-Name header is not valid base64';
  return decoded === value ? undefined : 'The Mcp-Name header differs from the body';
}
