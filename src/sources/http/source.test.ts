import { expect, test } from 'vitest';
import { aFunction, aServer, aSource, called, json, toolOf } from '../../../test/support/functions.js';
import { deferred, never } from '../../../test/support/make.js';

test('a function is called by POST with its name and arguments, and its JSON is the output [S2.1] [S2.2] [S2.17]', async () => {
  const server = await aServer(json({ temperature: 21.5 }));
  const { source } = aSource({
    tools: [
      aFunction({
        url: `${server.url}call`,
        name: 'weather',
        functionName: 'get_weather',
        headers: { 'X-Team': { value: 'blue', masked: 'blue' } },
        parameters: [{ name: 'city', type: 'string', required: true }],
      }),
    ],
  });
  const outcome = await called(await toolOf(source, 'weather'), { city: 'Bonn' });
  expect(outcome).toEqual({
    kind: 'done',
    content: [{ type: 'text', text: '{"temperature":21.5}' }],
    data: { success: true, output: { temperature: 21.5 }, error: null },
  });
  const [request] = server.requests;
  expect(request).toMatchObject({
    method: 'POST',
    url: '/call',
    headers: { 'content-type': 'application/json', 'x-team': 'blue' },
  });
  expect(JSON.parse(request?.body ?? '')).toEqual({ function: 'get_weather', args: { city: 'Bonn' } });
});

test('a function that declares nothing takes one optional object and passes it through [S2.15]', async () => {
  const server = await aServer(json(1));
  const { source } = aSource({ tools: [aFunction({ url: server.url })] });
  const tool = await toolOf(source, 'f');
  expect(tool.input.schema).toMatchObject({ properties: { args: { type: 'object' } }, additionalProperties: false });
  await called(tool);
  await called(tool, { args: { deep: { er: [1] } } });
  expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
    { function: 'f', args: {} },
    { function: 'f', args: { deep: { er: [1] } } },
  ]);
  expect(await called(tool, { args: 'no' })).toMatchObject({ error: { code: 'invalid_arguments' } });
});

test('a tool describes itself: description, category, version, times and that no sandbox holds it [S2.13] [S2.16]', async () => {
  const { source } = aSource({
    tools: [aFunction({ url: 'http://localhost:1/', description: 'MCP remote function' })],
  });
  const tool = await toolOf(source, 'f');
  expect(tool).toMatchObject({
    name: 'f',
    description: 'MCP remote function',
    source: 'fn',
    details: { version: '1.0.0', timeout_seconds: 15, sandboxed: false, category: 'mcp' },
  });
  expect(tool.limits).toMatchObject({ timeoutMs: 15_000, maxTimeoutMs: 15_000 });
});

test.each([
  [
    'another host',
    'http://api.example.com/x',
    "MCP URL host 'api.example.com' not in allowed domains: ['localhost', '127.0.0.1']",
  ],
  [
    'a name that only begins like one',
    'http://localhost.evil.example/',
    "MCP URL host 'localhost.evil.example' not in",
  ],
  ['another loopback address', 'http://127.0.0.2/', "MCP URL host '127.0.0.2' not in"],
  ['the metadata address', 'http://169.254.169.254/latest', "MCP URL host '169.254.169.254' not in"],
  ['a user name that looks like a host', 'http://localhost@evil.example/', 'must not contain a user name'],
  ['a host from an argument', 'http://{host}/', 'takes its host from an argument'],
  ['a file', 'file:///etc/passwd', 'must begin with http'],
])('%s is withheld with the reason, and the others work [S2.3]', async (_, url, why) => {
  const { source } = aSource({
    tools: [aFunction({ url, name: 'bad' }), aFunction({ url: 'http://localhost:1/', name: 'good' })],
  });
  expect((await source.list(never)).map(({ name }) => name)).toEqual(['good']);
  expect(source.withheld?.()).toEqual([{ what: 'bad', why: expect.stringContaining(why) }]);
  expect(source.health?.()).toMatchObject({ status: 'degraded' });
});

test.each([
  'http://LOCALHOST:1/',
  'http://localhost.:1/',
  'http://api.localhost:1/',
  'http://127.1:1/',
  'http://0x7f.0.0.1:1/',
])('%s is one of the hosts in another spelling [S2.3]', async (url) => {
  const { source } = aSource({ tools: [aFunction({ url })] });
  expect(await source.list(never)).toHaveLength(1);
});

test('the domain * counts only with the switch [S2.4]', async () => {
  const tools = [aFunction({ url: 'http://api.example.com/' })];
  expect(await aSource({ tools, allowedDomains: ['*'] }).source.list(never)).toHaveLength(0);
  expect(await aSource({ tools, allowedDomains: ['*'], insecureDev: true }).source.list(never)).toHaveLength(1);
});

test('a name outside that leads to this machine is refused, and nothing is sent [S2.3]', async () => {
  const server = await aServer(json('secret'));
  const { source } = aSource({
    allowedDomains: ['localhost', 'api.example.com'],
    net: { resolver: () => Promise.resolve(['127.0.0.1']) },
    tools: [aFunction({ url: `http://api.example.com:${server.port}/` })],
  });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({ kind: 'failed', error: { code: 'policy_denied' } });
  expect(server.connections()).toBe(0);
});

