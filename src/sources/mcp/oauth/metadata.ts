import type { Json, JsonObject } from '../../../core/json.js';
import type { Egress } from '../../../net/egress/egress-types.js';
import { isJsonObject } from '../../../wire/message.js';

/** Egress for authorization servers; guarded, because a hostile server chooses their URLs (SSRF). */
export type AuthorizationEgress = Pick<Egress, 'request'>;

/** Validated metadata of an authorization server. */
export interface Issuer {
  readonly issuer: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string;
  /** Whether redirects must carry `iss` (RFC 9207). */
  readonly namesItself: boolean;
  readonly s256: boolean;
}

/** Protected-resource metadata of a server. */
export interface Resource {
  /** Resource that tokens must be issued for. */
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
}

/** Failure: `needsAction` if the user must log in first, `final` if the grant was revoked or has expired. */
export type Problem = { readonly problem: string; readonly needsAction?: boolean; readonly final?: boolean };

/** Bound of a metadata document. */
const maxMetadataBytes = 262_144;
/** Loopback names, for development. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL may be used for authorization: https, or loopback. */
export function isSafeUrl(text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    // User information and fragments have no place in an endpoint and confuse comparisons.
    url.username === '' &&
    url.hash === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname)))
  );
}

/** Fetches a JSON document; undefined if there is none. */
async function document(egress: AuthorizationEgress, url: string): Promise<JsonObject | undefined> {
  const answer = await egress.request({
    url,
    headers: { accept: 'application/json' },
    maxResponseBytes: maxMetadataBytes,
    redirect: 'manual',
  });
  if (answer.kind !== 'response' || answer.status !== 200) return undefined;
  return parsed(answer.body);
}

/** Parses a JSON object; undefined if the body is something else. */
export function parsed(body: Buffer): JsonObject | undefined {
  try {
    const value = JSON.parse(body.toString('utf8')) as Json; // what JSON.parse makes is JSON
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Texts of a list, bounded. */
const stringsIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string').slice(0, 32) : [];

/** Reads a parameter of a `WWW-Authenticate: Bearer` header. */
export const challengeValue = (challenge: string | undefined, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s,])${name}="([^"]{0,2000})"`, 'i').exec(challenge?.slice(0, 8_192) ?? '')?.[1];

/** Finds the authorization servers of a server: from the URL in its challenge, else the well-known URLs. */
async function findResource(
  egress: AuthorizationEgress,
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
    const found = await document(egress, place);
    if (!found) continue;
    const { resource } = found;
    // Metadata of another resource would make us fetch tokens for that one (confused deputy).
    if (typeof resource !== 'string' || !covers(resource, server))
      return { problem: "the server's metadata describes another server" };
    const issuers = stringsIn(found['authorization_servers']).filter(isSafeUrl);
    return {
      resource,
      issuers: issuers.length > 0 ? issuers : [url.origin],
      scopes: asked ?? stringsIn(found['scopes_supported']),
    };
  }
  // Without metadata the origin itself is the authorization server, as older servers have it.
  return { resource: server, issuers: [url.origin], scopes: asked ?? [] };
}

/** Whether tokens issued for a resource are valid for this server. */
export function covers(resource: string, server: string): boolean {
  if (!URL.canParse(resource)) return false;
  const [declared, used] = [new URL(resource), new URL(server)];
  const under = declared.pathname.endsWith('/') ? declared.pathname : `${declared.pathname}/`;
  return (
    declared.origin === used.origin && (used.pathname === declared.pathname || `${used.pathname}/`.startsWith(under))
  );
}

/** Fetches the metadata of an authorization server; its `issuer` must match exactly. */
async function findIssuer(egress: AuthorizationEgress, issuer: string): Promise<Issuer | Problem> {
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
    const found = await document(egress, place);
    if (!found) continue;
    const { token_endpoint: token, authorization_endpoint: authorize, registration_endpoint: register } = found;
    // Compared as text: a similar issuer is another issuer.
    if (found['issuer'] !== issuer && found['issuer'] !== issuer.replace(/\/$/, ''))
      return { problem: 'the issuer in the metadata does not match the authorization server' };
    if (!isSafeUrl(token)) return { problem: 'the authorization server has no usable token endpoint' };
    return {
      issuer: String(found['issuer']),
      tokenEndpoint: token,
      ...(isSafeUrl(authorize) && { authorizationEndpoint: authorize }),
      ...(isSafeUrl(register) && { registrationEndpoint: register }),
      namesItself: found['authorization_response_iss_parameter_supported'] === true,
      s256: stringsIn(found['code_challenge_methods_supported']).includes('S256'),
    };
  }
  return { problem: 'the authorization server has no usable metadata' };
}

/** The resource behind a server and the issuer of its tokens: the configured one, which the server must name, else the first. */
export async function findResourceIssuer(
  egress: AuthorizationEgress,
  server: string,
  challenge: string | undefined,
  configuredIssuer: string | undefined,
): Promise<{ readonly resource: Resource; readonly issuer: Issuer } | Problem> {
  const resource = await findResource(egress, server, challenge);
  if ('problem' in resource) return resource;
  const named = configuredIssuer ?? resource.issuers[0] ?? '';
  // A server that names another issuer could otherwise send our login to that one (mix-up attack).
  if (!resource.issuers.includes(named))
    return { problem: 'the server names another authorization server than oauth.issuer' };
  const issuer = await findIssuer(egress, named);
  return 'problem' in issuer ? issuer : { resource, issuer };
}
