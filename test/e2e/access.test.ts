import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { authorizationServer } from '../support/authorization-server.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const config = `
access:
  profiles:
    reading: { tools: [dig, ping] }
    scanning: { sources: [command] }
  limits:
    - { id: pings-a-day, tools: [ping], roles: [capped], calls_per_day: 1 }
policy:
  rules:
    - { id: no-floods, action: deny, tools: [ping], args: { count: { min: 5 } }, reason: Four are enough, hint: Send fewer }
    - { id: loopback-only, action: allow, tools: [ping], args: { target: { cidr: [127.0.0.0/8] } } }
    - { id: the-rest, action: allow, roles: [admin] }
`;

/** Makes a key and returns it. */
async function aKey(cwd: string, name: string, ...more: string[]): Promise<string> {
  const { code, out, err } = await toolgate(cwd, ['token', 'create', '--name', name, ...more]);
  expect(err).toContain('shown only once');
  expect(code).toBe(0);
  return out.trim();
}

test('keys are made, listed, used by a running gateway, limited by their profile, and revoked without a restart [S1.18]', async () => {
  const cwd = aPlace({ 'toolgate.yaml': config });
  const gateway = await serving(cwd);
  const key = await aKey(cwd, 'reader', '--profile', 'reading', '--role', 'capped', '--expires', '1h');
  const as = { headers: { authorization: `Bearer ${key}` } };
  const tools = await expect
    .poll(async () => gateway.send('/tools', as).then((answer) => (answer.status === 200 ? answer.json : undefined)), {
      timeout: 10_000,
    })
    .toMatchObject({ tools: [{ name: 'ping' }] })
    .then(() => gateway.send('/tools', as));
  expect(tools.text).not.toContain(key);

  expect((await gateway.send('/tools/ping/execute', { ...as, body: { target: '127.0.0.1', count: 1 } })).status).toBe(
    200,
  );
  const capped = await gateway.send('/tools/ping/execute', { ...as, body: { target: '127.0.0.1', count: 1 } });
  expect(capped).toMatchObject({ status: 429, json: { error_context: { metadata: { rule: 'pings-a-day' } } } });
  const denied = await gateway.send('/tools/ping/execute', { ...as, body: { target: '127.0.0.1', count: 5 } });
  expect(denied).toMatchObject({
    status: 403,
    json: {
      error_type: 'policy_denied',
      error: 'Rule no-floods denies this call: Four are enough',
      error_context: { recovery_suggestion: 'Send fewer', metadata: { rule: 'no-floods' } },
    },
  });
  expect((await gateway.send('/tools/nmap/enable', { ...as, method: 'POST' })).status).toBe(403);

  expect((await toolgate(cwd, ['token', 'list', '--json'])).out).toContain('"name":"reader"');
  expect((await toolgate(cwd, ['token', 'revoke', 'reader'])).code).toBe(0);
  await expect.poll(async () => (await gateway.send('/tools', as)).status, { timeout: 10_000 }).toBe(401);
});

test('a tool outside the profile is as unknown as one that does not exist, on every door [Obot ≤ 0.21]', async () => {
  const cwd = aPlace({ 'toolgate.yaml': config });
  const key = await aKey(cwd, 'reader', '--profile', 'reading');
  const gateway = await serving(cwd);
  const as = { headers: { authorization: `Bearer ${key}`, 'x-correlation-id': 'same' } };
  const told = async (path: string, body: unknown) => {
    const { status, json } = await gateway.send(path, { ...as, body });
    const { error_context: { message, code } = {} as never, error } = json;
    return { status, message, code, error };
  };
  expect(await told('/tools/nmap/execute', { target: '127.0.0.1' })).toEqual(
    await told('/tools/nothing/execute', { target: '127.0.0.1' }),
  );
  for (const path of ['/tools?profile=scanning', '/tools?profile=nothing', '/tools/nmap', '/tools/nothing'])
    expect((await gateway.send(path, as)).status).toBe(404);
  const rpc = (path: string, name: string) =>
    gateway.send(path, {
      headers: {
        ...as.headers,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: { target: '127.0.0.1' },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
    });
  const strip = (text: string): string => text.replaceAll(/"correlationId":"[^"]*"/g, '');
  expect(strip((await rpc('/mcp', 'nmap')).text)).toBe(strip((await rpc('/mcp', 'nothing')).text));
  expect(await rpc('/mcp/p/scanning', 'nmap')).toMatchObject({ status: 404 });
  expect((await rpc('/mcp/p/scanning', 'nmap')).text).toBe((await rpc('/mcp/p/nothing', 'nmap')).text);
  expect((await rpc('/mcp/p/reading', 'ping')).json).toMatchObject({
    result: { structuredContent: { returncode: 0 } },
  });
});

test('explain returns the deciding rule, those that almost apply, and the limits; a refusal over REST is the same as over MCP [GHSA-943q-mwmv-hhvh]', async () => {
  const cwd = aPlace({ 'toolgate.yaml': config });
  await aKey(cwd, 'ci', '--role', 'capped');
  const flood = await toolgate(cwd, ['explain', '--as', 'key:ci', 'ping', 'target=127.0.0.1', 'count=9', '--json']);
  expect(flood.code).toBe(3);
  expect(JSON.parse(flood.out)).toMatchObject({
    decision: 'deny',
    rule: 'no-floods',
    limits: expect.arrayContaining([{ limit: 'pings-a-day', calls_per_day: 1, shared: false }]),
  });
  const off = await toolgate(cwd, ['explain', '--as', 'key:ci', 'ping', 'target=10.0.0.1']);
  expect(off.code).toBe(3);
  expect(off.out).toContain('deny by default');
  expect(off.out).toContain('almost: loopback-only (allow), but args.target is missing or does not match');
  expect(
    (await toolgate(cwd, ['explain', '--as', 'jwt:corp:eve', '--role', 'user', 'nmap', 'target=10.0.0.1'])).out,
  ).toContain('does not see nmap');
  expect((await toolgate(cwd, ['explain', '--as', 'key:nobody', 'ping'])).code).toBe(2);

  const gateway = await serving(cwd);
  expect(
    (await gateway.send('/explain', { body: { as: 'key:ci', tool: 'ping', args: { target: '127.0.0.1' } } })).json,
  ).toMatchObject({ decision: 'allow', rule: 'loopback-only' });
});

test.each([
  [
    'policy: { rules: [{ id: a, action: deny, tools: [pnig] }] }',
    /toolgate\.yaml:1:\d+: policy\.rules\.0\.tools\.0 matches no tool: pnig/,
  ],
  [
    'policy:\n  rules:\n    - { id: a, action: deny, tools: [ping], args: { tagret: { equals: x } } }',
    /toolgate\.yaml:3:\d+: policy\.rules\.0\.args\.tagret names the argument tagret/,
  ],
  [
    'policy:\n  rules:\n    - id: a\n      action: deny\n      when: principal.nmae == "x"',
    /toolgate\.yaml:5:\d+: policy\.rules\.0\.when No such key: nmae/,
  ],
  ['access: { local_profile: none }', /toolgate\.yaml:1:\d+: access\.local_profile unknown profile none/],
])('a rule that protects nothing stops the start, with its place: %s', async (text, line) => {
  const { code, err } = await toolgate(aPlace({ 'toolgate.yaml': `${text}\n` }), ['call', 'ping', 'target=127.0.0.1']);
  expect(code).toBe(1);
  expect(err).toMatch(line);
});

test('an OAuth client finds the authorization server through the challenge and gets in with its token; others do not [CVE-2026-27124]', async () => {
  const server = await authorizationServer();
  const resource = 'http://localhost:1/mcp';
  const cwd = aPlace({
    'toolgate.yaml': `auth:\n  resource: ${resource}\n  issuers:\n    - { name: corp, issuer: '${server.issuer}', scopes: [mcp] }\n`,
  });
  const gateway = await serving(cwd);
  const refused = await gateway.send('/mcp', { body: {}, headers: { authorization: '' } });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toBe(
    'Bearer realm="toolgate", resource_metadata="http://localhost:1/.well-known/oauth-protected-resource/mcp", scope="mcp"',
  );
  for (const path of ['', '/mcp', '/mcp/p/any']) {
    expect(
      (await gateway.send(`/.well-known/oauth-protected-resource${path}`, { headers: { authorization: '' } })).json,
    ).toEqual({
      resource,
      authorization_servers: [server.issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Toolgate',
      scopes_supported: ['mcp'],
    });
  }
  const as = async (token: string) => gateway.send('/tools', { headers: { authorization: `Bearer ${token}` } });
  expect((await as(await server.token(resource))).status).toBe(200);
  const unscoped = await as(await server.token(resource, 'other'));
  expect(unscoped.status).toBe(403);
  expect(unscoped.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  const elsewhere = await as(await server.token('https://elsewhere.example'));
  expect(elsewhere.status).toBe(401);
  expect(elsewhere.headers.get('www-authenticate')).toContain('error="invalid_token"');
});

test('new rules are taken over while it runs, and bad ones change nothing', async () => {
  const cwd = aPlace({ 'toolgate.yaml': config });
  const gateway = await serving(cwd);
  const ping = async () =>
    (await gateway.send('/tools/ping/execute', { body: { target: '127.0.0.1', count: 1 } })).status;
  expect(await ping()).toBe(200);
  writeFileSync(join(cwd, 'toolgate.yaml'), 'policy: { rules: [{ id: nothing, action: allow, tools: [pnig] }] }\n');
  await gateway.logged('config.rejected');
  expect(gateway.log()).toContain('matches no tool: pnig');
  expect(await ping()).toBe(200);
  writeFileSync(
    join(cwd, 'toolgate.yaml'),
    'policy: { rules: [{ id: no-ping, action: deny, tools: [ping] }, { id: rest, action: allow }] }\n',
  );
  await gateway.logged('config.reloaded');
  expect(await ping()).toBe(404);
  expect((await gateway.send('/tools')).text).not.toContain('"name":"ping"');
}, 60_000);
