import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ada, aCall, bob, never } from '../../../../test/support/make.js';
import { localEgress } from '../../../../test/support/gates.js';
import type { Loose } from '../../../../test/support/mcp.js';
import { aRemote, json } from '../../../../test/support/upstream-http.js';
import { callTool, said } from '../../../../test/support/upstream.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { aFolder } from '../../../../test/support/program.js';
import { grantFiles } from './grant-files.js';
import { tokenKeeper } from './credentials.js';
import type { OAuthOptions } from './credentials.js';
import { beginLogin } from './login.js';
import type { Grant, GrantStore } from './tokens.js';
import { challengeValue, isSafeUrl } from './metadata.js';

interface Far {
  readonly url: string;
  readonly origin: string;
  readonly tokens: URLSearchParams[];
  readonly authorizations: (string | undefined)[];
  /** Changes what the documents say. */
  readonly say: { resource?: Loose; issuer?: Loose; slow?: boolean; refuses?: Loose; accepts: Set<string> };
}

/** A protected MCP server and its authorization server on one loopback address. */
async function far(): Promise<Far> {
  const tokens: URLSearchParams[] = [];
  const authorizations: (string | undefined)[] = [];
  const say: Far['say'] = { accepts: new Set() };
  const server = createServer((req, res) => {
    let text = '';
    req
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk))
      .on('end', () => {
        const origin = `http://${req.headers.host}`;
        if (req.url === '/.well-known/oauth-protected-resource/mcp')
          return json(res, {
            resource: `${origin}/mcp`,
            authorization_servers: [origin],
            scopes_supported: ['read'],
            ...say.resource,
          });
        if (req.url === '/.well-known/oauth-authorization-server')
          return json(res, {
            issuer: origin,
            token_endpoint: `${origin}/token`,
            authorization_endpoint: `${origin}/authorize`,
            registration_endpoint: `${origin}/register`,
            code_challenge_methods_supported: ['S256'],
            ...say.issuer,
          });
        if (req.url === '/register') return json(res, { client_id: 'registered' }, 201);
        if (req.url === '/token') {
          const form = new URLSearchParams(text);
          tokens.push(form);
          if (say.refuses) return json(res, say.refuses, say.refuses.error === undefined ? 503 : 400);
          const token = `token-${tokens.length}`;
          say.accepts.add(`Bearer ${token}`);
          return json(res, {
            access_token: token,
            token_type: 'Bearer',
            expires_in: 3600,
            refresh_token: `refresh-${tokens.length}`,
            scope: form.get('scope') ?? '',
          });
        }
        authorizations.push(req.headers.authorization);
        if (!say.accepts.has(req.headers.authorization ?? ''))
          return void res
            .writeHead(401, {
              'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read"`,
            })
            .end();
        if (req.method !== 'POST') return void res.writeHead(405).end();
        const body: Loose = JSON.parse(text);
        if (body.id === undefined) return void res.writeHead(202).end();
        const result =
          body.method === 'initialize'
            ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } }
            : body.method === 'tools/list'
              ? { tools: [{ name: 'who', inputSchema: { type: 'object' } }] }
              : { content: [{ type: 'text', text: String(req.headers.authorization) }] };
        return json(res, { jsonrpc: '2.0', id: body.id, result });
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/mcp`, origin, tokens, authorizations, say };
}

function memoryGrants(given: readonly Grant[] = []): GrantStore & { all(): readonly Grant[] } {
  let kept = given;
  return {
    read: () => kept,
    write: (_, grants) => void (kept = grants),
    exclusively: (_, work) => work(),
    all: () => kept,
  };
}

const way = () => {
  const made = localEgress();
  onTestFinished(() => made.close());
  return made;
};

function protectedSource(server: Far, over: Partial<OAuthOptions> = {}) {
  const keeper = tokenKeeper({
    source: 'far',
    url: server.url,
    egress: way(),
    grants: memoryGrants(),
    grant: 'client_credentials',
    scopes: [],
    client: () => ({ id: 'gate', secret: 's3cret' }),
    ...over,
  });
  return aRemote(server.url, {
    source: { era: 'legacy', ...(over.grant === 'authorization_code' && { listAs: 'local' }) },
    remote: { credentials: (owner) => keeper.of(over.grant === 'authorization_code' ? owner : 'local') },
  });
}

const aGrant = (server: Far, principal: string, over: Partial<Grant> = {}): Grant => ({
  issuer: server.origin,
  principal,
  resource: server.url,
  client: { id: 'c' },
  tokenEndpoint: `${server.origin}/token`,
  accessToken: `own-${principal}`,
  refreshToken: `r-${principal}`,
  expiresAt: Date.now() + 3_600_000,
  scopes: [],
  ...over,
});

test('a client with its own credentials gets one token for this server and uses it for every call [S3.15]', async () => {
  const server = await far();
  const source = protectedSource(server, { scopes: ['read'] });
  expect(said(await callTool(source, 'far__who'))).toBe('Bearer token-1');
  await callTool(source, 'far__who', {}, { principal: bob });
  expect(server.tokens.length).toBe(1);
  expect(Object.fromEntries(server.tokens[0] ?? [])).toEqual({
    grant_type: 'client_credentials',
    resource: server.url,
    scope: 'read',
  });
});

test('each caller uses their own token, and without one no call is sent', async () => {
  const server = await far();
  const grants = memoryGrants([aGrant(server, 'local'), aGrant(server, 'ada')]);
  for (const { accessToken } of grants.all()) server.say.accepts.add(`Bearer ${accessToken}`);
  const source = protectedSource(server, { grant: 'authorization_code', grants });
  expect(said(await callTool(source, 'far__who', {}, { principal: ada }))).toBe('Bearer own-ada');
  expect(await callTool(source, 'far__who', {}, { principal: bob })).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('toolgate login far --principal bob') },
  });
  // The empty key is that of the gateway, which may use any session.
  const nameless = { ...bob, id: '' };
  expect(await callTool(source, 'far__who', {}, { principal: nameless })).toMatchObject({ kind: 'failed' });
  expect(await source.personal?.of('')).toMatchObject({ resources: [], templates: [] });
});

test('an expired token is renewed once for all who wait for it', async () => {
  const server = await far();
  const grants = memoryGrants([aGrant(server, 'ada', { expiresAt: 0 })]);
  const credentials = ofAda(server.url, grants);
  const headers = await Promise.all(Array.from({ length: 20 }, () => credentials.headers()));
  expect(new Set(headers.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ headers: { authorization: 'Bearer token-1' } })]),
  );
  expect(
    server.tokens.map((form) => [form.get('grant_type'), form.get('refresh_token'), form.get('resource')]),
  ).toEqual([['refresh_token', 'r-ada', server.url]]);
  expect(grants.all()).toMatchObject([{ principal: 'ada', refreshToken: 'refresh-1' }]);
});

test.each([
  [
    'metadata about another server',
    { resource: { resource: 'https://other.example/mcp' } },
    'describes another server',
  ],
  [
    'an issuer that names itself differently',
    { issuer: { issuer: 'https://evil.example' } },
    'does not match the authorization server',
  ],
  [
    'a token endpoint without TLS',
    { issuer: { token_endpoint: 'http://192.0.2.1/token' } },
    'no usable token endpoint',
  ],
  ['a login without PKCE', { issuer: { code_challenge_methods_supported: undefined } }, 'does not support PKCE'],
  ['no page to log in at', { issuer: { authorization_endpoint: 'javascript:alert(1)' } }, 'no authorization endpoint'],
] as const)('%s ends the login [CVE-2025-6514]', async (_, said, problem) => {
  const server = await far();
  Object.assign(server.say, said);
  expect(
    await beginLogin({
      egress: way(),
      server: server.url,
      principal: 'local',
      redirectUri: 'http://127.0.0.1:1/callback',
      scopes: [],
    }),
  ).toEqual({ problem: expect.stringContaining(problem) });
});

test('a login by the browser proves who began it and asks for this server only', async () => {
  const server = await far();
  server.say.issuer = { authorization_response_iss_parameter_supported: true };
  const login = await beginLogin({
    egress: way(),
    server: server.url,
    principal: 'ada',
    redirectUri: 'http://127.0.0.1:1/callback',
    scopes: ['read'],
  });
  if ('problem' in login) throw new Error(login.problem);
  const asked = new URL(login.url).searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    response_type: 'code',
    client_id: 'registered',
    resource: server.url,
    code_challenge_method: 'S256',
    scope: 'read',
  });
  const back = (over: Record<string, string>): URLSearchParams =>
    new URLSearchParams({ state: asked.get('state') ?? '', ...over });
  expect(await login.finish(new URLSearchParams({ state: 'other', code: 'x' }))).toEqual({
    problem: 'the redirect has another state (possible CSRF); start the login again',
  });
  expect(await login.finish(back({ code: 'x' }))).toEqual({
    problem: 'the redirect does not name its authorization server (iss)',
  });
  expect(await login.finish(back({ code: 'x', iss: 'https://evil.example' }))).toEqual({
    problem: 'the redirect comes from another authorization server',
  });
  expect(await login.finish(back({ error: 'access_denied', iss: server.origin }))).toEqual({
    problem: 'the login was refused (access_denied)',
  });
  expect(server.tokens.length).toBe(0);
  const grant = await login.finish(back({ code: 'the-code', iss: server.origin }));
  expect(grant).toMatchObject({
    issuer: server.origin,
    principal: 'ada',
    accessToken: 'token-1',
    refreshToken: 'refresh-1',
    resource: server.url,
  });
  const form = server.tokens[0];
  expect(
    createHash('sha256')
      .update(form?.get('code_verifier') ?? '')
      .digest('base64url'),
  ).toBe(asked.get('code_challenge'));
});

test('a token of one issuer is not used once another one is configured', async () => {
  const server = await far();
  const credentials = tokenKeeper({
    source: 'far',
    url: server.url,
    egress: way(),
    grants: memoryGrants([aGrant(server, 'ada')]),
    grant: 'authorization_code',
    scopes: [],
    issuer: 'https://other.example',
  }).of('ada');
  expect(await credentials.headers()).toMatchObject({ problem: expect.stringContaining('no login for this source') });
});

test.each([
  ['https://a.example/x', true],
  ['http://127.0.0.1:1/x', true],
  ['http://localhost/x', true],
  ['http://a.example/', false],
  ['javascript:alert(1)', false],
  ['https://user@a.example/', false],
  ['file:///etc/passwd', false],
  ['not a url', false],
  [undefined, false],
  ['http://127.0.0.1.evil.example/', false],
])('%s is safe for authorization: %s', (url, safe) => {
  expect(isSafeUrl(url)).toBe(safe);
});

test('parameters of a challenge are read by name, and only whole ones', () => {
  expect(
    challengeValue('Bearer realm="x", resource_metadata="https://a/b", scope="one two"', 'resource_metadata'),
  ).toBe('https://a/b');
  expect(challengeValue('Bearer xscope="no"', 'scope')).toBeUndefined();
  expect(challengeValue(undefined, 'scope')).toBeUndefined();
});

/** What ada shows to a server, by the login she has. */
const ofAda = (url: string, grants: ReturnType<typeof memoryGrants>) =>
  tokenKeeper({ source: 'far', url, egress: way(), grants, grant: 'authorization_code', scopes: [] }).of('ada');

test('a token is sent to the server it was made for, and not to one that took over the name of the source', async () => {
  const [before, after] = [await far(), await far()];
  const grants = memoryGrants([aGrant(before, 'ada')]);
  expect(await ofAda(before.url, grants).headers()).toEqual({ headers: { authorization: 'Bearer own-ada' } });
  expect(await ofAda(after.url, grants).headers()).toMatchObject({
    problem: expect.stringContaining('no login for this source'),
  });
});

test('a login outlives an authorization server that is away for a while, and ends when it is taken back', async () => {
  const server = await far();
  const grants = memoryGrants([aGrant(server, 'ada')]);
  const credentials = ofAda(server.url, grants);
  const sent = { authorization: 'Bearer own-ada' };
  server.say.refuses = {};
  expect(await credentials.onRejected?.(401, undefined, sent)).toBe(false);
  expect(grants.all()).toMatchObject([{ principal: 'ada', refreshToken: 'r-ada' }]);
  server.say.refuses = { error: 'invalid_grant' };
  expect(await credentials.onRejected?.(401, undefined, sent)).toBe(false);
  expect(grants.all()).toEqual([]);
});

test('who is refused with a token that was renewed meanwhile does not renew it again', async () => {
  const server = await far();
  const grants = memoryGrants([aGrant(server, 'ada')]);
  const credentials = ofAda(server.url, grants);
  const sent = { authorization: 'Bearer own-ada' };
  expect(await credentials.onRejected?.(401, undefined, sent)).toBe(true);
  expect(await credentials.onRejected?.(401, undefined, sent)).toBe(true);
  expect(server.tokens.length).toBe(1);
});

test('the secret of a configured client is not written down beside its tokens', async () => {
  const server = await far();
  const grants = memoryGrants();
  await callTool(protectedSource(server, { grants }), 'far__who');
  expect(grants.all()).toMatchObject([{ accessToken: 'token-1', client: { id: 'gate' } }]);
  expect(JSON.stringify(grants.all())).not.toContain('s3cret');
});

test('callers who have not logged in do not keep those out who have', async () => {
  const server = await far();
  const grants = memoryGrants([aGrant(server, 'local'), aGrant(server, 'ada')]);
  for (const { accessToken } of grants.all()) server.say.accepts.add(`Bearer ${accessToken}`);
  const source = protectedSource(server, { grant: 'authorization_code', grants });
  const tools = await source.list(never);
  const who = tools.find(({ name }) => name === 'far__who');
  for (let tries = 0; tries < 10; tries += 1)
    expect(await who?.run(aCall({ principal: bob, timeoutMs: 10_000 }))).toMatchObject({
      error: { message: expect.stringContaining('toolgate login far --principal bob') },
    });
  const outcome = await who?.run(aCall({ principal: ada, timeoutMs: 10_000 }));
  expect(outcome && said(outcome)).toBe('Bearer own-ada');
});

test('two gateways on one folder refresh a rotating token once between them', async () => {
  const server = await far();
  const folder = aFolder();
  await grantFiles(folder).write('far', [aGrant(server, 'ada', { expiresAt: 0 })]);
  const keepers = Array.from({ length: 3 }, () =>
    tokenKeeper({
      source: 'far',
      url: server.url,
      egress: way(),
      grants: grantFiles(folder),
      grant: 'authorization_code',
      scopes: [],
    }).of('ada'),
  );
  const headers = await Promise.all(keepers.map((keeper) => keeper.headers()));
  for (const each of headers) expect(each).toEqual({ headers: { authorization: 'Bearer token-1' } });
  expect(server.tokens).toHaveLength(1);
});
