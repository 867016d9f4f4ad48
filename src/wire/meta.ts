import type { JsonObject } from '../core/json.js';
import { codes, rpcError } from './codes.js';
import type { RpcError } from './codes.js';
import { isObject } from './message.js';
import { isModernVersion, modernVersions } from './versions.js';
import type { ModernVersion } from './versions.js';

const prefix = 'io.modelcontextprotocol/';

/** The reserved keys of `_meta`. */
export const metaKeys = {
  protocolVersion: `${prefix}protocolVersion`,
  clientCapabilities: `${prefix}clientCapabilities`,
  clientInfo: `${prefix}clientInfo`,
  logLevel: `${prefix}logLevel`,
  serverInfo: `${prefix}serverInfo`,
  subscriptionId: `${prefix}subscriptionId`,
  relatedTask: `${prefix}related-task`,
} as const;

/** The extension under which the tasks of 2026 are declared. */
export const tasksExtension = `${prefix}tasks`;

/** What a modern request says about itself. */
export interface Envelope {
  readonly version: ModernVersion;
  readonly capabilities: JsonObject;
  readonly logLevel?: string;
}

export const metaOf = (params: JsonObject): JsonObject | undefined => {
  const meta = params['_meta'];
  return isObject(meta) ? meta : undefined;
};

/** The protocol version that a request claims in its body; its presence makes a request modern. */
export const claimedVersion = (params: JsonObject): unknown => metaOf(params)?.[metaKeys.protocolVersion];

const missing = (key: string): RpcError => rpcError(codes.invalidParams, `_meta must hold ${key}`, { missing: [key] });

/** Reads the envelope of a modern request, or says what is wrong with it. */
export function readEnvelope(params: JsonObject): Envelope | RpcError {
  const meta = metaOf(params);
  const version = meta?.[metaKeys.protocolVersion];
  if (meta === undefined || typeof version !== 'string') return missing(metaKeys.protocolVersion);
  if (!isModernVersion(version)) return unsupportedVersion(version);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) return missing(metaKeys.clientCapabilities);
  const logLevel = meta[metaKeys.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel))
    return rpcError(codes.invalidParams, `${metaKeys.logLevel} is not a log level`);
  return { version, capabilities, ...(logLevel !== undefined && { logLevel }) };
}

export const unsupportedVersion = (requested: string): RpcError =>
  rpcError(codes.unsupportedVersion, 'Unsupported protocol version', {
    supported: [...modernVersions],
    requested: requested.slice(0, 64),
  });

/** The log levels of MCP, mildest first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type WireLogLevel = (typeof logLevels)[number];
export const isLogLevel = (level: unknown): level is WireLogLevel => (logLevels as readonly unknown[]).includes(level);

/** A progress token as given, or undefined where there is none or it is neither string nor integer. */
export function progressTokenOf(params: JsonObject): string | number | undefined {
  const token = metaOf(params)?.['progressToken'];
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as string | number) : undefined; // isSafeInteger does not narrow
}

const traceparent = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The W3C trace context of a request, dropped unless well-formed: it ends up in logs and upstream headers. */
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
