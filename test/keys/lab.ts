import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { JWTPayload } from 'jose';
import { afterAll } from 'vitest';
import { temporaryFolder } from '../support/temporary.js';
import type { Loose } from '../support/mcp.js';

/** A request as the lab saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Handler = (seen: Seen, response: ServerResponse) => void | Promise<void>;

const keys = { RS256: await generateKeyPair('RS256'), ES256: await generateKeyPair('ES256') };
const jwks = {
  keys: await Promise.all(
    Object.entries(keys).map(async ([alg, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      kid: alg,
      alg,
      use: 'sig',
    })),
  ),
};
const json = (response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** Failures still to come of `/flaky`, by the rest of the path. */
const failures = new Map<string, number>();
const routes: Readonly<Record<string, Handler>> = {
  '/jwks': (_, response) => json(response, jwks),
  '/no-keys': (_, response) => json(response, { keys: [] }),
  '/fail': (_, response) => json(response, { error: 'no' }, 500),
  '/hang': () => {},
  '/big': (_, response) => json(response, { text: 'x'.repeat(3000) }),
  '/nested': (_, response) => json(response, { data: { items: ['inner'] }, outer: 'outer' }),
  '/oauth/token': ({ body, headers }, response) => {
    const [user = '', password = ''] = Buffer.from((headers.authorization ?? '').slice(6), 'base64')
      .toString()
      .split(':');
    lab.asked.push({ user, password });
    json(response, {
      access_token: `issued-${new URLSearchParams(body).get('scope') ?? ''}`,
      token_type: 'Bearer',
      expires_in: 60,
    });
  },
};
const more = new Map<string, Handler>();

const server = createServer((request, response) => {
  let body = '';
  request
    .setEncoding('utf8')
    .on('data', (chunk: string) => (body += chunk))
    .on('end', () => {
      const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      const path = new URL(seen.path, 'http://lab').pathname;
      if (path.startsWith('/flaky')) {
        const left = failures.get(path) ?? 0;
        failures.set(path, left - 1);
        if (left > 0) return json(response, { error: 'later' }, 503);
      }
      lab.requests.push(seen);
      const handler = more.get(path) ?? routes[path];
      // By default a request is answered with itself.
      if (handler) void handler(seen, response);
      else json(response, { method: seen.method, path: seen.path, headers: seen.headers, body: asJson(body) ?? body });
    });
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const { port } = server.address() as AddressInfo;

/** A server on loopback that answers each request with itself, issues tokens, fails and hangs. */
export const lab = {
  url: `http://127.0.0.1:${port}`,
  port,
  folder: temporaryFolder('lab'),
  requests: [] as Seen[],
  /** Clients that asked the token endpoint. */
  asked: [] as { readonly user: string; readonly password: string }[],
  serve: (path: string, handler: Handler): void => void more.set(path, handler),
  /** Makes the next requests to `/flaky…` fail. */
  failNext: (path: string, times: number): void => void failures.set(path, times),
  token: (claims: JWTPayload, alg = 'RS256'): Promise<string> =>
    new SignJWT({ iss: lab.url, sub: 's', exp: Math.floor(Date.now() / 1000) + 300, ...claims })
      .setProtectedHeader({ alg, kid: alg })
      .sign(keys[alg as 'RS256'].privateKey),
};

export { json };
function asJson(text: string): Loose {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
