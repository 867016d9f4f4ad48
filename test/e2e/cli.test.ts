import { expect, test } from 'vitest';
import { aPlace, toolgate } from '../support/toolgate.js';

test('call runs a tool without a server, through every guard', async () => {
  const cwd = aPlace();
  const { code, out } = await toolgate(cwd, ['call', 'ping', 'target=127.0.0.1', 'count=1', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    kind: 'done',
    data: { returncode: 0, metadata: { parsed: { received: 1 } } },
  });
});

test('a refused call shows the reason, what to do, and ends with 3', async () => {
  const { code, err } = await toolgate(aPlace(), ['call', 'ping', 'target=8.8.8.8']);
  expect(code).toBe(3);
  expect(err).toContain('RFC1918 or .lab.internal');
  expect(err).toContain('correlation id');
});

test.each([
  [['call']],
  [['call', 'ping', 'target']],
  [['call', 'ping', '--args', '[1]']],
  [['call', 'ping', '--args', '{']],
  [['call', 'ping', '--args', '@missing']],
])('a wrong command line is reported and ends with 2: %j', async (argv) => {
  expect((await toolgate(aPlace(), argv)).code).toBe(2);
});

test('a misspelt tool is answered with the nearest, and wrong arguments with the page that lists them', async () => {
  const place = aPlace();
  const unknown = await toolgate(place, ['call', 'pingg']);
  expect(unknown).toMatchObject({ code: 3, err: expect.stringContaining('Did you mean ping? toolgate tools lists') });
  const wrong = await toolgate(place, ['call', 'ping', 'tarGet=127.0.0.1']);
  expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining('toolgate tools ping shows its arguments.') });
  expect(wrong.err).not.toContain('--help');
});

test('tools lists what is ready and what is not', async () => {
  const { code, out } = await toolgate(aPlace(), ['tools', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: 'ping', ready: true })]),
  });
  const one = await toolgate(aPlace(), ['tools', 'ping']);
  expect(JSON.parse(one.out)).toMatchObject({ name: 'ping', input_schema: { type: 'object' } });
  expect((await toolgate(aPlace(), ['tools', 'nothing'])).code).toBe(1);
});

test('doctor goes through the check list and fails on what must not be [S0.124]', async () => {
  const good = await toolgate(aPlace(), ['doctor']);
  for (const line of [
    'intrusive tools off',
    'memory limit',
    'time limit',
    'firewall',
    'rate limit',
    'logs',
    'breaker',
    'flags audited',
    'shutdown grace',
    'sandbox: prlimit',
    'metrics',
  ])
    expect(good.out).toContain(line);
  const bad = await toolgate(
    aPlace({ 'toolgate.yaml': 'security: { best_effort_sandbox: true, allow_intrusive: true }\n' }),
    ['doctor'],
  );
  expect(bad.code).toBe(1);
  expect(bad.out).toMatch(/FAIL +sandbox: never weaker/);
  expect(bad.out).toMatch(/warn +intrusive tools off/);
});

test('token shows where it is kept, itself on request, and renews', async () => {
  const cwd = aPlace();
  const path = await toolgate(cwd, ['token']);
  expect(path.out.trim()).toMatch(/home\/token$/);
  const first = await toolgate(cwd, ['token', 'show']);
  expect(first.out).toMatch(/^tg_[\w-]{43}\n$/);
  const second = await toolgate(cwd, ['token', 'renew']);
  expect(second.code).toBe(0);
  expect((await toolgate(cwd, ['token', 'show'])).out).not.toBe(first.out);
  expect((await toolgate(cwd, ['token', 'steal'])).code).toBe(2);
});

test.each(['serve', 'tools', 'call', 'check', 'doctor', 'token'])('%s --help shows how it is used', async (verb) => {
  const { code, out } = await toolgate(aPlace(), [verb, '--help']);
  expect(code).toBe(0);
  expect(out).toContain(`Usage: toolgate ${verb}`);
});

test('toolgate alone shows its verbs', async () => {
  expect(await toolgate(aPlace(), [])).toMatchObject({
    code: 2,
    out: expect.stringContaining('Usage: toolgate <verb>'),
  });
  expect((await toolgate(aPlace(), ['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
