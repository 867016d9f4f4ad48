import { generateKeyPair, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import type { AuthorizationServer } from '../../../test/support/authorization-server.js';
import { authorizationServer } from '../../../test/support/authorization-server.js';
import { localEgress } from '../../../test/support/gates.js';
import type { TokenResult } from './credentials.js';
import type { Issuer } from './issuers.js';
import { tokenVerifier } from './issuers.js';
import { keySet } from './key-sets.js';

const resource = 'https://gate.example/mcp';

function judged(server: AuthorizationServer, over: Partial<Issuer> = {}, now: () => number = Date.now) {
  const judge = tokenVerifier(
    [
      {
        name: 'corp',
        issuer: server.issuer,
        audience: [resource],
        algorithms: ['RS256', 'ES256'],
        scopes: ['mcp'],
        roles: { 'gate-admins': 'admin' },
        rolesClaim: 'groups',
        defaultRoles: ['user'],
        keys: keySet({ issuer: server.issuer, egress: localEgress(), now }),
        ...over,
      },
    ],
    now,
  );
  return async (token: string): Promise<TokenResult | undefined> => judge.judge(token);
}
const soon = (): number => Math.floor(Date.now() / 1000) + 300;

test('a token of a real authorization server, made for this gateway, names its caller', async () => {
  const server = await authorizationServer();
  const judge = judged(server);
  expect(await judge(await server.token(resource))).toEqual({
    principal: { id: 'jwt:corp:agent', name: 'agent', kind: 'jwt', roles: ['user'], scopes: ['mcp'] },
  });
});

test('a token made for another resource is refused, and so is one of another issuer [CVE-2026-27124] [CVE-2025-69196] [GHSA-vgf8-3685-66j9]', async () => {
  const [server, other] = [await authorizationServer(), await authorizationServer()];
  const judge = judged(server);
  expect(await judge(await server.token('https://other.example/mcp'))).toMatchObject({
    refused: 'invalid',
    message: expect.stringContaining('aud'),
  });
  expect(await judge(await other.token(resource))).toBeUndefined();
  expect(
    await judge(await other.forge({ iss: server.issuer, aud: resource, sub: 'x', exp: soon(), scope: 'mcp' })),
  ).toMatchObject({ refused: 'invalid' });
});

test('a token without the scope is refused as insufficient, with the scope it needs', async () => {
  const server = await authorizationServer();
  expect(await judged(server)(await server.token(resource, 'other'))).toMatchObject({
    refused: 'insufficient',
    scope: 'mcp',
  });
});

test.each<[string, (server: AuthorizationServer) => Promise<string> | string]>([
  [
    'expired',
    (server) => server.forge({ iss: server.issuer, aud: resource, sub: 'x', scope: 'mcp', exp: soon() - 3600 }),
  ],
  ['without expiry', (server) => server.forge({ iss: server.issuer, aud: resource, sub: 'x', scope: 'mcp' })],
  ['without subject', (server) => server.forge({ iss: server.issuer, aud: resource, scope: 'mcp', exp: soon() })],
  [
    'not yet valid',
    (server) => server.forge({ iss: server.issuer, aud: resource, sub: 'x', scope: 'mcp', exp: soon(), nbf: soon() }),
  ],
  ['without audience', (server) => server.forge({ iss: server.issuer, sub: 'x', scope: 'mcp', exp: soon() })],
  [
    'with a subject that breaks lines',
    (server) => server.forge({ iss: server.issuer, aud: resource, sub: 'x\nadmin', scope: 'mcp', exp: soon() }),
  ],
  [
    'signed by nobody',
    (server) => new UnsecuredJWT({ iss: server.issuer, aud: resource, sub: 'x', scope: 'mcp', exp: soon() }).encode(),
  ],
  [
    'signed with the public key as a shared secret',
    (server) =>
      server.forge(
        { iss: server.issuer, aud: resource, sub: 'x', scope: 'mcp', exp: soon() },
        { alg: 'HS256' },
        Buffer.from(server.key.n ?? ''),
      ),
  ],
  [
    'signed with another key under a known id',
    async (server) =>
      server.forge(
        { iss: server.issuer, aud: resource, sub: 'x', scope: 'mcp', exp: soon() },
        {},
        (await generateKeyPair('RS256')).privateKey,
      ),
  ],
  [
    'with a key of its own in the header',
    async (server) =>
      server.forge(
        { iss: server.issuer, aud: resource, sub: 'x', scope: 'mcp', exp: soon() },
        { kid: 'mine', jwk: { kty: 'RSA', n: 'x', e: 'AQAB' } },
        (await generateKeyPair('RS256')).privateKey,
      ),
  ],
])('a token %s is refused', async (_what, make) => {
  const server = await authorizationServer();
  const token = await make(server);
  const verdict = await judged(server)(token);
  expect(verdict ?? { refused: 'invalid' }).toMatchObject({ refused: 'invalid' });
});

test('roles come from listed values of the configured claim and from nowhere else', async () => {
  const server = await authorizationServer();
  const claims = { iss: server.issuer, aud: resource, sub: 'eve', scope: 'mcp', exp: soon() };
  const judge = judged(server);
  expect(await judge(await server.forge({ ...claims, groups: ['gate-admins', 'staff'] }))).toMatchObject({
    principal: { roles: ['user', 'admin'] },
  });
  expect(
    await judge(
      await server.forge({ ...claims, groups: ['admin', '__proto__', 'constructor'], roles: ['admin'], role: 'admin' }),
    ),
  ).toMatchObject({ principal: { roles: ['user'] } });
});

test('keys are fetched once, again when a token names a new one, and not for every made-up name', async () => {
  const server = await authorizationServer();
  let time = Date.now();
  const judge = judged(server, {}, () => time);
  await Promise.all([
    judge(await server.token(resource)),
    judge(await server.token(resource)),
    judge(await server.token(resource)),
  ]);
  expect(server.fetches()).toBe(1);
  for (let index = 0; index < 5; index += 1)
    await judge(
      await server.forge({ iss: server.issuer, aud: resource, sub: 'x', exp: soon() }, { kid: `made-up-${index}` }),
    );
  expect(server.fetches()).toBe(1);
  await server.rotate();
  const fresh = await server.token(resource);
  expect(await judge(fresh)).toMatchObject({ refused: 'invalid' });
  time += 31_000;
  expect(await judge(fresh)).toMatchObject({ principal: { id: 'jwt:corp:agent' } });
  expect(server.fetches()).toBe(2);
});

test('a verified token is remembered, but never beyond its own end', async () => {
  const server = await authorizationServer();
  let time = Date.now();
  const judge = judged(server, {}, () => time);
  const token = await server.forge({
    iss: server.issuer,
    aud: resource,
    sub: 'x',
    scope: 'mcp',
    exp: Math.floor(time / 1000) + 60,
  });
  expect(await judge(token)).toMatchObject({ principal: { name: 'x' } });
  time += 59_000;
  expect(await judge(token)).toMatchObject({ principal: { name: 'x' } });
  time += 40_000;
  expect(await judge(token)).toMatchObject({ refused: 'invalid', message: 'The token has expired' });
});

test('an issuer whose metadata names another issuer, or that is not there, gives no keys', async () => {
  const server = await authorizationServer();
  const token = await server.token(resource);
  const lying = keySet({ issuer: `${server.issuer}/tenant`, egress: localEgress() });
  expect(await judged(server, { keys: lying })(token)).toMatchObject({
    refused: 'invalid',
    message: 'The issuer publishes no jwks_uri; set jwks_url',
  });
  const gone = keySet({ issuer: server.issuer, jwksUrl: 'http://127.0.0.1:9/jwks', egress: localEgress() });
  expect(await judged(server, { keys: gone })(token)).toMatchObject({ refused: 'invalid' });
});

test('a good token signed in a way that is not accepted is refused', async () => {
  const server = await authorizationServer();
  const token = await server.token(resource);
  expect(await judged(server)(token)).toMatchObject({ principal: { name: 'agent' } });
  expect(await judged(server, { algorithms: ['ES256'] })(token)).toMatchObject({ refused: 'invalid' });
});

/** Claims that are good, but for what a test changes. */
const claimsOf = (server: AuthorizationServer) => ({
  iss: server.issuer,
  aud: resource,
  sub: 'x',
  scope: 'mcp',
  exp: soon(),
});
const unsigned = (header: object, claims: object): string =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

test.each<[string, (server: AuthorizationServer) => Promise<string> | string]>([
  ['with no algorithm, in odd letters', (server) => unsigned({ alg: 'nOnE' }, claimsOf(server))],
  ['with no algorithm and a signature', (server) => `${unsigned({ alg: 'none' }, claimsOf(server))}AAAA`],
  [
    'whose key id is a path',
    async (server) =>
      server.forge(claimsOf(server), { kid: '../../../../dev/null' }, (await generateKeyPair('RS256')).privateKey),
  ],
  [
    'whose key id is a statement',
    async (server) =>
      server.forge(claimsOf(server), { kid: "x' UNION SELECT 'AA" }, (await generateKeyPair('RS256')).privateKey),
  ],
  [
    'that names where its keys are',
    async (server) => {
      const other = await authorizationServer();
      return other.forge(claimsOf(server), { jku: `${other.issuer}/jwks`, x5u: `${other.issuer}/jwks` });
    },
  ],
  [
    'that wants something understood that nobody here does',
    (server) => server.forge(claimsOf(server), { crit: ['exp'] }),
  ],
  [
    'for an address that begins like ours',
    (server) => server.forge({ ...claimsOf(server), aud: `${resource}.evil.example` }),
  ],
  ['for an address below ours', (server) => server.forge({ ...claimsOf(server), aud: `${resource}/p/admin` })],
  ['for our address with a slash', (server) => server.forge({ ...claimsOf(server), aud: `${resource}/` })],
  [
    'for others only',
    (server) => server.forge({ ...claimsOf(server), aud: ['https://a.example', 'https://b.example'] }),
  ],
  [
    'for a list that is one text',
    (server) => server.forge({ ...claimsOf(server), aud: `https://a.example ${resource}` }),
  ],
  [
    'of an issuer that begins like ours',
    (server) => server.forge({ ...claimsOf(server), iss: `${server.issuer}.evil.example` }),
  ],
  ['of our issuer with a slash', (server) => server.forge({ ...claimsOf(server), iss: `${server.issuer}/` })],
  [
    'of a list of issuers',
    (server) => server.forge({ ...claimsOf(server), iss: [server.issuer] as unknown as string }),
  ],
  ['whose subject is a list', (server) => server.forge({ ...claimsOf(server), sub: ['x'] as unknown as string })],
  ['whose expiry is a text', (server) => server.forge({ ...claimsOf(server), exp: '9999999999' as unknown as number })],
])('a confusing token is refused: one %s', async (_what, make) => {
  const server = await authorizationServer();
  const fetched = server.fetches();
  const verdict = await Promise.resolve(make(server)).then(judged(server), () => undefined);
  expect(verdict ?? { refused: 'invalid' }).toMatchObject({ refused: 'invalid' });
  expect(server.fetches() - fetched).toBeLessThanOrEqual(1);
});

test('a token for several audiences counts where we are one of them', async () => {
  const server = await authorizationServer();
  expect(
    await judged(server)(await server.forge({ ...claimsOf(server), aud: ['https://other.example', resource] })),
  ).toMatchObject({ principal: { name: 'x' } });
});
