import { expect, test } from 'vitest';
import { serverFile } from '../support/upstream.js';
import { aPlace, serving } from '../support/toolgate.js';

const tokens = { BOB: 'bob-0123456789abcdef0123456789', CAROL: 'carol-0123456789abcdef01234567' };
const as = (name: keyof typeof tokens) => ({ headers: { authorization: `Bearer ${tokens[name]}` } });
const manifest = (name: string, seconds: string, limits: string): string =>
  `name: ${name}\ncommand: sleep\ndescription: Waits\ntarget: { kind: none }\nflags: {}\nalways: ["${seconds}"]\nlimits: { rate_per_minute: 1000, ${limits} }\n`;
const auth = (bob = '') =>
  `auth: { tokens: [{ name: bob, token: '\${BOB}'${bob} }, { name: carol, token: '\${CAROL}' }] }\n`;

test('one caller cannot open the circuit breaker for another, and a short deadline of a caller counts for nothing', async () => {
  const cwd = aPlace({
    'hang.tool.yaml': manifest('hang', '7341', 'timeout_sec: 1'),
    'toolgate.yaml': `commands: { directories: [.], builtins: false }\ncircuit_breaker: { failure_threshold: 2 }\n${auth()}`,
  });
  const gate = await serving(cwd, [], tokens);
  const call = async (who: keyof typeof tokens, body = {}) =>
    (await gate.send('/tools/hang/execute', { ...as(who), body })).json.error_type;
  for (let time = 0; time < 3; time += 1) expect(await call('BOB', { timeout_sec: 0.1 })).toBe('timeout');
  expect([await call('BOB'), await call('BOB'), await call('BOB')]).toEqual([
    'timeout',
    'timeout',
    'circuit_breaker_open',
  ]);
  expect(await call('CAROL')).toBe('timeout');
  const stateFor = async (who: keyof typeof tokens) =>
    (await gate.send('/health', as(who))).json.checks.tool_hang.status;
  expect([await stateFor('BOB'), await stateFor('CAROL')]).toEqual(['degraded', 'healthy']);
  expect((await gate.send('/health')).json.checks.tool_hang.status).toBe('degraded');
}, 60_000);

test('a caller with many waiting calls delays another by one turn', async () => {
  const cwd = aPlace({
    'nap.tool.yaml': manifest('nap', '0.5', 'concurrency: 1'),
    'toolgate.yaml': `commands: { directories: [.], builtins: false }\n${auth()}`,
  });
  const gate = await serving(cwd, [], tokens);
  const order: string[] = [];
  const call = async (who: keyof typeof tokens): Promise<void> => {
    const { status } = await gate.send('/tools/nap/execute', { ...as(who), body: {} });
    order.push(`${who} ${status}`);
  };
  const bobs = Array.from({ length: 10 }, () => call('BOB'));
  await expect
    .poll(async () => (await gate.send('/metrics')).text, { timeout: 20_000 })
    .toContain('mcp_tool_active{tool="nap"} 10');
  const before = order.length;
  await call('CAROL');
  expect(order.slice(before).filter((who) => who.startsWith('BOB')).length).toBeLessThanOrEqual(3);
  expect(order.at(-1)).toBe('CAROL 200');
  await Promise.all(bobs);
}, 60_000);

test('health and metrics show a caller only the tools of its profile, and an admin all', async () => {
  const cwd = aPlace({
    'nap.tool.yaml': manifest('nap', '0', 'concurrency: 1'),
    'hidden.tool.yaml': manifest('hidden', '0', 'concurrency: 1'),
    'toolgate.yaml': `commands: { directories: [.], builtins: false }
access: { profiles: { naps: { tools: [nap] } } }
sources: { dead: { kind: mcp, command: ${process.execPath}, args: ${JSON.stringify([serverFile, '--fail', 'start'])} } }
${auth(', profile: naps')}`,
  });
  const gate = await serving(cwd, [], tokens);
  for (const tool of ['nap', 'hidden']) await gate.send(`/tools/${tool}/execute`, { body: {} });

  const own = await gate.send('/health', as('BOB'));
  expect(own.json.checks).toHaveProperty('tool_nap');
  expect(own.json.checks).toHaveProperty('sources');
  expect(own.text).not.toContain('hidden');
  expect(own.text).not.toContain('dead');
  const { total } = own.json.summary as { total: number };
  expect(total).toBe(Object.keys(own.json.checks as object).length);

  const json = { headers: { ...as('BOB').headers, accept: 'application/json' } };
  for (const init of [as('BOB'), json]) {
    const metrics = await gate.send('/metrics', init);
    expect(metrics.status).toBe(200);
    expect(metrics.text).toContain('nap');
    expect(metrics.text).toContain('process_cpu');
    expect(metrics.text).not.toContain('hidden');
  }
  expect((await gate.send('/metrics')).text).toContain('tool="hidden"');
  expect((await gate.send('/health')).text).toContain('tool_hidden');
}, 60_000);
