import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace, serving, toolgate } from '../support/toolgate.js';
import { processesNamed } from '../support/processes.js';

const sleeper = (seconds: number): string => `
name: napper
command: sleep
description: Sleeps for ${seconds} seconds and says nothing
target: { kind: none }
flags: {}
always: ["${seconds}"]
limits: { concurrency: 2, rate_per_minute: 1000 }
`;

test('the first start needs nothing, prints a curl that works when pasted, and a refusal names its policy [S0.5] [S0.106]', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  expect(gate.banner).toContain('ping');
  expect(statSync(join(cwd, 'home/token')).mode & 0o777).toBe(0o600);
  expect(statSync(join(cwd, 'home')).mode & 0o777).toBe(0o700);
  const pasted = /curl [^]*?execute\n/.exec(gate.banner)?.[0] ?? '';
  const answer = JSON.parse(execFileSync('/bin/sh', ['-c', pasted], { encoding: 'utf8' })) as {
    metadata: { parsed: { received: number } };
  };
  expect(answer.metadata.parsed.received).toBeGreaterThan(0);
  const refused = await gate.send('/tools/ping/execute', { body: { target: '8.8.8.8' } });
  expect(refused.status).toBe(400);
  expect(refused.json).toMatchObject({
    error_type: 'validation_error',
    error: expect.stringContaining('RFC1918 or .lab.internal'),
  });
  expect(await gate.stop()).toBe(0);
});

test('no credential, no answer; health gives anonymous callers one word', async () => {
  const gate = await serving(aPlace());
  expect((await gate.send('/tools', { headers: { authorization: '' } })).status).toBe(401);
  expect((await gate.send('/tools', { headers: { authorization: 'Bearer tg_wrong' } })).status).toBe(401);
  expect((await gate.send('/metrics', { headers: { authorization: '' } })).status).toBe(401);
  expect((await gate.send('/health', { headers: { authorization: '' } })).json).toEqual({
    status: expect.stringMatching(/^(healthy|degraded)$/),
  });
  expect((await gate.send('/livez', { headers: { authorization: '' } })).status).toBe(200);
  expect((await gate.send('/config')).text).not.toContain(gate.token);
});

test('SIGTERM while a tool runs: the call ends, no process survives, the exit code is 0 [S0.121]', async () => {
  const cwd = aPlace({
    'napper.tool.yaml': sleeper(7331),
    'toolgate.yaml': 'commands: { directories: [.] }\nserver: { shutdown_grace_period: 1 }\n',
  });
  const gate = await serving(cwd);
  const call = gate.send('/tools/napper/execute', { body: {} }).catch((error: unknown) => error);
  await gate.logged('"tool.start"');
  expect(await gate.stop()).toBe(0);
  await call;
  expect(processesNamed('7331')).toEqual([]);
  expect(gate.log()).toContain('server.shutdown_forced');
  const records = readFileSync(join(cwd, 'home/audit/1/000001.jsonl'), 'utf8');
  expect(records).toContain('"tool":"napper"');
});

test('killed with -9 while a tool runs: nothing it started survives', async () => {
  const cwd = aPlace({ 'napper.tool.yaml': sleeper(7332), 'toolgate.yaml': 'commands: { directories: [.] }\n' });
  const gate = await serving(cwd);
  gate.send('/tools/napper/execute', { body: {} }).catch(() => {});
  await gate.logged('"tool.start"');
  await expect.poll(() => processesNamed('7332').length, { timeout: 10_000 }).toBeGreaterThan(0);
  await gate.stop('SIGKILL');
  await expect.poll(() => processesNamed('7332'), { timeout: 10_000 }).toEqual([]);
});

