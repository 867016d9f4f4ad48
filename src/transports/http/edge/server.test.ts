import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { done } from '../../../core/outcome.js';
import type { Tool } from '../../../core/tool.js';
import { ada, aTool, bob, never } from '../../../../test/support/make.js';
import { aGateway, identity } from '../../../../test/support/gate.js';
import { openApiRoute } from '../openapi.js';
import { restRoutes } from '../rest.js';
import type { Route } from './route.js';
import type { HttpDoor, HttpOptions } from './server.js';
import { httpDoor } from './server.js';

const open: HttpDoor[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((door) => door.stop(AbortSignal.abort())));
});

const people: Readonly<Record<string, typeof ada>> = { 'Bearer ada-token': ada, 'Bearer bob-token': bob };
const authenticator: HttpOptions['authenticator'] = {
  authenticate(authorization) {
    const principal = people[authorization ?? ''];
    return principal ? { principal } : { refused: 'missing', message: 'no', challenge: 'Bearer realm="toolgate"' };
  },
};

async function aDoor(tools: readonly Tool[], over: Partial<HttpOptions> = {}) {
  const { gate, records } = await aGateway([{ id: 'test', list: async () => tools }]);
  const routes: Route[] = [...restRoutes({ gateway: gate, trace: () => undefined })];
  routes.push(openApiRoute(gate, identity, () => routes));
  const faults: unknown[] = [];
  const door = httpDoor({
    host: '127.0.0.1',
    port: 0,
    routes,
    authenticator,
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 10_000,
    peerRatePerSecond: 0,
    maxConnections: 1000,
    onFault: (error) => faults.push(error),
    ...over,
  });
  await door.start();
  open.push(door);
  const { port } = door.address();
  const send = (path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    new Promise<{
      status: number;
      headers: Record<string, unknown>;
      json: ReturnType<typeof JSON.parse>;
      text: string;
    }>((resolve, reject) => {
      const req = request(
        {
          port,
          host: '127.0.0.1',
          path,
          method: init.method ?? 'GET',
          headers: { authorization: 'Bearer ada-token', ...init.headers },
        },
        (res) => {
          let text = '';
          res
            .setEncoding('utf8')
            .on('data', (chunk: string) => {
              text += chunk;
            })
            .on('end', () => {
              let json: unknown;
              try {
                json = JSON.parse(text);
              } catch {
                json = undefined;
              }
              resolve({ status: res.statusCode ?? 0, headers: res.headers, json, text });
            });
        },
      );
      req.on('error', reject);
      req.end(init.body);
    });
  const post = (path: string, body: unknown, headers = {}) =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { send, post, port, gate, records, routes, faults };
}

test('a call by REST is answered in the one envelope [S0.106]', async () => {
  const { post } = await aDoor([aTool()]);
  const { status, json, headers } = await post('/tools/echo/execute', { text: 'hello' });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    stdout: 'hello',
    stderr: '',
    returncode: 0,
    truncated_stdout: false,
    timed_out: false,
    error: null,
    error_type: null,
    metadata: {},
    content: [{ type: 'text', text: 'hello' }],
    structured_content: null,
  });
  expect(json.execution_time).toBeTypeOf('number');
  expect(headers['x-correlation-id']).toBe(json.correlation_id);
  expect(headers['ratelimit-policy']).toBe('"default";q=60;w=60');
});

test('a refusal names the problem, what to do and the id under which it is found [S0.78] [S0.80]', async () => {
  const { post, records } = await aDoor([aTool()]);
  const { status, json } = await post('/tools/echo/execute', { text: 1 }, { 'x-correlation-id': 'mine-1' });
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error_type: 'validation_error',
    correlation_id: 'mine-1',
    error: 'text must be string',
    error_context: { tool_name: 'echo', recovery_suggestion: 'Check argument format. Use --help for syntax.' },
  });
  expect(records).toMatchObject([{ correlationId: 'mine-1', code: 'invalid_arguments' }]);
});

test('over the rate is 429 with Retry-After and RateLimit [S0.93]', async () => {
  const { post } = await aDoor([aTool({ limits: { ratePerMinute: 1 } })]);
  await post('/tools/echo/execute', {});
  const { status, headers, json } = await post('/tools/echo/execute', {});
  expect(status).toBe(429);
  expect(json.error).toContain('Rate limit exceeded');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/);
});

