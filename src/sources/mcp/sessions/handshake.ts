import type { JsonObject } from '../../../core/json.js';
import { rpcCodes } from '../../../wire/codes.js';
import type { RpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import { metaKeys } from '../../../wire/meta.js';
import type { RpcReply } from '../../../wire/reply.js';
import { isLegacyVersion, legacyVersions, modernVersions } from '../../../wire/versions.js';
import type { Version } from '../../../wire/versions.js';
import type { Channel } from '../channels/channel.js';

/** Protocol era of an upstream server: fixed, or `auto` to negotiate. */
export type Era = 'auto' | 'legacy' | 'modern';

/** What an upstream server declared about itself; untrusted. */
export interface Peer {
  readonly version: Version;
  readonly modern: boolean;
  readonly server: { readonly name: string; readonly version: string };
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

export interface HandshakeOptions {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Why no common protocol was found. */
interface HandshakeFailure {
  readonly problem: string;
  readonly error?: RpcError;
  /** An operator or user must act first, for example log in. */
  readonly needsAction?: boolean;
}

/** Capabilities declared to servers; whether the actual client has them is checked per request. */
const clientCapabilities: JsonObject = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};

/** The `_meta` fields of a modern (stateless) request. */
export const modernMeta = (clientInfo: JsonObject, capabilities: JsonObject): JsonObject => ({
  [metaKeys.protocolVersion]: modernVersions[0],
  [metaKeys.clientCapabilities]: capabilities,
  [metaKeys.clientInfo]: clientInfo,
});

const boundedText = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : otherwise;

const parseServerInfo = (info: unknown): Peer['server'] => {
  const given = isJsonObject(info) ? info : {};
  return { name: boundedText(given['name'], 'unnamed'), version: boundedText(given['version'], 'unknown') };
};

const parseInstructions = (result: JsonObject): { readonly instructions?: string } =>
  typeof result['instructions'] === 'string' ? { instructions: result['instructions'].slice(0, 16_384) } : {};

/** Opens a legacy session (revisions up to 2025-11-25). */
async function initialize(
  channel: Channel,
  { clientInfo, timeoutMs, signal }: HandshakeOptions,
): Promise<Peer | HandshakeFailure> {
  const reply = await channel.request({
    method: 'initialize',
    params: { protocolVersion: legacyVersions[0], capabilities: clientCapabilities, clientInfo },
    timeoutMs,
    ...(signal && { signal }),
  });
  if ('failure' in reply) {
    const { kind, message } = reply.failure;
    return { problem: `initialize failed: ${message}`, ...(kind === 'refused' && { needsAction: true }) };
  }
  if ('error' in reply) return { problem: `initialize failed: ${reply.error.message}`, error: reply.error };
  const { result } = reply;
  const version = result['protocolVersion'];
  if (!isLegacyVersion(version))
    return {
      problem: `the server uses protocol revision ${boundedText(version, 'unknown')}, which this gateway does not support`,
    };
  channel.setVersion?.(version);
  channel.notify('notifications/initialized');
  const capabilities = isJsonObject(result['capabilities']) ? result['capabilities'] : {};
  return {
    version,
    modern: false,
    server: parseServerInfo(result['serverInfo']),
    capabilities,
    ...parseInstructions(result),
  };
}

/** Sends `server/discover`; undefined if the server does not support the stateless protocol. */
async function discover(
  channel: Channel,
  { clientInfo, timeoutMs, signal }: HandshakeOptions,
): Promise<Peer | HandshakeFailure | undefined> {
  const reply = await channel.request({
    method: 'server/discover',
    params: { _meta: modernMeta(clientInfo, {}) },
    timeoutMs,
    ...(signal && { signal }),
  });
  // A server that cannot be reached would only let the next attempt wait as well.
  if ('failure' in reply) return reply.failure.unprocessed === true ? { problem: reply.failure.message } : undefined;
  return 'error' in reply ? versionMismatch(reply.error) : toPeer(reply);
}

function toPeer(reply: Extract<RpcReply, { readonly result: JsonObject }>): Peer | undefined {
  const { result } = reply;
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions)) return undefined;
  const version = modernVersions.find((known) => versions.includes(known));
  if (version === undefined) return undefined;
  const meta = isJsonObject(result['_meta']) ? result['_meta'] : {};
  const capabilities = isJsonObject(result['capabilities']) ? result['capabilities'] : {};
  return {
    version,
    modern: true,
    server: parseServerInfo(meta[metaKeys.serverInfo]),
    capabilities,
    ...parseInstructions(result),
  };
}

/** Only this error means a modern server without a common revision; every other error means a legacy server. */
function versionMismatch(error: RpcError): HandshakeFailure | undefined {
  if (error.code !== rpcCodes.unsupportedVersion) return undefined;
  return { problem: 'the server supports no protocol revision that this gateway supports', error };
}

/**
 * Negotiates the protocol. `first` is the era tried first under `auto`: legacy over stdio, because a legacy server may
 * exit on an unknown first message.
 */
export async function negotiate(
  channel: Channel,
  era: Era,
  first: 'legacy' | 'modern',
  options: HandshakeOptions,
): Promise<Peer | HandshakeFailure> {
  if (era === 'legacy') return initialize(channel, options);
  const tryModern = async (): Promise<Peer | HandshakeFailure> =>
    (await discover(channel, options)) ?? { problem: 'the server does not support the stateless protocol' };
  if (era === 'modern') return tryModern();
  if (first === 'modern') {
    const found = await discover(channel, { ...options, timeoutMs: Math.min(options.timeoutMs, 3_000) });
    return found ?? initialize(channel, options);
  }
  const legacyPeer = await initialize(channel, options);
  if ('version' in legacyPeer || channel.end) return legacyPeer;
  const found = await discover(channel, options);
  return found && 'version' in found ? found : legacyPeer;
}
