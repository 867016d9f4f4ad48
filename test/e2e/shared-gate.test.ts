import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { requestGate } from '../../src/cli/attach/gate-request.js';
import { anAssistant, endGates, gatesOf } from '../support/assistant.js';
import { aPlace, serving } from '../support/toolgate.js';

/** A server whose `/slow` answers only when the test says so. */
async function aBackend(): Promise<{ url: string; arrived: Promise<void>; server: Server }> {
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/slow')) return arrive();
    res.setHeader('content-type', 'application/json');
    return res.end(JSON.stringify({ key: digest(String(req.headers['x-key'])) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived, server };
}

const configFor = (url: string, idleSeconds = 600): string => `
server: { background: { idle_seconds: ${idleSeconds} } }
commands: { builtins: false }
mcp_tools:
  slow: { description: Waits, url: "${url}/slow" }
  quick: { description: Answers, url: "${url}/quick", headers: { x-key: "\${API_KEY}" } }
`;

async function aSharedPlace(
  idleSeconds?: number,
): Promise<{ cwd: string; backend: Awaited<ReturnType<typeof aBackend>> }> {
  const backend = await aBackend();
  const cwd = aPlace({ 'toolgate.yaml': configFor(backend.url, idleSeconds) });
  endGates(cwd);
  return { cwd, backend };
}

const key = { API_KEY: 'key-of-the-first-assistant' };
/** The gateway redacts the secret itself. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
const textOf = (answer: ReturnType<typeof JSON.parse>): string => answer.result?.content?.[0]?.text ?? '';

test('assistants share one gate, each with its own identity in the audit; it ends when idle and leaves nothing behind', async () => {
  const { cwd } = await aSharedPlace(1);
  const first = await anAssistant(cwd, [], key);
  const others = await Promise.all([anAssistant(cwd, [], key), anAssistant(cwd, [], key)]);
  expect(gatesOf(cwd)).toHaveLength(1);
  const [gate] = gatesOf(cwd);
  for (const assistant of [first, ...others])
    expect(textOf(await assistant.ask('tools/call', { name: 'quick', arguments: {} }))).toContain(digest(key.API_KEY));
  const status = JSON.parse((await requestGate(gate, 'GET', '/gate')).text);
  expect(status).toMatchObject({ pid: gate.pid, mode: 'background', clients: 3 });
  expect(JSON.stringify(status)).not.toContain('environment');
  const audit = readFileSync(
    join(cwd, 'home/audit/1', readdirSync(join(cwd, 'home/audit/1')).find((name) => name.endsWith('.jsonl')) ?? ''),
    'utf8',
  );
  for (const { pid } of [first, ...others]) expect(audit).toContain(`"via":"stdio","peer":"pid ${pid}"`);
  for (const assistant of [first, ...others]) expect(await assistant.leave()).toBe(0);
  await expect.poll(() => isAlive(gate.pid), { timeout: 20_000 }).toBe(false);
  expect(readdirSync(join(cwd, 'home/gates'))).toEqual([]);
}, 60_000);

test('an assistant that brings another secret gets a separate gate', async () => {
  const { cwd } = await aSharedPlace();
  const first = await anAssistant(cwd, [], key);
  const second = await anAssistant(cwd, [], { API_KEY: 'another-secret-entirely' });
  expect(gatesOf(cwd)).toHaveLength(2);
  expect(textOf(await first.ask('tools/call', { name: 'quick' }))).not.toBe(
    textOf(await second.ask('tools/call', { name: 'quick' })),
  );
  const [gate] = gatesOf(cwd);
  expect(JSON.stringify(gatesOf(cwd))).not.toContain(key.API_KEY);
  const stop = await requestGate(gate, 'POST', '/gate/stop');
  expect(stop.status).toBe(200);
  await expect.poll(() => isAlive(gate.pid), { timeout: 20_000 }).toBe(false);
}, 60_000);

test('a killed gate fails the calls in flight with a clear error; the next call works', async () => {
  const { cwd, backend } = await aSharedPlace();
  const assistant = await anAssistant(cwd, [], key);
  const [gate] = gatesOf(cwd);
  const lost = assistant.ask('tools/call', { name: 'slow', arguments: {} });
  await backend.arrived;
  process.kill(gate.pid, 'SIGKILL');
  expect((await lost).error).toMatchObject({
    message: expect.stringContaining('The gate ended while this call was running'),
    data: { code: 'gate_ended' },
  });
  const next = await assistant.ask('tools/call', { name: 'quick', arguments: {} });
  expect(next.result.isError ?? false).toBe(false);
  expect(assistant.notifications.map(({ method }) => method)).toContain('notifications/tools/list_changed');
  expect(gatesOf(cwd).filter(({ pid }) => isAlive(pid))).toHaveLength(1);
  expect(await assistant.leave()).toBe(0);
}, 60_000);

test('an older gate keeps its clients and ends after the last one; a newer assistant gets a new gate that logs it', async () => {
  const { cwd } = await aSharedPlace();
  const old = await anAssistant(cwd, [], key);
  const [gate] = gatesOf(cwd);
  const { path, ...record } = gate;
  writeFileSync(path, JSON.stringify({ ...record, version: '0.0.1' }));
  // The lock of a gate is named by version, which this one does not know to be older.
  const lock = readdirSync(join(cwd, 'home/gates')).find((name) => name.endsWith('.lock')) ?? '';
  writeFileSync(join(cwd, 'home/gates', lock), '{}');
  const young = await anAssistant(cwd, [], key);
  expect(young.err()).toContain('has version 0.0.1; it ends when its last client leaves');
  const [next] = gatesOf(cwd);
  expect(next.pid).not.toBe(gate.pid);
  expect(readFileSync(next.log, 'utf8')).toContain('"older":"0.0.1');
  expect(textOf(await old.ask('tools/call', { name: 'quick' }))).toContain(digest(key.API_KEY));
  expect(isAlive(gate.pid)).toBe(true);
  await old.leave();
  await expect.poll(() => isAlive(gate.pid), { timeout: 20_000 }).toBe(false);
}, 60_000);

test('a gate over HTTP is attached to, and its listener can be opened in the background only over the Unix socket', async () => {
  const { cwd } = await aSharedPlace();
  const http = await serving(cwd, [], key);
  const assistant = await anAssistant(cwd, [], key);
  expect(gatesOf(cwd)).toMatchObject([{ mode: 'http', url: http.url }]);
  expect(textOf(await assistant.ask('tools/call', { name: 'quick' }))).toContain(digest(key.API_KEY));
  expect(await http.send('/gate/stop', { method: 'POST' })).toMatchObject({ status: 403 });
  await http.stop();
  // The next message starts a gate in the background.
  expect(textOf(await assistant.ask('tools/call', { name: 'quick' }))).toContain(digest(key.API_KEY));
  const [gate] = gatesOf(cwd);
  expect(gate.mode).toBe('background');
  const { url } = JSON.parse((await requestGate(gate, 'POST', '/gate/listener')).text);
  expect((await fetch(`${url}/tools`)).status).toBe(401);
  expect((await fetch(`${url}/tools`, { headers: { authorization: `Bearer ${http.token}` } })).status).toBe(200);
}, 60_000);

test('--alone keeps the gate in the process of the assistant', async () => {
  const { cwd } = await aSharedPlace();
  const assistant = await anAssistant(cwd, ['--alone'], key);
  expect(gatesOf(cwd)).toEqual([]);
  expect(textOf(await assistant.ask('tools/call', { name: 'quick' }))).toContain(digest(key.API_KEY));
  expect(await assistant.leave()).toBe(0);
}, 60_000);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
