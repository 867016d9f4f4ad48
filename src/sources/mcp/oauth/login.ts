import { createHash, randomBytes } from 'node:crypto';
import type { Issuer, Problem, Resource, AuthorizationEgress } from './metadata.js';
import { findResourceIssuer, parsed } from './metadata.js';
import type { Client, Grant } from './tokens.js';
import { requestToken } from './tokens.js';

/** A login that waits for the browser redirect. */
interface Login {
  /** URL for the user; shown, never opened by the gateway. */
  readonly url: string;
  /** Handles the parameters of the redirect. */
  finish(parameters: URLSearchParams): Promise<Grant | Problem>;
}

/** What a login needs. */
interface LoginOptions {
  readonly egress: AuthorizationEgress;
  readonly server: string;
  readonly principal: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly client?: Client;
  readonly issuer?: string;
}

/** 256 bits for verifier and state. */
const random = (): string => randomBytes(32).toString('base64url');

/** Starts an authorization-code login with PKCE, a resource-bound token, and the issuer recorded before the redirect. */
export async function beginLogin(options: LoginOptions): Promise<Login | Problem> {
  const { egress, server, principal, redirectUri } = options;
  const found = await findResourceIssuer(egress, server, undefined, options.issuer);
  if ('problem' in found) return found;
  const { resource, issuer } = found;
  if (issuer.authorizationEndpoint === undefined)
    return { problem: 'the authorization server has no authorization endpoint' };
  // Without PKCE an intercepted authorization code is a stolen login.
  if (!issuer.s256) return { problem: 'the authorization server does not support PKCE with S256' };
  const client = options.client ?? (await register(egress, issuer, redirectUri));
  if ('problem' in client) return client;
  const scopes = options.scopes.length > 0 ? options.scopes : resource.scopes;
  const [verifier, state] = [random(), random()];
  const url = new URL(issuer.authorizationEndpoint);
  const asked: Readonly<Record<string, string>> = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    // The resource binds the token to this server (RFC 8707).
    resource: resource.resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return {
    url: url.href,
    finish: (parameters) =>
      finish(parameters, { issuer, resource, client, verifier, state, scopes }, options, principal),
  };
}

/** What must be remembered until the redirect arrives. */
interface Begun {
  readonly issuer: Issuer;
  readonly resource: Resource;
  readonly client: Client;
  readonly verifier: string;
  readonly state: string;
  readonly scopes: readonly string[];
}

/** Checks the redirect and exchanges its code. */
async function finish(
  parameters: URLSearchParams,
  begun: Begun,
  { egress, redirectUri }: LoginOptions,
  principal: string,
): Promise<Grant | Problem> {
  const { issuer, resource, client, verifier, state, scopes } = begun;
  // Compared first: a redirect that this login did not start is not examined further.
  if (parameters.get('state') !== state)
    return { problem: 'the redirect has another state (possible CSRF); start the login again' };
  const iss = parameters.get('iss');
  // Mix-up attack: the code of one server would be sent to another (RFC 9207).
  if (iss !== null && iss !== issuer.issuer) return { problem: 'the redirect comes from another authorization server' };
  if (iss === null && issuer.namesItself)
    return { problem: 'the redirect does not name its authorization server (iss)' };
  const code = parameters.get('code');
  if (code === null)
    return {
      // The error comes from the URL, so only harmless characters are shown.
      problem: `the login was refused (${(parameters.get('error') ?? 'no code').replaceAll(/[^\w.-]/g, '').slice(0, 64)})`,
    };
  return requestToken(
    egress,
    { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    {
      issuer: issuer.issuer,
      tokenEndpoint: issuer.tokenEndpoint,
      client,
      resource: resource.resource,
      principal,
      scopes,
    },
  );
}

/** Registers a public client, as the protocol wants it for unknown servers (RFC 7591). */
async function register(
  egress: AuthorizationEgress,
  { registrationEndpoint }: Issuer,
  redirectUri: string,
): Promise<Client | Problem> {
  if (registrationEndpoint === undefined)
    return { problem: 'the authorization server does not allow client registration; set oauth.client_id' };
  const body = JSON.stringify({
    client_name: 'Toolgate',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // A native client cannot keep a secret; PKCE protects the code instead.
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  });
  const answer = await egress.request({
    url: registrationEndpoint,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
    maxResponseBytes: 65_536,
    redirect: 'manual',
  });
  const given = answer.kind === 'response' && answer.status < 300 ? parsed(answer.body) : undefined;
  const id = given?.['client_id'];
  const secret = given?.['client_secret'];
  return typeof id === 'string'
    ? { id, ...(typeof secret === 'string' && { secret }) }
    : { problem: 'the authorization server rejected the client registration' };
}