test.each([
  ['an unknown tool', '/tools/nothing/execute', 'POST', '{}', 404],
  ['an unknown path', '/nothing', 'GET', undefined, 404],
  ['another method', '/tools/echo/execute', 'GET', undefined, 405],
  ['text instead of JSON', '/tools/echo/execute', 'POST', 'text', 400],
  ['a list instead of an object', '/tools/echo/execute', 'POST', '[]', 400],
  ['a bad escape in the path', '/tools/%E0%A4%A/execute', 'POST', '{}', 404],
  ['a body over the cap', '/tools/echo/execute', 'POST', `{"text":"${'a'.repeat(20_000)}"}`, 413],
])('%s is answered with its own status', async (_what, path, method, body, expected) => {
  const { send } = await aDoor([aTool()]);
  const { status, json } = await send(path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  expect(status).toBe(expected);
  expect(json.error_type).toBeTypeOf('string');
});

test('a body of another type is 415, and 405 names the methods', async () => {
  const { send } = await aDoor([aTool()]);
  expect(
    (await send('/tools/echo/execute', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }))
      .status,
  ).toBe(415);
  expect((await send('/tools/echo/execute', { method: 'DELETE' })).headers['allow']).toBe('POST');
});

test('a chunked body over the cap is cut off while it comes in', async () => {
  const { port } = await aDoor([aTool()], { maxBodyBytes: 1000 });
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.write(
    'POST /tools/echo/execute HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ada-token\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  const feed = setInterval(() => {
    if (socket.writable) socket.write(`200\r\n${'a'.repeat(512)}\r\n`);
  }, 1);
  await new Promise((resolve) => socket.on('close', resolve).on('error', resolve));
  clearInterval(feed);
  expect(answer).toContain('413');
});

test.each([
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.nip.io',
  'localhost@evil.example',
  '[::ffff:127.0.0.1]',
])(
  'a Host of %j is refused: a page re-bound to this address still sends its own name [CVE-2025-64443] [CVE-2026-11624]',
  async (host) => {
    const { send, gate } = await aDoor([aTool()]);
    expect((await send('/tools', { headers: { host } })).status).toBe(403);
    expect(gate.active()).toBe(0);
  },
);

test.each(['LOCALHOST:1234', 'localhost.', '[::1]:80', '127.0.0.1'])('a Host of %j is ours', async (host) => {
  const { send } = await aDoor([aTool()]);
  expect((await send('/tools', { headers: { host } })).status).toBe(200);
});

test.each(['https://evil.example', 'null', 'http://localhost:1', 'file://'])(
  'an Origin of %j is refused [CVE-2025-49596]',
  async (origin) => {
    const { send } = await aDoor([aTool()]);
    expect((await send('/tools', { headers: { origin } })).status).toBe(403);
  },
);

test.each([
  ['image', 'cross-site'],
  ['iframe', 'cross-site'],
  ['script', 'same-site'],
])(
  'a page elsewhere that asks by %s (%s) is refused, and uses up nothing of what this address may ask',
  async (dest, site) => {
    const { send } = await aDoor([aTool()], { peerRatePerSecond: 1 });
    for (let count = 0; count < 5; count += 1)
      expect((await send('/tools', { headers: { 'sec-fetch-site': site, 'sec-fetch-dest': dest } })).status).toBe(403);
    expect((await send('/tools')).status).toBe(200);
  },
);

test.each([
  ['none', 'document'],
  ['same-origin', 'empty'],
  ['cross-site', 'document'],
])('a person who comes by %s to a %s is let in', async (site, dest) => {
  const { send } = await aDoor([aTool()]);
  expect((await send('/tools', { headers: { 'sec-fetch-site': site, 'sec-fetch-dest': dest } })).status).toBe(200);
});

test('no cross-origin access unless listed, and then never with cookies [S0.110]', async () => {
  const closed = await aDoor([aTool()]);
  const plain = await closed.send('/tools', { headers: { origin: `http://127.0.0.1:${closed.port}` } });
  expect([plain.status, plain.headers['access-control-allow-origin']]).toEqual([200, undefined]);
  const listed = await aDoor([aTool()], { corsOrigins: ['https://app.example'] });
  const preflight = await listed.send('/tools', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-headers': 'authorization' },
  });
  expect(preflight).toMatchObject({
    status: 204,
    headers: { 'access-control-allow-origin': 'https://app.example', 'access-control-allow-headers': 'authorization' },
  });
  expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
  expect((await listed.send('/tools', { headers: { origin: 'https://other.example' } })).status).toBe(403);
});

