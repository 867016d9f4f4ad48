import { expect, test } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { done } from '../../src/core/outcome.js';
import { defineSource } from '../../src/embed/define.js';
import { attackedGate } from '../support/attacked-gate.js';

// Attempts of an outsider on a whole gate, in tables. Each row must be refused; one that passes names itself.

async function aGate(policy: object) {
  const reached: Json[] = [];
  const gate = await attackedGate(policy, [
    defineSource({
      id: 'lab',
      tools: [
        {
          name: 'send',
          description: 'Sends a value to a host',
          input: { type: 'object' },
          limits: { ratePerMinute: 1e6 },
          run(args) {
            reached.push(args['host'] ?? null);
            return 'sent';
          },
        },
        {
          name: 'large',
          description: 'A large result',
          input: { type: 'object' },
          run: () => done('x'.repeat(600_000)),
        },
      ],
    }),
  ]);
  return { ...gate, reached };
}

const hosts = [
  '10.0.0.1',
  '10.0.0.1:80',
  'http://10.0.0.1/',
  'HTTP://10.0.0.1',
  '//10.0.0.1/x',
  'http:10.0.0.1',
  '10.1',
  '0xa.1',
  '0x0a000001',
  '167772161',
  '012.0.0.1',
  '::ffff:10.0.0.1',
  '[::ffff:10.0.0.1]',
  '[::ffff:a00:1]:443',
  '64:ff9b::a00:1',
  '10.0.0.1.',
  ' 10.0.0.1',
  '10.0.0.1\n',
  'http://user@10.0.0.1/',
  'http://x:y@10.0.0.1:8/',
  'http://10.0.0.1#x',
  'http://10.0.0.1?x',
  'ftp://10.0.0.1/',
  'ssh://root@10.0.0.1',

  'evil.com',
  'EVIL.com',
  'evil.com.',
  'a.evil.com',
  'http://evil.com/',
  'http:evil.com',
  '//evil.com/x',
  'user@evil.com',
  'http://user:pw@evil.com:8080/x',
  'evil.com:443',
  'ｅｖｉｌ.com',
  'evil。com',
  'evil．com',
  'http:\\\\evil.com',
  'https:/evil.com',
  'mailto:x@evil.com',
  'wss://evil.com',
  'a@b@evil.com',
  'http://evil.com%2f',
  '\tevil.com',
  'evil.com\r',
];
const wraps: readonly ((value: string) => Json)[] = [
  (value) => value,
  (value) => [value],
  (value) => [[value]],
  (value) => ['example.org', [[[value]]]],
];

test('a deny rule on hosts holds for every spelling, at any depth of lists, on REST and MCP', async () => {
  const { reached, rest, modern } = await aGate({
    policy: {
      rules: [
        { id: 'ten', action: 'deny', tools: ['*'], args: { host: { cidr: ['10.0.0.0/8'] } } },
        { id: 'evil', action: 'deny', tools: ['*'], args: { host: { domain: ['evil.com', '*.evil.com'] } } },
        { id: 'rest', action: 'allow' },
      ],
    },
  });
  const passed: string[] = [];
  for (const host of hosts)
    for (const wrap of wraps) {
      const args = { host: wrap(host) };
      if ((await rest('ada', 'send', args)).status !== 403) passed.push(`REST ${JSON.stringify(args)}`);
      const answer = await modern('ada', 'tools/call', { name: 'send', arguments: args });
      if (!answer.text.includes('policy_denied'))
        passed.push(`MCP ${JSON.stringify(args)} ${answer.text.slice(0, 200)}`);
    }
  expect(passed).toEqual([]);
  expect(reached).toEqual([]);
  // The rule is about these hosts only: the table does not pass because everything is denied.
  expect((await rest('ada', 'send', { host: 'example.org' })).status).toBe(200);
}, 60_000);

test('links to large results work for their owner alone, however another caller spells them', async () => {
  const { modern } = await aGate({});
  const { text } = await modern('ada', 'tools/call', { name: 'large', arguments: {} });
  const uri = /toolgate:\/\/(?:results|rest)\/[\w/-]+/.exec(text)?.[0] ?? '';
  expect(uri).not.toBe('');
  expect((await modern('ada', 'resources/read', { uri })).text).toContain('xxxxxxxx');
  const id = uri.split('/').at(-1) ?? '';
  const spellings = [
    uri,
    uri.toUpperCase(),
    uri.replace('toolgate:', 'TOOLGATE:'),
    uri.replace('://', ':'),
    uri.replace('://', ':///'),
    uri.replace('//', '//./'),
    uri.replace(id, `../${id}`),
    uri.replace(id, `./${id}`),
    uri.replace(id, encodeURIComponent(id).replaceAll('-', '%2D')),
    `${uri}/`,
    `${uri}?owner=token:ada`,
    `${uri}#`,
    `${uri} `,
    ` ${uri}`,
    `${uri}\u0000`,
    uri.slice(0, -1),
    id,
    'toolgate://results/',
    'toolgate://results/*',
    'toolgate://rest/',
    'toolgate://results/__proto__',
    'toolgate://results/constructor',
  ];
  const passed: string[] = [];
  for (const each of spellings)
    for (const method of ['resources/read', 'resources/subscribe']) {
      const answer = await modern('bob', method, { uri: each });
      if (answer.text.includes('xxxxxxxx') || answer.text.includes('"result"')) passed.push(`${method} ${each}`);
    }
  expect(passed).toEqual([]);
}, 60_000);

test('a caller can name itself neither another principal, another profile nor an approval', async () => {
  const { reached, rest, modern } = await aGate({
    policy: {
      rules: [
        { id: 'ada-only', action: 'deny', tools: ['*'], principals: ['token:bob'] },
        { id: 'rest', action: 'allow' },
      ],
    },
  });
  const claims: readonly Record<string, Json>[] = [
    { principal: 'token:ada' },
    { principal: { id: 'token:ada', roles: ['admin'] } },
    { roles: ['admin'] },
    { as: 'token:ada' },
    { ticket: 'any' },
    { confirmation: { answers: {}, state: 'x' } },
    { __proto__: { principal: 'token:ada' } },
    { via: 'cli' },
    { profile: 'all' },
    { session: 'x' },
    { canSee: true },
    { dry_run: false },
    { correlation_id: 'token:ada' },
    { _meta: { principal: 'token:ada' } },
  ];
  const passed: string[] = [];
  for (const claim of claims) {
    if ((await rest('bob', 'send', { host: 'x', ...claim })).status === 200)
      passed.push(`REST ${JSON.stringify(claim)}`);
    for (const params of [
      { name: 'send', arguments: { host: 'x', ...claim } },
      { name: 'send', arguments: { host: 'x' }, ...claim },
    ]) {
      const { text } = await modern('bob', 'tools/call', params);
      if (text.includes('sent')) passed.push(`MCP ${JSON.stringify(params)}`);
    }
  }
  expect(passed).toEqual([]);
  expect(reached).toEqual([]);
}, 60_000);