test('health answers while every slot of a tool is taken [S0.4]', async () => {
  const cwd = aPlace({
    'napper.tool.yaml': sleeper(7333),
    'toolgate.yaml': 'commands: { directories: [.] }\nserver: { shutdown_grace_period: 0 }\n',
  });
  const gate = await serving(cwd);
  for (let i = 0; i < 6; i++) gate.send('/tools/napper/execute', { body: {} }).catch(() => {});
  const asleep = () =>
    processesNamed('7333').filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n').length;
  await expect.poll(asleep, { timeout: 10_000 }).toBe(2);
  expect((await gate.send('/health')).json).toMatchObject({ checks: { tool_napper: { status: 'healthy' } } });
});

test('a hundred calls at once: none is lost, each is answered or refused with a time to retry [S0.125]', async () => {
  const cwd = aPlace({
    'quick.tool.yaml':
      'name: quick\ncommand: "true"\ndescription: Does nothing and does it well\ntarget: { kind: none }\nflags: {}\nlimits: { concurrency: 4, queue: 200, rate_per_minute: 1000 }\n',
    'toolgate.yaml': 'commands: { directories: [.] }\n',
  });
  const gate = await serving(cwd);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => gate.send('/tools/quick/execute', { body: { correlation_id: `load-${i}` } })),
  );
  expect(answers.map(({ status, json }) => [status, json.returncode])).toEqual(answers.map(() => [200, 0]));
  expect(new Set(answers.map(({ json }) => json.correlation_id)).size).toBe(100);
}, 60_000);

test('a changed file is taken over while calls run; a bad one is reported and the last good one stays', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'tool: { exclude: [] }\n' });
  const gate = await serving(cwd);
  const file = join(cwd, 'toolgate.yaml');
  const swap = (text: string): void => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  expect((await gate.send('/tools/ping')).status).toBe(200);
  swap('tool: { exclude: [ping] }\n');
  await gate.logged('config.reloaded');
  expect((await gate.send('/tools/ping')).status).toBe(404);
  swap('tool: { exclde: [] }\n');
  await gate.logged('config.rejected');
  expect(gate.log()).toContain('exclude');
  expect((await gate.send('/tools/ping')).status).toBe(404);
});

test('everything wrong with a configuration is reported at once, with its place, and nothing is started [S0.29]', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'server:\n  prot: 1\n  port: yes please\nnonsense: 1\n' });
  const { code, err } = await toolgate(cwd, ['serve', '--http']);
  expect(code).toBe(1);
  expect(err).toMatch(/toolgate\.yaml:2:\d+.*prot/);
  expect(err).toMatch(/toolgate\.yaml:3:\d+.*port/);
  expect(err).toMatch(/toolgate\.yaml:4:\d+.*nonsense/);
});

test('a port that is taken is an error, not another transport [S0.112]', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const { code, err, out } = await toolgate(aPlace(), ['serve', '--http', '--port', String(port)]);
  taken.close();
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('the address is already in use');
});

test('a listener for all interfaces without a token is refused [S0.17]', async () => {
  const { code, err } = await toolgate(aPlace({ 'toolgate.yaml': 'auth: { required: false }\n' }), [
    'serve',
    '--http',
    '--host',
    '0.0.0.0',
  ]);
  expect(code).toBe(1);
  expect(err).toContain('auth.required');
});

test('two gateways share a home: each has its own journal', async () => {
  const cwd = aPlace();
  const [one, two] = await Promise.all([serving(cwd), serving(cwd)]);
  for (const gate of [one, two])
    expect((await gate.send('/tools/ping/execute', { body: { target: '8.8.8.8' } })).status).toBe(400);
  expect(one.token).toBe(two.token);
  expect([1, 2].map((number) => statSync(join(cwd, `home/audit/${number}/000001.jsonl`)).size > 0)).toEqual([
    true,
    true,
  ]);
});

test('a bad word on the command line is reported, not ignored', async () => {
  expect(await toolgate(aPlace(), ['serve', '--htpp'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--htpp'),
  });
  expect(await toolgate(aPlace(), ['srve'])).toMatchObject({ code: 2, err: expect.stringContaining('srve') });
});