test('every route that asks for a credential gets one or answers 401, and administration needs the role [CVE-2026-33032] [CVE-2026-42271] [S0.111]', async () => {
  const { routes, send } = await aDoor([aTool()]);
  for (const route of routes) {
    const path = route.path.replace('{name}', 'echo');
    const anonymous = await send(path, { method: route.method, headers: { authorization: '' } });
    expect([route.method, route.path, anonymous.status]).toEqual([
      route.method,
      route.path,
      route.auth === 'open' || route.auth === 'optional' ? expect.any(Number) : 401,
    ]);
    if (route.auth === 'principal' || route.auth === 'admin')
      expect(anonymous.headers['www-authenticate']).toContain('Bearer');
    if (route.auth === 'admin')
      expect((await send(path, { method: route.method, headers: { authorization: 'Bearer bob-token' } })).status).toBe(
        403,
      );
  }
});

test('no request names a command, a source or a file: the only words routes take are tool names [CVE-2026-23744] [CVE-2026-30623]', async () => {
  const { routes } = await aDoor([]);
  const words = new Set(routes.flatMap((route) => [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])));
  expect([...words]).toEqual(['name']);
});

test('a peer that floods is stopped before anything is parsed', async () => {
  const { send } = await aDoor([aTool()], { peerRatePerSecond: 2 });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await send('/tools')).status);
  expect(statuses.slice(0, 2)).toEqual([200, 200]);
  expect(statuses).toContain(429);
});

test('tools are switched off and on, and a disabled one is gone from outside [S0.99]', async () => {
  const { send, post } = await aDoor([aTool()]);
  expect((await post('/tools/echo/disable', '')).json).toEqual({ tool: 'echo', enabled: false });
  expect((await post('/tools/echo/execute', {})).status).toBe(404);
  expect((await send('/tools')).json.tools[0]).toMatchObject({ name: 'echo', enabled: false });
  await post('/tools/echo/enable', '');
  expect((await post('/tools/echo/execute', {})).status).toBe(200);
  expect((await post('/tools/nothing/enable', '')).status).toBe(404);
});

test('a breaker is reset by an administrator [S0.90]', async () => {
  const { post, send } = await aDoor([
    aTool({ run: () => Promise.resolve({ kind: 'failed', error: { code: 'crashed', message: 'died' } }) }),
  ]);
  for (let i = 0; i < 5; i++) await post('/tools/echo/execute', {});
  const refused = await post('/tools/echo/execute', {});
  expect([refused.status, refused.json.error_type]).toEqual([503, 'circuit_breaker_open']);
  expect((await send('/tools/echo')).json.circuit_breaker).toMatchObject({ state: 'open' });
  await post('/tools/echo/breaker/reset', '');
  expect((await send('/tools/echo')).json.circuit_breaker).toMatchObject({ state: 'closed' });
});

test('a client that hangs up ends its call', async () => {
  let told: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    told = resolve;
  });
  let began: (() => void) | undefined;
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const { port } = await aDoor([
    aTool({
      run: (call) =>
        new Promise((resolve) => {
          began?.();
          call.signal.addEventListener('abort', () => {
            told?.();
            resolve(done(''));
          });
        }),
    }),
  ]);
  const req = request({
    port,
    host: '127.0.0.1',
    path: '/tools/echo/execute',
    method: 'POST',
    headers: { authorization: 'Bearer ada-token' },
  });
  req.on('error', () => {});
  req.end();
  await running;
  req.destroy();
  await ended;
});

test('what the gateway serves describes itself', async () => {
  const { send } = await aDoor([aTool()]);
  const { json } = await send('/openapi.json');
  expect(json.openapi).toBe('3.1.0');
  expect(Object.keys(json.paths)).toEqual(
    expect.arrayContaining(['/tools', '/tools/{name}/execute', '/tools/echo/execute', '/openapi.json']),
  );
});

test('a bug in a route exposes nothing to the caller', async () => {
  const { send, faults } = await aDoor([], {
    routes: [
      {
        method: 'GET',
        path: '/x',
        auth: 'open',
        handle: () => {
          throw new Error('secret path');
        },
      },
    ],
  });
  const { status, text } = await send('/x');
  expect(status).toBe(500);
  expect(text).not.toContain('secret');
  expect(String(faults[0])).toContain('secret path');
});

test('stopping lets a running call end and takes no new one', async () => {
  let finish: (() => void) | undefined;
  let began: (() => void) | undefined;
  const running = new Promise<void>((resolve) => {
    began = resolve;
  });
  const { post } = await aDoor([
    aTool({
      run: () =>
        new Promise((resolve) => {
          finish = () => resolve(done('late'));
          began?.();
        }),
    }),
  ]);
  const call = post('/tools/echo/execute', {});
  await running;
  const stopped = open[0]?.stop(never);
  finish?.();
  expect((await call).json.stdout).toBe('late');
  await stopped;
});
