import type { JsonObject } from '../../core/json.js';
import { codes } from '../../wire/codes.js';
import type { RpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import { metaKeys } from '../../wire/meta.js';
import type { RpcReply } from '../../wire/pending.js';
import { isLegacyVersion, legacyVersions, modernVersions } from '../../wire/versions.js';
import type { Version } from '../../wire/versions.js';
import type { Channel } from './channel.js';

/** Which protocol an upstream server speaks: one era for sure, or to be found out. */
export type Era = 'auto' | 'legacy' | 'modern';

/** What an upstream server said about itself; nothing of it is believed further than it is needed. */
export interface Introduction {
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

/** Why no common protocol was found; `retryLegacy` says that the question itself may have been the trouble. */
export interface Misunderstood {
  readonly problem: string;
  readonly error?: RpcError;
}

/** What we say we can be asked; who is behind us is looked at when a question comes. */
export const offeredCapabilities: JsonObject = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };

/** The `_meta` that makes a request a modern one. */
export const modernMeta = (clientInfo: JsonObject, capabilities: JsonObject): JsonObject => ({
  [metaKeys.protocolVersion]: modernVersions[0],
  [metaKeys.clientCapabilities]: capabilities,
  [metaKeys.clientInfo]: clientInfo,
});

const short = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : otherwise;

const serverOf = (info: unknown): Introduction['server'] => {
  const given = isObject(info) ? info : {};
  return { name: short(given['name'], 'unnamed'), version: short(given['version'], 'unknown') };
};

const instructionsOf = (result: JsonObject): { readonly instructions?: string } =>
  typeof result['instructions'] === 'string' ? { instructions: result['instructions'].slice(0, 16_384) } : {};

/** Opens a conversation of the 2025 kind. */
export async function initialize(
  channel: Channel,
  { clientInfo, timeoutMs, signal }: HandshakeOptions,
): Promise<Introduction | Misunderstood> {
  const reply = await channel.request({
    method: 'initialize',
    params: { protocolVersion: legacyVersions[0], capabilities: offeredCapabilities, clientInfo },
    timeoutMs,
    ...(signal && { signal }),
  });
  if ('error' in reply) return { problem: `initialize failed: ${reply.error.message}`, error: reply.error };
  const { result } = reply;
  const version = result['protocolVersion'];
  if (!isLegacyVersion(version))
    return { problem: `the server speaks the revision ${short(version, 'unknown')}, which is not known here` };
  channel.agreed?.(version);
  channel.notify('notifications/initialized');
  const capabilities = isObject(result['capabilities']) ? result['capabilities'] : {};
  return { version, modern: false, server: serverOf(result['serverInfo']), capabilities, ...instructionsOf(result) };
}

/** Asks whether the server speaks the stateless protocol; undefined where it does not. */
export async function discover(
  channel: Channel,
  { clientInfo, timeoutMs, signal }: HandshakeOptions,
): Promise<Introduction | Misunderstood | undefined> {
  const reply = await channel.request({
    method: 'server/discover',
    params: { _meta: modernMeta(clientInfo, {}) },
    timeoutMs,
    ...(signal && { signal }),
  });
  return 'error' in reply ? speaksOf(reply.error) : introductionOf(reply);
}

function introductionOf(reply: Extract<RpcReply, { readonly result: JsonObject }>): Introduction | undefined {
  const { result } = reply;
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions)) return undefined;
  const version = modernVersions.find((known) => versions.includes(known));
  if (version === undefined) return undefined;
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  const capabilities = isObject(result['capabilities']) ? result['capabilities'] : {};
  return {
    version,
    modern: true,
    server: serverOf(meta[metaKeys.serverInfo]),
    capabilities,
    ...instructionsOf(result),
  };
}

/** Only this one error comes from a modern server that we have no revision in common with; every other one means legacy. */
function speaksOf(error: RpcError): Misunderstood | undefined {
  if (error.code !== codes.unsupportedVersion) return undefined;
  return { problem: 'the server speaks only revisions that are not known here', error };
}

/**
 * Finds the common protocol. `first` says which era is tried first where it is open: over pipes the older one, since a
 * server of that age may take an unknown first message for the end of the conversation.
 */
export async function shakeHands(
  channel: Channel,
  era: Era,
  first: 'legacy' | 'modern',
  options: HandshakeOptions,
): Promise<Introduction | Misunderstood> {
  if (era === 'legacy') return initialize(channel, options);
  const tryModern = async (): Promise<Introduction | Misunderstood> =>
    (await discover(channel, options)) ?? { problem: 'the server does not speak the stateless protocol' };
  if (era === 'modern') return tryModern();
  if (first === 'modern') {
    const found = await discover(channel, { ...options, timeoutMs: Math.min(options.timeoutMs, 3_000) });
    return found ?? initialize(channel, options);
  }
  const greeted = await initialize(channel, options);
  if ('version' in greeted || channel.end) return greeted;
  const found = await discover(channel, options);
  return found && 'version' in found ? found : greeted;
}
