import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { aTool } from '../../test/support/make.js';
import { temporaryFolder } from '../../test/support/temporary.js';
import { log } from '../observe/log/log.js';
import type { CreateGateOptions } from './create-gate.js';
import { createGate } from './create-gate.js';
import { defineGuard, defineRoute, defineSource } from './define.js';

const quiet = () => log({ write() {} });

async function opened(options: CreateGateOptions = {}) {
  const folder = temporaryFolder('embed');
  const gate = await createGate({
    env: {},
    log: quiet(),
    ...options,
    config: { commands: { builtins: false }, ...options.config, state: { directory: folder } },
  });
  onTestFinished(() => gate.close());
  const send = (path: string, init: RequestInit = {}, token = gate.token) =>
    gate.fetch(
      new Request(`http://anything.example${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
      }),
    );
  const journal = (): string =>
    readdirSync(join(folder, 'audit'), { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('');
  return { gate, send, journal };
}

const echo = defineSource({
  id: 'echo',
  tools: [
    {
      name: 'echo',
      description: 'Returns its text',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      effects: { writes: false, destroys: false, openWorld: false },
      run: ({ text }) => String(text),
    },
  ],
});
const call = (text: string): RequestInit => ({ method: 'POST', body: JSON.stringify({ text }) });

test('a request without a socket passes the edge: credential, Origin, routes and limits hold', async () => {
  const { send } = await opened({ sources: [echo], config: { server: { max_body_bytes: 1024 } } });
  const answer = await send('/tools/echo/execute', call('hi'));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).toContain('hi');
  expect((await send('/tools/echo/execute', call('hi'), 'wrong')).status).toBe(401);
  expect(
    (await send('/tools/echo/execute', { ...call('hi'), headers: { origin: 'http://evil.example' } })).status,
  ).toBe(403);
  expect((await send('/tools/echo/execute', call('x'.repeat(5_000)))).status).toBe(413);
  expect((await send('/nowhere')).status).toBe(404);
});

test('MCP works without a socket', async () => {
  const { send } = await opened({ sources: [echo] });
  const answer = await send('/mcp', {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    }),
  });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('"serverInfo"');
});

test('a stream ends for the gateway when its reader cancels', async () => {
  const { send, gate } = await opened();
  const events = await send('/events', { headers: { accept: 'text/event-stream' } });
  const reader = (events.body as ReadableStream<Uint8Array>).getReader();
  expect((await reader.read()).done).toBe(false);
  await reader.cancel();
  // Would wait for the grace period if the stream were still open.
  await gate.close();
});

test('an aborted request cancels its call', async () => {
  let started = (): void => {};
  const begun = new Promise<void>((resolve) => (started = resolve));
  let cancelled = (): void => {};
  const ended = new Promise<void>((resolve) => (cancelled = resolve));
  const slow = defineSource({
    id: 'slow',
    tools: [
      {
        name: 'slow',
        description: 'Waits until it is cancelled',
        input: { type: 'object' },
        run: (_args, { signal }) =>
          new Promise<string>((resolve) => {
            signal.addEventListener('abort', () => {
              cancelled();
              resolve('stopped');
            });
            started();
          }),
      },
    ],
  });
  const { send } = await opened({ sources: [slow] });
  const abort = new AbortController();
  const answer = send('/tools/slow/execute', { method: 'POST', body: '{}', signal: abort.signal });
  await begun;
  abort.abort();
  await expect(answer).rejects.toThrow();
  await ended;
});

test('a guard of the program runs after authorize, and its refusals are audited', async () => {
  const seen: string[] = [];
  const guard = defineGuard({
    name: 'noSecrets',
    appliesTo: ({ name }) => name === 'echo',
    handle(request, next) {
      seen.push(String(request.args['text']));
      return request.args['text'] === 'no'
        ? { kind: 'failed', error: { code: 'policy_denied', message: 'not this text' } }
        : next();
    },
  });
  const rules = [
    { id: 'no-admin', action: 'deny', tools: ['echo'], args: { text: { equals: 'denied' } }, reason: 'No' },
    { id: 'rest', action: 'allow' },
  ];
  const { send, journal } = await opened({ sources: [echo], guards: [guard], config: { policy: { rules } } });
  expect((await send('/tools/echo/execute', call('denied'))).status).toBe(403);
  expect((await send('/tools/echo/execute', call('no'))).status).toBe(403);
  expect((await send('/tools/echo/execute', call('yes'))).status).toBe(200);
  // A call that policy denies does not reach it.
  expect(seen).toEqual(['no', 'yes']);
  expect(
    journal()
      .split('\n')
      .filter((line) => line.includes('"policy_denied"')),
  ).toHaveLength(2);
});

test('limits and switches of the operator hold for tools in code', async () => {
  const { send } = await opened({
    sources: [echo],
    config: { tool: { overrides: { echo: { enabled: false } } } },
  });
  expect((await send('/tools/echo/execute', call('hi'))).status).not.toBe(200);
});

test('a route gets the principal, parameters and a checked body, and cannot replace one of the gateway', async () => {
  const route = defineRoute({
    method: 'POST',
    path: '/greet/{name}',
    auth: 'principal',
    handle: ({ params, body, principal }) =>
      Response.json({ to: params['name'], body, by: principal.id }, { status: 201, headers: { 'x-greeting': 'yes' } }),
  });
  const { send } = await opened({ routes: [route] });
  const answer = await send('/greet/ada', { method: 'POST', body: '{"a":1}' });
  expect([answer.status, answer.headers.get('x-greeting')]).toEqual([201, 'yes']);
  expect(await answer.json()).toMatchObject({ to: 'ada', body: { a: 1 } });
  expect((await send('/greet/ada', { method: 'POST', body: '{"a":1,"a":2}' })).status).toBe(400);
  expect((await send('/greet/ada', { method: 'POST', body: '{}' }, 'wrong')).status).toBe(401);
  const health = defineRoute({ method: 'GET', path: '/health', auth: 'open', handle: () => new Response('fine') });
  await expect(opened({ routes: [health] })).rejects.toThrow('GET /health exists already');
});

test.each([
  ['a misspelt key', { config: { sevrer: {} } }, 'sevrer is not a known key'],
  ['an id that is taken', { sources: [{ id: 'command', list: () => Promise.resolve([aTool()]) }] }, 'used twice'],
])('%s is a clear error', async (_, options, message) => {
  await expect(opened(options)).rejects.toThrow(message);
});
