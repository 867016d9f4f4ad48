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
  const install = (): void => {
    handle = new Provider(issuer, {
      clients: [
        {
          client_id: 'agent',
          client_secret: 'agent-secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      jwks: { keys: [key] },
      scopes: ['mcp', 'other'],
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
    }).callback();
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
    async rotate() {
      generation += 1;
      key = await aKey(`k${generation}`);
      install();
    },
  };
}
