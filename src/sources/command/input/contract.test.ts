import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemaValidator } from '../../../lib/json/schema.js';
import { commandBench, labNames, policyOf, printed, type Bench } from '../../../../test/support/commands.js';
import type { Failed } from '../../../core/outcome.js';
import { never } from '../../../../test/support/make.js';

let bench: Bench;
beforeAll(() => void (bench = commandBench()));
afterAll(() => bench.close());

const refusal = async (tool: string, args: object): Promise<Failed> => {
  const before = bench.started.length;
  const outcome = await bench.ask(tool, { ...args });
  expect(bench.started).toHaveLength(before);
  if (outcome.kind !== 'failed') throw new Error(`was not refused: ${JSON.stringify(outcome)}`);
  return outcome;
};
const planned = async (tool: string, args: object): Promise<readonly string[]> =>
  printed(await bench.ask(tool, { dry_run: true, ...args })).metadata['argv'] as readonly string[];

test('the model sees typed properties for each flag, the target, and the few arguments every command has [S0.31] [S0.32]', async () => {
  const { schema } = (await bench.tool('ping')).input;
  expect(schema).toMatchObject({
    type: 'object',
    required: ['target'],
    additionalProperties: false,
    properties: {
      target: { type: 'string', minLength: 1, maxLength: 255 },
      count: { type: 'integer', minimum: 1, maximum: 10, default: 4 },
      extra_args: { type: 'string', maxLength: 2048, default: '' },
      timeout_sec: { type: 'number', maximum: 60 },
      correlation_id: { type: 'string' },
      dry_run: { type: 'boolean' },
    },
  });
  expect(schema['properties']).not.toHaveProperty('template');
  expect((await bench.tool('nmap')).input.schema).toMatchObject({
    properties: { template: { enum: ['quick', 'standard', 'thorough', 'discovery', 'version', 'script'] } },
  });
  expect((await bench.tool('whois')).input.schema['properties']).not.toHaveProperty('extra_args');
  for (const { input } of (await bench.tools()).values())
    expect(
      schemaValidator(input.schema)({ target: '127.0.0.1', url: 'http://127.0.0.1/' }).filter(
        ({ keyword }) => keyword !== 'additionalProperties',
      ),
    ).toEqual([]);
});

test.each([
  ['no target', {}],
  ['an empty target', { target: '' }],
  ['a target of 256 characters', { target: 'a'.repeat(256) }],
  ['a target that is no text', { target: 12 }],
  ['an unknown argument', { target: '127.0.0.1', flags: '-x' }],
  ['an argument named like a prototype', JSON.parse('{"target":"127.0.0.1","__proto__":{"count":1}}') as object],
  ['a timeout of nothing', { target: '127.0.0.1', timeout_sec: 0 }],
  ['a timeout above an hour', { target: '127.0.0.1', timeout_sec: 3601 }],
  ['a timeout in words', { target: '127.0.0.1', timeout_sec: '30' }],
  ['a correlation id that would forge a log line', { target: '127.0.0.1', correlation_id: 'a\nb' }],
  ['a correlation id of 65 characters', { target: '127.0.0.1', correlation_id: 'a'.repeat(65) }],
  ['extra_args that are no text', { target: '127.0.0.1', extra_args: ['-c', '1'] }],
  ['extra_args longer than the limit', { target: '127.0.0.1', extra_args: ' '.repeat(2049) }],
  ['a template that is none', { target: '127.0.0.1', template: 'quick' }],
  ['dry_run that is not yes or no', { target: '127.0.0.1', dry_run: 'yes' }],
  ['a flag given in both forms', { target: '127.0.0.1', count: 2, extra_args: '-c 3' }],
])('%s is refused and nothing is started [S0.31] [S0.8]', async (_, args) => {
  expect(await refusal('ping', args)).toMatchObject({
    error: { code: 'invalid_arguments', data: { stage: 'syntax' } },
  });
});

test.each([
  ['192.168.1.1', '192.168.1.1'],
  ['10.0.0.1', '10.0.0.1'],
  ['172.31.255.255', '172.31.255.255'],
  ['server.lab.internal', '192.168.1.20'],
  ['a.b.lab.internal', '10.1.2.3'],
  ['SERVER.LAB.INTERNAL.', '192.168.1.20'],
  ['::1', '::1'],
  ['fd00::1', 'fd00::1'],
  ['localhost.lab.internal', undefined],
])('the target %s goes to the program as %s [S0.125] [S0.34] [S0.35]', async (target, address) => {
  if (address === undefined)
    expect(await refusal('ping', { target })).toMatchObject({ error: { code: 'invalid_arguments' } });
  else expect((await planned('ping', { target })).at(-1)).toBe(address);
});

