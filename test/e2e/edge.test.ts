import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace, serving } from '../support/toolgate.js';

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) expect.fail('the condition never held');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const behind = (client: string): { headers: Record<string, string> } => ({ headers: { 'x-forwarded-for': client } });

test('behind a trusted proxy each client has its own rate, and is named in log and audit when it is refused', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'server: { trusted_proxies: [127.0.0.1/32], peer_rate_per_second: 3 }\n' });
  const gate = await serving(cwd);
  const flood = await Promise.all(Array.from({ length: 20 }, () => gate.send('/livez', behind('198.51.100.7'))));
  expect(flood.map(({ status }) => status)).toContain(429);
  expect((await gate.send('/livez', behind('203.0.113.9'))).status).toBe(200);
  const wrong = { 'x-forwarded-for': '192.0.2.44, 203.0.113.10', authorization: 'Bearer wrong' };
  expect((await gate.send('/tools', { headers: wrong })).status).toBe(401);
  await gate.send('/tools/ping/execute', { body: {}, ...behind('203.0.113.11') });
  await gate.logged('"auth.refused"');
  const line =
    gate
      .log()
      .split('\n')
      .find((each) => each.includes('auth.refused')) ?? '';
  expect(JSON.parse(line)).toMatchObject({ peer: '203.0.113.10', reason: 'invalid', route: '/tools' });
  const audit = join(cwd, 'home/audit/1');
  const records = (): string =>
    readdirSync(audit)
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => readFileSync(join(audit, file), 'utf8'))
      .join('');
  await until(() => records().includes('203.0.113.10'));
  expect(records()).toMatch(/"via":"rest","peer":"203.0.113.11","tool":"ping"/);
  expect(records()).toMatch(/"event":"refused".*"code":"unauthorized".*"action":"authenticate"/);
});

test('without a trusted proxy a client cannot choose its address', async () => {
  const gate = await serving(aPlace({ 'toolgate.yaml': 'server: { peer_rate_per_second: 2 }\n' }));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => gate.send('/livez', behind(`198.51.100.${at}`))),
  );
  expect(answers.map(({ status }) => status)).toContain(429);
});

test('a rate of 0 is no limit', async () => {
  const gate = await serving(aPlace({ 'toolgate.yaml': 'server: { peer_rate_per_second: 0 }\n' }));
  const answers = await Promise.all(Array.from({ length: 100 }, () => gate.send('/livez')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(gate.log()).not.toContain('config.clamped');
});

test('origins and body limits of a changed file apply without a restart', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'server: { peer_rate_per_second: 0 }\n' });
  const gate = await serving(cwd);
  const origin = { headers: { origin: 'https://app.example' } };
  expect((await gate.send('/livez', origin)).status).toBe(403);
  const metrics = async (): Promise<number> => (await fetch(`${gate.url}/metrics`)).status;
  expect(await metrics()).toBe(401);
  writeFileSync(
    join(cwd, 'toolgate.yaml'),
    'server: { peer_rate_per_second: 0, allowed_origins: ["https://app.example"], max_body_bytes: 1024, open_metrics: true }\n',
  );
  await until(async () => (await gate.send('/livez', origin)).status === 200);
  expect((await gate.send('/tools/ping/execute', { body: { target: 'x'.repeat(2_000) } })).status).toBe(413);
  expect(await metrics()).toBe(200);
});

test('at shutdown /readyz fails first, while calls are still answered', async () => {
  const gate = await serving(aPlace({ 'toolgate.yaml': 'server: { drain_delay: 5 }\n' }));
  expect((await gate.send('/readyz')).status).toBe(200);
  const stopped = gate.stop();
  await until(async () => (await gate.send('/readyz')).status === 503);
  expect((await gate.send('/tools')).status).toBe(200);
  expect(await stopped).toBe(0);
});
