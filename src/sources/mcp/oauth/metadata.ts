import type { Json, JsonObject } from '../../../core/json.js';
import type { Egress } from '../../../net/egress-types.js';
import { isObject } from '../../../wire/message.js';

/** The way to authorization servers: guarded, since a hostile server names their addresses. */
export type Way = Pick<Egress, 'request'>;

/** What an authorization server says about itself, checked. */
export interface Issuer {
  readonly issuer: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string;
  /** Whether answers to the browser must say who they come from. */
  readonly namesItself: boolean;
  readonly s256: boolean;
}

/** Where a protected server sends us. */
export interface Resource {
  /** What tokens must be made for. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

/** What went wrong: `held` where somebody must log in first, `final` where what was granted is granted no more. */
export type Problem = { readonly problem: string; readonly held?: boolean; readonly final?: boolean };

const maxBytes = 262_144;
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address may be used for authorization at all: https, or this machine. */
export function isSafeUrl(text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.username === '' &&
    url.hash === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname)))
  );
}

async function document(way: Way, url: string): Promise<JsonObject | undefined> {
  const answer = await way.request({
    url,
    headers: { accept: 'application/json' },
    maxResponseBytes: maxBytes,
    redirect: 'manual',
  });
  if (answer.kind !== 'response' || answer.status !== 200) return undefined;
  return parsed(answer.body);
}

/** The object in a body, or undefined. */
export function parsed(body: Buffer): JsonObject | undefined {
  try {
    const value = JSON.parse(body.toString('utf8')) as Json; // what JSON.parse makes is JSON
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const texts = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string').slice(0, 32) : [];

/** A parameter of a `WWW-Authenticate: Bearer` header. */
export const challengeValue = (challenge: string | undefined, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s,])${name}="([^"]{0,2000})"`, 'i').exec(challenge?.slice(0, 8_192) ?? '')?.[1];

/** Asks a server which authorization servers it believes: the address in its challenge, else the well-known ones. */
export async function findResource(
  way: Way,
  server: string,
  challenge: string | undefined,
): Promise<Resource | Problem> {
  const url = new URL(server);
  const path = url.pathname === '/' ? '' : url.pathname.replace(/\/$/, '');
  const named = challengeValue(challenge, 'resource_metadata');
  const places = [
    ...(isSafeUrl(named) ? [named] : []),
    `${url.origin}/.well-known/oauth-protected-resource${path}`,
    `${url.origin}/.well-known/oauth-protected-resource`,
  ];
  const asked = challengeValue(challenge, 'scope')
    ?.split(' ')
    .filter((scope) => scope !== '');
  for (const place of new Set(places)) {
    const found = await document(way, place);
    if (!found) continue;
    const { resource } = found;
    // A document that speaks for another server would have us fetch tokens for it.
    if (typeof resource !== 'string' || !covers(resource, server))
      return { problem: "the server's metadata is about another server" };
    const issuers = texts(found['authorization_servers']).filter(isSafeUrl);
    return {
      resource,
      issuers: issuers.length > 0 ? issuers : [url.origin],
      scopes: asked ?? texts(found['scopes_supported']),
    };
  }
  return { resource: server, issuers: [url.origin], scopes: asked ?? [] };
}

/** Whether tokens made for a resource are for this server. */
export function covers(resource: string, server: string): boolean {
  if (!URL.canParse(resource)) return false;
  const [declared, used] = [new URL(resource), new URL(server)];
  const under = declared.pathname.endsWith('/') ? declared.pathname : `${declared.pathname}/`;
  return (
    declared.origin === used.origin && (used.pathname === declared.pathname || `${used.pathname}/`.startsWith(under))
  );
}

/** Asks an authorization server about itself; it must speak in its own name. */
export async function findIssuer(way: Way, issuer: string): Promise<Issuer | Problem> {
  const url = new URL(issuer);
  const path = url.pathname === '/' ? '' : url.pathname.replace(/\/$/, '');
  const places =
    path === ''
      ? [`${url.origin}/.well-known/oauth-authorization-server`, `${url.origin}/.well-known/openid-configuration`]
      : [
          `${url.origin}/.well-known/oauth-authorization-server${path}`,
          `${url.origin}/.well-known/openid-configuration${path}`,
          `${url.origin}${path}/.well-known/openid-configuration`,
        ];
  for (const place of places) {
    const found = await document(way, place);
    if (!found) continue;
    const { token_endpoint: token, authorization_endpoint: authorize, registration_endpoint: register } = found;
    // Compared as text: an issuer that is only nearly the same is another one.
    if (found['issuer'] !== issuer && found['issuer'] !== issuer.replace(/\/$/, ''))
      return { problem: 'the authorization server names itself differently' };
    if (!isSafeUrl(token)) return { problem: 'the authorization server has no usable token endpoint' };
    return {
      issuer: String(found['issuer']),
      tokenEndpoint: token,
      ...(isSafeUrl(authorize) && { authorizationEndpoint: authorize }),
      ...(isSafeUrl(register) && { registrationEndpoint: register }),
      namesItself: found['authorization_response_iss_parameter_supported'] === true,
      s256: texts(found['code_challenge_methods_supported']).includes('S256'),
    };
  }
  return { problem: 'the authorization server does not tell about itself' };
}
