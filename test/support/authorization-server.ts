import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CryptoKey, JWK, JWTPayload } from 'jose';
import { exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';

export interface AuthorizationServer {
  readonly issuer: string;
  readonly key: JWK;
  /** How often its keys were asked for. */
  fetches(): number;
  /** An access token as the server itself makes it. */
  token(resource: string, scope?: string): Promise<string>;
  /** A token signed with the server's key but with claims of the test's choosing. */
  forge(claims: JWTPayload, header?: Readonly<Record<string, unknown>>, key?: CryptoKey | Uint8Array): Promise<string>;
  /** Registers the address that people return to after a login of the client `console`. */
  allowRedirect(uri: string): void;
  /** Makes a new signing key, as servers do from time to time. */
  rotate(): Promise<void>;
}

async function aKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
}

/** A real authorization server on loopback (oidc-provider), ended with the test. */
export async function authorizationServer(): Promise<AuthorizationServer> {
  // The package has no types of its own, and the little of it that is used here is plain data.
  const { default: Provider } = await import('oidc-provider' as string);
  let handle: RequestListener = (_req, res) => void res.end();
  let fetches = 0;
  const server = createServer((req, res) => {
    if (req.url === '/jwks') fetches += 1;
    handle(req, res);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let key = await aKey('k1');
  let generation = 1;
  let redirects: readonly string[] = ['http://127.0.0.1/unset'];
  const install = (): void => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'agent',
          client_secret: 'agent-secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
        {
          client_id: 'console',
          application_type: 'native',
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code'],
          response_types: ['code'],
          redirect_uris: [...redirects],
        },
      ],
      cookies: { keys: ['only of this test'] },
      pkce: { required: () => true },
      conformIdTokenClaims: false,
      claims: { openid: ['sub'], groups: ['groups'] },
      findAccount: (_ctx: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, groups: ['ops'] }),
      }),
      interactions: { url: (_ctx: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      jwks: { keys: [key] },
      scopes: ['mcp', 'other', 'openid', 'groups'],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_ctx: unknown, resource: string) => ({
            scope: 'mcp other',
            audience: resource,
            accessTokenTTL: 300,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    });
    const callback: RequestListener = provider.callback();
    handle = (req, res) => void (req.url?.startsWith('/interaction/') ? logIn(provider, req, res) : callback(req, res));
  };
  install();
  return {
    issuer,
    get key() {
      return key;
    },
    fetches: () => fetches,
    async token(resource, scope = 'mcp') {
      const res = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from('agent:agent-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource, ...(scope !== '' && { scope }) }),
      });
      const body = (await res.json()) as { access_token?: string };
      if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
      return body.access_token;
    },
    async forge(claims, header = {}, signer) {
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: key.kid ?? '', ...header })
        .sign(signer ?? ((await importJWK(key)) as CryptoKey));
    },
    allowRedirect(uri) {
      redirects = [uri];
      install();
    },
    async rotate() {
      generation += 1;
      key = await aKey(`k${generation}`);
      install();
    },
  };
}

/** Answers the questions of a login as a person would: logs in as alice and agrees. */
async function logIn(
  provider: ReturnType<typeof JSON.parse>, // the package has no types
  req: Parameters<RequestListener>[0],
  res: Parameters<RequestListener>[1],
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(req, res);
  if (prompt.name === 'login')
    return provider.interactionFinished(
      req,
      res,
      { login: { accountId: 'alice' } },
      { mergeWithLastSubmission: false },
    );
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  return provider.interactionFinished(
    req,
    res,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  );
}
