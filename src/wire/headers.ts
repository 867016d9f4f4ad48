import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../core/json.js';

const open = '=?base64?';
const close = '?=';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A value fit for an HTTP header: itself where it is plain ASCII, else wrapped as base64 of its UTF-8. */
export function encodeHeaderValue(value: string): string {
  const plain =
    /^[\x20-\x7e]*$/.test(value) && value === value.trim() && !(value.startsWith(open) && value.endsWith(close));
  return plain ? value : `${open}${Buffer.from(value, 'utf8').toString('base64')}${close}`;
}

/** The value a header stands for; undefined where it claims to be base64 and is not. Half a claim is a plain value. */
export function decodeHeaderValue(header: string): string | undefined {
  if (!header.startsWith(open) || !header.endsWith(close) || header.length < open.length + close.length) return header;
  const body = header.slice(open.length, -close.length);
  if (!base64.test(body)) return undefined;
  const bytes = Buffer.from(body, 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

const nameFields: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** What the `Mcp-Name` header of a request must repeat; undefined where the method has no such header. */
export const nameField = (method: string): string | undefined =>
  Object.hasOwn(nameFields, method) ? nameFields[method] : undefined;

/** The headers a client must send beside a modern request. */
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
export type Headers = Readonly<Record<string, HeaderValue>>;

const single = (value: HeaderValue): string | undefined => (typeof value === 'string' ? value : undefined);

/** Why the standard headers of a modern request disagree with its body, or undefined where they agree. */
export function headerProblem(
  headers: Headers,
  method: string,
  params: JsonObject,
  version: string,
): string | undefined {
  const given = single(headers['mcp-protocol-version']);
  if (given === undefined) return 'The MCP-Protocol-Version header is missing';
  if (given !== version) return 'The MCP-Protocol-Version header differs from the body';
  const named = single(headers['mcp-method']);
  if (named === undefined) return 'The Mcp-Method header is missing';
  if (named !== method) return 'The Mcp-Method header differs from the body';
  const field = nameField(method);
  if (field === undefined) return undefined;
  const value = params[field];
  const header = single(headers['mcp-name']);
  if (header === undefined) return value === undefined ? undefined : 'The Mcp-Name header is missing';
  const decoded = decodeHeaderValue(header.trim());
  if (decoded === undefined) return 'The Mcp-Name header is not valid base64';
  return decoded === value ? undefined : 'The Mcp-Name header differs from the body';
}
