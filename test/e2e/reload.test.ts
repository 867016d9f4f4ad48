import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/processes.js';
import { aPlace, serving, toolgate, type Running } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';

const quiet = 'commands: { builtins: false }\nrate_limit: { requests: 100000 }\n';
const entry = (id: string, args: readonly string[] = [], more = ''): string => `
  ${id}:
    kind: mcp
    command: ${process.execPath}
    args: ${JSON.stringify([serverFile, ...args])}
    sandbox: { tier: prlimit }
${more}`;

/** A gateway with a file that can be replaced in one step. */
async function aGate(text: string) {
  const place = aPlace({ 'toolgate.yaml': text });
  const gate = await serving(place);
  let reloads = 0;
  const write = (next: string): void => {
    writeFileSync(join(place, 'next.yaml'), next);
    renameSync(join(place, 'next.yaml'), join(place, 'toolgate.yaml'));
  };
  const lines = (event: string) =>
    gate
      .log()
      .split('\n')
      .filter((line) => line.includes(`"event":"${event}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    gate,
    place,
    write,
    lines,
    async reload(next: string) {
      write(next);
      reloads += 1;
      await eventually(
        () => lines('config.reloaded').length,
        (count) => count >= reloads,
      );
      return lines('config.reloaded')[reloads - 1];
    },
    call: async (tool: string, args = {}, token?: string) =>
      gate.send(`/tools/${tool}/execute`, {
        body: args,
        ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
      }),
  };
}
const pidOf = async (gate: Running, tool: string): Promise<string> =>
  (await gate.send(`/tools/${tool}/execute`, { body: {} })).json.stdout;

test('a reload that does not concern a server leaves its process and its running calls alone', async () => {
  const config = (level: string): string => `${quiet}log: { level: ${level} }\nsources:${entry('fix')}`;
  const { gate, reload, call } = await aGate(config('info'));
  const pid = await pidOf(gate, 'fix__pid');
  // Answered by the next echo on the same connection.
  const running = call('fix__late');
  await reload(`${config('info')}tool: { exclude: [nothing] }\n`);
  await call('fix__echo', { text: 'now' });
  expect((await running).status).toBe(200);
  expect(await pidOf(gate, 'fix__pid')).toBe(pid);
});

test('what a reload applied and what needs a restart is in the log and in GET /config; a rejected file fails a health check', async () => {
  const { gate, reload, write, lines } = await aGate('server: { allowed_origins: [] }\n');
  const origin = { headers: { origin: 'https://app.example' } };
  expect((await gate.send('/tools', origin)).status).toBe(403);
  const event = await reload('server: { allowed_origins: ["https://app.example"], max_sessions: 7 }\n');
  expect(event).toMatchObject({ applied: ['server.allowed_origins'], needs_restart: ['server.max_sessions'] });
  expect((await gate.send('/tools', origin)).status).toBe(200);
  expect((await gate.send('/config')).json.reload).toEqual({
    applied: ['server.allowed_origins'],
    needs_restart: ['server.max_sessions'],
  });
  write('server: { allowed_orgins: [] }\n');
  const check = async () => (await gate.send('/health')).json.checks.config;
  await eventually(check, (found) => found.status === 'unhealthy');
  expect((await check()).detail).toContain('allowed_origins');
  // The content is the same, so neither a file event nor the poll reports it again: only the signal does.
  const rejected = lines('config.rejected').length;
  gate.child.kill('SIGHUP');
  await eventually(
    () => lines('config.rejected').length,
    (count) => count === rejected + 1,
  );
  await reload('server: { allowed_origins: [] }\n');
  await eventually(check, (found) => found.status === 'healthy');
  expect((await gate.send('/config')).json.reload).toEqual({
    applied: ['server.allowed_origins'],
    needs_restart: [],
  });
});

test('a tool that is switched off stays off when its server answers late', async () => {
  const place = aPlace();
  const until = join(place, 'go');
  const { gate, call } = await aGate(
    `rate_limit: { requests: 100000 }\ntool: { overrides: { fix__echo: { enabled: false } } }\nsources:${entry('fix', ['--until', until], '    startup_budget: 1\n')}`,
  );
  expect(existsSync(until)).toBe(false);
  writeFileSync(until, '');
  await eventually(
    () => call('fix__pid'),
    (answer) => answer.status === 200,
  );
  expect((await call('fix__echo', { text: 'x' })).status).toBe(404);
  // The switch of an administrator stays above the configuration, across reloads too.
  expect((await gate.send('/tools/fix__echo/enable', { method: 'POST' })).status).toBe(200);
  expect((await call('fix__echo', { text: 'x' })).status).toBe(200);
}, 60_000);

test('tightened credentials and rules do not wait for a slow new source, whose tools appear only with the new rules', async () => {
  const place = aPlace();
  const until = join(place, 'go');
  const bob = 'bob-token-of-at-least-32-characters-0001';
  const tokens = `auth: { tokens: [{ name: bob, token: "${bob}", roles: [user] }] }\n`;
  const { gate, call, write, lines } = await aGate(`${quiet}${tokens}sources:${entry('fix')}`);
  expect((await call('fix__echo', { text: 'x' }, bob)).status).toBe(200);
  write(
    `${quiet}policy: { rules: [{ id: no-env, action: deny, tools: [fix__env] }, { id: rest, action: allow, roles: [admin] }] }\nsources:${entry('fix')}${entry('slow', ['--until', until], '    startup_budget: 600\n    connect_timeout: 600\n')}`,
  );
  await eventually(
    () => call('fix__echo', { text: 'x' }, bob),
    (answer) => answer.status === 401,
  );
  expect((await call('fix__env')).status).toBe(404);
  expect((await call('fix__echo', { text: 'x' })).status).toBe(200);
  expect((await call('slow__echo', { text: 'x' })).status).toBe(404);
  expect(lines('config.reloaded')).toEqual([]);
  writeFileSync(until, '');
  await eventually(
    () => call('slow__echo', { text: 'x' }),
    (answer) => answer.status === 200,
  );
  expect((await gate.send('/health')).json.checks.config.status).toBe('healthy');
}, 60_000);

test('a renewed token of the owner replaces the old one without a restart', async () => {
  const { gate, place } = await aGate('log: { level: info }\n');
  expect((await gate.send('/tools')).status).toBe(200);
  expect((await toolgate(place, ['token', 'renew'])).code).toBe(0);
  const renewed = (await toolgate(place, ['token', 'show'])).out.trim();
  await eventually(
    () => gate.send('/tools'),
    (answer) => answer.status === 401,
  );
  expect((await gate.send('/tools', { headers: { authorization: `Bearer ${renewed}` } })).status).toBe(200);
  expect(gate.log()).not.toContain(renewed);
});

test('a source that cannot be listed at the start is retried until it can', async () => {
  const folder = aPlace();
  const script = join(folder, 'server.mjs');
  const text = `rate_limit: { requests: 100000 }\nsources:
  fix:
    kind: mcp
    command: ${process.execPath}
    args: ["${script}"]
    sandbox: { tier: prlimit }
    scan: { unknown: allow }
`;
  const { gate, call, lines } = await aGate(text);
  expect((await call('fix__echo', { text: 'x' })).status).toBe(404);
  expect(lines('source.failed')).toHaveLength(1);
  expect((await gate.send('/health')).text).toContain('next attempt in');
  writeFileSync(
    script,
    `process.argv.splice(1, 1, ${JSON.stringify(serverFile)}); await import(${JSON.stringify(serverFile)});\n`,
  );
  await eventually(
    () => call('fix__echo', { text: 'x' }),
    (answer) => answer.status === 200,
    60_000,
  );
  expect(lines('source.recovered')).toHaveLength(1);
}, 90_000);