test.each([
  '8.8.8.8',
  'google.com',
  '169.254.169.254',
  '0.0.0.0',
  '192.0.2.1',
  '198.18.0.1',
  '240.0.0.1',
  '224.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
  'rebound.lab.internal',
  'half.lab.internal',
])('the target %s is refused, and the refusal names the policy and what it allows [S0.125] [S0.34]', async (target) => {
  const { error } = await refusal('ping', { target });
  expect(error).toMatchObject({
    code: 'invalid_arguments',
    data: { stage: 'permission', field: 'target', policy: 'rfc1918+loopback' },
  });
  expect(`${error.message} ${error.hint}`).toContain('RFC1918 or .lab.internal');
});

test.each([
  ['192.168.1.77/24', '192.168.1.0/24'],
  ['10.0.0.0/22', '10.0.0.0/22'],
  ['10.1.2.3', '10.1.2.3'],
])('the network %s goes on in its canonical form %s [S0.36]', async (target, canonical) => {
  expect((await planned('nmap', { target })).at(-1)).toBe(canonical);
});

test('a network above 1024 addresses is refused with its size and what would fit [S0.70] [S0.125]', async () => {
  expect(await refusal('nmap', { target: '192.168.1.0/16' })).toMatchObject({
    error: {
      code: 'invalid_arguments',
      message: expect.stringContaining('Network too large: 65536 hosts (max: 1024)'),
      hint: 'Use /22 or smaller',
      data: { network_size: 65_536, max_allowed: 1024, suggested_cidr: '192.168.0.0/22' },
    },
  });
});

test('an error names the value, the expected form and an example [S0.81]', async () => {
  expect((await refusal('nmap', { target: '127.0.0.1', ports: '443-80' })).error).toMatchObject({
    message: 'ports: the range 443-80 begins above its end; given "443-80"; for example 80-443',
    data: {
      field: 'ports',
      value: '"443-80"',
      expected: 'ports from 1 to 65535 as numbers and ranges, separated by commas',
      example: '80-443',
    },
  });
});

test('a hostile value is shown escaped and cut', async () => {
  const { error } = await refusal('ping', { target: `\u001b]0;x\u0007${'\u009b'.repeat(300)}`.slice(0, 250) });
  expect(error.message).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
  expect(error.message.length).toBeLessThan(800);
});

test('the first stage that objects has the word: syntax, semantics, permission [S0.52]', async () => {
  const all = { target: '8.8.8.8', aggressive: true, ports: '80', fast: true, scripts: ['no-such-script'], timing: 9 };
  expect(await refusal('nmap', all)).toMatchObject({ error: { data: { stage: 'syntax', field: 'timing' } } });
  expect(await refusal('nmap', { ...all, timing: 1 })).toMatchObject({
    error: { data: { stage: 'semantics' }, message: expect.stringContaining('cannot be given together with') },
  });
  expect(await refusal('nmap', { target: '8.8.8.8', scripts: ['no-such-script'] })).toMatchObject({
    error: { data: { stage: 'semantics', field: 'scripts' } },
  });
  expect(await refusal('nmap', { target: '10.0.0.0/8', syn_scan: true })).toMatchObject({
    error: { data: { stage: 'semantics', field: 'target' } },
  });
  expect(await refusal('nmap', { target: '8.8.8.8', syn_scan: true })).toMatchObject({
    error: { data: { stage: 'permission', field: 'syn_scan' } },
  });
  expect(await refusal('nmap', { target: '8.8.8.8' })).toMatchObject({
    error: { data: { stage: 'permission', field: 'target' } },
  });
});

test('timeout_sec reaches the deadline, and what the target stands for reaches the program', async () => {
  const { input } = await bench.tool('ping');
  const value = {
    target: 'two.lab.internal',
    name: 'two.lab.internal',
    count: 4,
    applied: ['count'],
    timeout_sec: 1.5,
    correlation_id: 'req-1',
  };
  const given = { target: 'two.lab.internal', timeout_sec: 1.5, correlation_id: 'req-1' };
  expect(input.parse(given)).toEqual({ ok: true, timeoutMs: 1500, value });
  expect(await input.vet?.(value, never)).toEqual({
    ok: true,
    value: { ...value, address: '192.168.1.21', addresses: ['192.168.1.21', '192.168.1.22'] },
  });
});

test('a policy that allows public addresses lets them through, and only where it is named', async () => {
  const open = commandBench({
    policies: { default: policyOf({ allow: ['rfc1918'] }), wide: policyOf({ allow: ['public'] }) },
    tools: { traceroute: { policy: 'wide' } },
    resolver: labNames,
  });
  try {
    expect(await open.ask('traceroute', { target: '8.8.8.8', dry_run: true })).toMatchObject({ kind: 'done' });
    expect(await open.ask('traceroute', { target: '10.0.0.1', dry_run: true })).toMatchObject({ kind: 'failed' });
    expect(await open.ask('ping', { target: '8.8.8.8', dry_run: true })).toMatchObject({ kind: 'failed' });
    expect(open.started).toEqual([]);
  } finally {
    await open.close();
  }
});