test('a redirect is judged again: another port, another host and a file are refused [S2.3]', async () => {
  const inner = await aServer(json('secret'));
  for (const location of [inner.url, 'http://10.0.0.1/', 'http://evil.example/', 'file:///etc/passwd']) {
    const server = await aServer((_request, response) => response.writeHead(307, { location }).end());
    const { source } = aSource({ tools: [aFunction({ url: server.url })] });
    expect(await called(await toolOf(source, 'f'))).toMatchObject({ kind: 'failed', error: { code: 'policy_denied' } });
  }
  expect(inner.connections()).toBe(0);
});

test('a secret never comes back: not in the definition, not in an error, not in an answer that echoes it [S2.18]', async () => {
  const token = 'tok-5f1c9a77e2';
  const echo = await aServer(
    (request, response) => response.writeHead(400).end(`you sent ${request.headers.authorization}`),
    (request, response) => response.end(JSON.stringify({ saw: request.headers.authorization, raw: token })),
  );
  const { source } = aSource({
    secrets: [`Bearer ${token}`, token],
    tools: [
      aFunction({
        url: echo.url,
        headers: { Authorization: { value: `Bearer ${token}`, masked: 'Bearer $FN_TOKEN' } },
      }),
    ],
  });
  const tool = await toolOf(source, 'f');
  const refused = await called(tool);
  const answered = await called(tool);
  expect(echo.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
  expect(JSON.stringify([tool, refused, answered])).not.toContain('5f1c9a77e2');
  expect(refused).toMatchObject({ error: { message: 'HTTP error 400: you sent [redacted]' } });
  expect(answered).toMatchObject({ data: { output: { saw: '[redacted]', raw: '[redacted]' } } });
  expect(tool.details?.['curl']).toContain('-H "Authorization: Bearer $FN_TOKEN"');
});

test('a header value that would break the request is reported at load, not at the first call', async () => {
  const { source } = aSource({
    tools: [
      aFunction({
        url: 'http://localhost:1/',
        headers: { Authorization: { value: 'Bearer x\n', masked: 'Bearer $X' } },
      }),
    ],
  });
  expect(await source.list(never)).toEqual([]);
  expect(source.withheld?.()[0]?.why).toContain('header Authorization contains a character that is not allowed');
});

test('calls need nothing from one another: no cookie is kept and no session is named [S2.32]', async () => {
  const server = await aServer((_request, response) => response.writeHead(200, { 'set-cookie': 'sid=1' }).end('1'));
  const tools = [aFunction({ url: server.url })];
  const [one, two] = [aSource({ tools }), aSource({ tools })];
  for (const { source } of [one, two, one])
    expect(await called(await toolOf(source, 'f'), {}, { session: 'abc' })).toMatchObject({ kind: 'done' });
  expect(server.requests).toHaveLength(3);
  for (const { headers } of server.requests)
    expect([headers.cookie, headers['mcp-session-id']]).toEqual([undefined, undefined]);
});

test('a call that is under way when its source is replaced still ends', async () => {
  const arrived = deferred<() => void>();
  const server = await aServer((_request, response) => arrived.resolve(() => response.end('"late"')));
  const { source } = aSource({ tools: [aFunction({ url: server.url })] });
  const call = called(await toolOf(source, 'f'));
  const answer = await arrived.promise;
  await source.close?.();
  answer();
  expect(await call).toMatchObject({ kind: 'done', data: { output: 'late' } });
});

test('the address of this machine by name is reached where it listens', async () => {
  const server = await aServer(json('here'));
  const { source } = aSource({
    allowedDomains: ['localhost'],
    tools: [aFunction({ url: `http://localhost:${server.port}/` })],
  });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({ data: { output: 'here' } });
});

test('headers of the operator stay behind when a redirect leads to another origin', async () => {
  const there = await aServer(json('there'));
  const here = await aServer((_request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${there.port}/` }).end(),
  );
  const headers = {
    'X-Team': { value: 'blue-team', masked: '$TEAM' },
    Authorization: { value: 'Bearer abc', masked: 'Bearer $T' },
  };
  const { source } = aSource({
    tools: [aFunction({ url: here.url, headers }), aFunction({ url: there.url, name: 'other' })],
  });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({ data: { output: 'there' } });
  expect(here.requests[0]?.headers).toMatchObject({ 'x-team': 'blue-team', authorization: 'Bearer abc' });
  expect([there.requests[0]?.headers['x-team'], there.requests[0]?.headers.authorization]).toEqual([
    undefined,
    undefined,
  ]);
});

test('a listed name that leads to this machine or to a forbidden address is refused, and nothing is sent [CVE-2026-44430]', async () => {
  const server = await aServer(json('secret'));
  for (const address of ['127.0.0.1', '169.254.169.254', '0.0.0.0', '::1', '::ffff:127.0.0.1', '100.64.0.1']) {
    const { source } = aSource({
      allowedDomains: ['svc.corp.example', 'localhost', '127.0.0.1'],
      net: { resolver: () => Promise.resolve([address]) },
      tools: [aFunction({ url: `http://svc.corp.example:${server.port}/` })],
    });
    expect([address, await called(await toolOf(source, 'f'))]).toMatchObject([
      address,
      { error: { code: 'policy_denied' } },
    ]);
  }
  expect(server.connections()).toBe(0);
});
