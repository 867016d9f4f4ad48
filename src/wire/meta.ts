import type { JsonObject } from '../core/json.js';
import { rpcCodes, rpcError } from './codes.js';
import type { RpcError } from './codes.js';
import { isJsonObject } from './message.js';
import { isModernVersion, modernVersions } from './versions.js';
import type { ModernVersion } from './versions.js';

const reservedPrefix = 'io.modelcontextprotocol/';

/** The reserved keys of `_meta`. */
export const metaKeys = {
  protocolVersion: `${reservedPrefix}protocolVersion`,
  clientCapabilities: `${reservedPrefix}clientCapabilities`,
  clientInfo: `${reservedPrefix}clientInfo`,
  logLevel: `${reservedPrefix}logLevel`,
  serverInfo: `${reservedPrefix}serverInfo`,
  subscriptionId: `${reservedPrefix}subscriptionId`,
  relatedTask: `${reservedPrefix}related-task`,
} as const;

/** Extension id under which clients declare the 2026 tasks. */
export const tasksExtension = `${reservedPrefix}tasks`;

/** Protocol fields that every modern request carries in `_meta`. */
export interface Envelope {
  readonly version: ModernVersion;
  readonly capabilities: JsonObject;
  readonly logLevel?: string;
}

const maxClientName = 100;

/** Name of the client program in its `clientInfo`, bounded; undefined if it declares none. */
export const clientNameOf = (info: unknown): string | undefined =>
  isJsonObject(info) && typeof info['name'] === 'string' && info['name'] !== ''
    ? info['name'].slice(0, maxClientName)
    : undefined;

/** The `_meta` object of request parameters. */
export const metaOf = (params: JsonObject): JsonObject | undefined => {
  const meta = params['_meta'];
  return isJsonObject(meta) ? meta : undefined;
};

/** Protocol version claimed in the body of a request; its presence marks the request as modern. */
export const claimedVersion = (params: JsonObject): unknown => metaOf(params)?.[metaKeys.protocolVersion];

const missingMetaKey = (key: string): RpcError =>
  rpcError(rpcCodes.invalidParams, `_meta must contain ${key}`, { missing: [key] });

/** Validates the envelope of a modern request. */
export function readEnvelope(params: JsonObject): Envelope | RpcError {
  const meta = metaOf(params);
  const version = meta?.[metaKeys.protocolVersion];
  if (meta === undefined || typeof version !== 'string') return missingMetaKey(metaKeys.protocolVersion);
  if (!isModernVersion(version)) return unsupportedVersion(version);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isJsonObject(capabilities)) return missingMetaKey(metaKeys.clientCapabilities);
  const logLevel = meta[metaKeys.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel))
    return rpcError(rpcCodes.invalidParams, `${metaKeys.logLevel} is not a log level`);
  return { version, capabilities, ...(logLevel !== undefined && { logLevel }) };
}

/** Error that lists the supported versions; the requested one is truncated because it is untrusted. */
const unsupportedVersion = (requested: string): RpcError =>
  rpcError(rpcCodes.unsupportedVersion, 'Unsupported protocol version', {
    supported: [...modernVersions],
    requested: requested.slice(0, 64),
  });

/** MCP log levels, least severe first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type WireLogLevel = (typeof logLevels)[number];
export const isLogLevel = (level: unknown): level is WireLogLevel => (logLevels as readonly unknown[]).includes(level);

/** Progress token of a request; undefined if absent or neither a string nor an integer. */
export function progressTokenOf(params: JsonObject): string | number | undefined {
  const token = metaOf(params)?.['progressToken'];
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as string | number) : undefined; // isSafeInteger does not narrow
}

const traceparent = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** W3C trace context of a request; dropped if malformed, because it is copied into logs and upstream headers (header injection). */
export function traceOf(
  params: JsonObject,
): { readonly traceparent: string; readonly tracestate?: string } | undefined {
  const meta = metaOf(params);
  const parent = meta?.['traceparent'];
  if (typeof parent !== 'string' || !traceparent.test(parent)) return undefined;
  const state = meta?.['tracestate'];
  return {
    traceparent: parent,
    ...(typeof state === 'string' && /^[\x20-\x7e]{1,512}$/.test(state) && { tracestate: state }),
  };
}
