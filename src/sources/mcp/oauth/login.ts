import { createHash, randomBytes } from 'node:crypto';
import type { Issuer, Problem, Resource, Way } from './metadata.js';
import { findIssuer, findResource, parsed } from './metadata.js';
import type { Client, Grant } from './tokens.js';
import { requestToken } from './tokens.js';

/** A login that waits for the browser. */
export interface Login {
  /** Where the person must go; it is shown, never opened by us. */
  readonly url: string;
  /** Takes what the browser brought back. */
  finish(parameters: URLSearchParams): Promise<Grant | Problem>;
}

export interface LoginOptions {
  readonly way: Way;
  readonly server: string;
  readonly principal: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly client?: Client;
  readonly issuer?: string;
}

const random = (): string => randomBytes(32).toString('base64url');

/** Begins a login in the browser: PKCE, a token for this server only, and the issuer written down before anyone is sent there. */
export async function beginLogin(options: LoginOptions): Promise<Login | Problem> {
  const { way, server, principal, redirectUri } = options;
  const resource = await findResource(way, server, undefined);
  if ('problem' in resource) return resource;
  const named = options.issuer ?? resource.issuers[0] ?? '';
  if (!resource.issuers.includes(named))
    return { problem: 'the server believes another authorization server than the configured one' };
  const issuer = await findIssuer(way, named);
  if ('problem' in issuer) return issuer;
  if (issuer.authorizationEndpoint === undefined)
    return { problem: 'the authorization server has no page to log in at' };
  // Without PKCE a stolen code is a stolen login.
  if (!issuer.s256) return { problem: 'the authorization server does not support PKCE with S256' };
  const client = options.client ?? (await register(way, issuer, redirectUri));
  if ('problem' in client) return client;
  const scopes = options.scopes.length > 0 ? options.scopes : resource.scopes;
  const [verifier, state] = [random(), random()];
  const url = new URL(issuer.authorizationEndpoint);
  const asked: Readonly<Record<string, string>> = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
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

interface Begun {
  readonly issuer: Issuer;
  readonly resource: Resource;
  readonly client: Client;
  readonly verifier: string;
  readonly state: string;
  readonly scopes: readonly string[];
}

async function finish(
  parameters: URLSearchParams,
  begun: Begun,
  { way, redirectUri }: LoginOptions,
  principal: string,
): Promise<Grant | Problem> {
  const { issuer, resource, client, verifier, state, scopes } = begun;
  if (parameters.get('state') !== state) return { problem: 'the browser came back with another state' };
  const iss = parameters.get('iss');
  // A mixed-up answer would have us hand the code of one server to another.
  if (iss !== null && iss !== issuer.issuer) return { problem: 'the answer comes from another authorization server' };
  if (iss === null && issuer.namesItself)
    return { problem: 'the answer does not say which authorization server it comes from' };
  const code = parameters.get('code');
  if (code === null)
    return {
      problem: `the login was refused (${(parameters.get('error') ?? 'no code').replaceAll(/[^\w.-]/g, '').slice(0, 64)})`,
    };
  return requestToken(
    way,
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

async function register(way: Way, { registrationEndpoint }: Issuer, redirectUri: string): Promise<Client | Problem> {
  if (registrationEndpoint === undefined)
    return { problem: 'the authorization server knows no such client; set oauth.client_id' };
  const body = JSON.stringify({
    client_name: 'Toolgate',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  });
  const answer = await way.request({
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
    : { problem: 'the authorization server did not register us' };
}
