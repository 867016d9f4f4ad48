import { describe, expect, test } from 'vitest';
import { labPolicy, networkPolicy } from './network-policy.js';
import type { Resolver } from '../addresses/resolver.js';
import { vetTarget, type TargetKind } from './target-vetting.js';

const made = networkPolicy({ allow: ['public'] });
if (!made.ok) throw new Error('the public policy is sound');
const open = made.policy;

const never: Resolver = () => Promise.reject(new Error('this target must not be looked up'));
const answers = (...addresses: string[]): Resolver & { readonly asked: string[] } => {
  const asked: string[] = [];
  return Object.assign((name: string) => Promise.resolve((asked.push(name), addresses)), { asked });
};
const lab = (kind: TargetKind, value: string, resolver: Resolver = never) =>
  vetTarget(kind, value, labPolicy, resolver);

describe('a host', () => {
  test('an address is passed on in its canonical form [S0.34]', async () => {
    expect(await lab('host', '::ffff:10.0.0.1')).toEqual({
      ok: true,
      kind: 'host',
      target: '10.0.0.1',
      addresses: ['10.0.0.1'],
    });
  });

  test.each(['web.lab.internal', 'a.b.lab.internal', 'WEB.LAB.INTERNAL.', 'ｗｅｂ.lab.internal'])(
    'the name %s is looked up once and its address passed on [S0.35]',
    async (name) => {
      const resolver = answers('10.1.2.3', 'fd00::3');
      expect(await lab('host', name, resolver)).toMatchObject({ ok: true, addresses: ['10.1.2.3', 'fd00::3'] });
      expect(resolver.asked).toHaveLength(1);
    },
  );

  test.each(['127.0.0.1', '8.8.8.8', '169.254.169.254', '::1', '2002:7f00:1::', '::ffff:127.0.0.1', '64:ff9b::a00:1'])(
    'a trusted suffix leading to %s is refused, even beside a good address [S0.35]',
    async (address) => {
      expect(await lab('host', 'web.lab.internal', answers('10.0.0.1', address))).toMatchObject({
        ok: false,
        code: 'not_allowed',
        policy: 'rfc1918',
        reason: expect.stringContaining('RFC1918 or .lab.internal'),
      });
    },
  );

  test.each([
    '',
    '-oG',
    '--help',
    '-iL/etc/passwd',
    '10.0.0.1;id',
    '10.0.0.1 -x',
    '10.0.0.1\n',
    '10.0.0.1\0',
    '$(id)',
    '`id`',
    '10.0.0.1|id',
    '10.0.0.1,8.8.8.8',
    '10.0.0.1/24',
    '10.0.0.1-254',
    '10.0.*.1',
    '010.0.0.1',
    '0x0a.0.0.1',
    '10.1',
    '167772161',
    '0xa000001',
    '①⓪.⓪.⓪.①',
    '10.0.0.1.',
    '[fd00::1]',
    'fd00::1%eth0',
    'fe80::1',
    'user@10.0.0.1',
    'http://10.0.0.1',
    '10.0.0.1:80',
    '10.0.0.1#x',
    '10.0.0.1%00',
    'google.com',
    'lab.internal',
    '.lab.internal',
    'evil-lab.internal',
    'lab.internal.evil.com',
    'a.lab.internal.evil.com',
    '-a.lab.internal',
    'a-.lab.internal',
    'a..lab.internal',
    'a_b.lab.internal',
    `${'a'.repeat(64)}.lab.internal`,
    `${'a.'.repeat(125)}lab.internal`,
    'a%2elab.internal',
    '*.lab.internal',
    'a/.lab.internal',
    'localhost',
    'a\u202e.lab.internal',
    'x'.repeat(10_000),
    '10.0.0.1\u200b',
    '\u00a010.0.0.1',
    '10。0。0。1',
  ])('%j is refused without a lookup, and the refusal lists what is allowed [S0.34] [S0.35]', async (value) => {
    expect(await lab('host', value)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('RFC1918 or .lab.internal'),
    });
  });

  test('a refusal never repeats hidden or foreign characters', async () => {
    expect(JSON.stringify(await lab('host', 'a\u202eb\u2066.evil'))).toMatch(/^[\x20-\x7e]*$/);
  });

  test.each([
    ['nothing', answers()],
    ['a failure', never],
    ['nonsense', answers('10.0.0.1', 'fe80::1%eth0')],
  ] as const)('a name that answers with %s is unresolved', async (_, resolver) => {
    expect(await lab('host', 'web.lab.internal', resolver)).toMatchObject({ ok: false, code: 'unresolved' });
  });
});

describe('a network', () => {
  test.each([
    ['192.168.1.77/24', '192.168.1.0/24', 256],
    ['10.0.0.0/22', '10.0.0.0/22', 1024],
    ['10.9.8.7/32', '10.9.8.7/32', 1],
  ])('%s is passed on as %s [S0.36]', async (given, cidr, size) => {
    expect(await lab('cidr', given)).toMatchObject({ ok: true, target: cidr, network: { cidr, size } });
  });

  test('a large network is refused with the way to a smaller one [S0.70]', async () => {
    expect(await lab('cidr', '192.168.1.0/16')).toEqual({
      ok: false,
      code: 'too_large',
      policy: 'rfc1918',
      reason: 'Network too large: 65536 hosts (max: 1024)',
      hint: 'Use /22 or smaller',
      data: { network_size: 65536, max_allowed: 1024, suggested_cidr: '192.168.0.0/22' },
    });
    expect(await lab('cidr', 'fd12::/32')).toMatchObject({
      code: 'too_large',
      hint: 'Use /118 or smaller',
      data: { network_size: '79228162514264337593543950336' },
    });
    expect(await lab('cidr', '10.0.0.0/21')).toMatchObject({ reason: 'Network too large: 2048 hosts (max: 1024)' });
  });

  test.each([
    '8.8.8.0/24',
    '0.0.0.0/0',
    '10.0.0.0/33',
    '10.0.0.0/24/1',
    '10.0.0.0/a',
    '/24',
    'web.lab.internal/24',
    '127.0.0.0/24',
    '169.254.169.254/32',
    '192.168.0.0/15',
    '::ffff:127.0.0.1/128',
    '10.0.0.0/24;id',
  ])('%s is refused [S0.34]', async (value) => {
    expect(await lab('cidr', value)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('RFC1918 or .lab.internal'),
    });
  });

  test('one address or one name is a network target too', async () => {
    expect(await lab('cidr', '10.0.0.1')).toMatchObject({ ok: true, addresses: ['10.0.0.1'] });
    expect(await lab('cidr', 'web.lab.internal', answers('10.0.0.2'))).toMatchObject({
      ok: true,
      addresses: ['10.0.0.2'],
    });
  });
});

describe('a URL', () => {
  test.each([
    ['http://10.0.0.1/x?y#z', 'http://10.0.0.1/x?y'],
    ['HTTPS://WEB.lab.internal.:8443/', 'https://web.lab.internal.:8443/'],
    ['http://[fd00::1]:80/', 'http://[fd00::1]/'],
    ['http://0xa000001/', 'http://10.0.0.1/'],
  ])('%s is vetted by its parsed host and passed on as %s [S0.49]', async (given, target) => {
    expect(await lab('url', given, answers('10.0.0.9'))).toMatchObject({ ok: true, target });
  });

  test.each([
    'ftp://10.0.0.1/',
    'file:///etc/passwd',
    'gopher://10.0.0.1/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'http://',
    'http:///x',
    '10.0.0.1',
    '//10.0.0.1/',
    'http://user:pass@10.0.0.1/',
    'http://10.0.0.1@8.8.8.8/',
    'http://10.0.0.1#@8.8.8.8@8.8.4.4/\r\n',
    'http://8.8.8.8/',
    'http://127.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://8.8.8.8\\@10.0.0.1/',
    'http://evil.com/.lab.internal',
    'http://evil.com?.lab.internal',
    'http://0/',
  ])('%s is refused [S0.49]', async (value) => {
    expect(await lab('url', value)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('RFC1918 or .lab.internal'),
    });
  });
});

describe('a domain', () => {
  test.each(['_dmarc.example.com', 'example.com.', 'bücher.example'])(
    '%s is judged as text and never looked up',
    async (value) => {
      expect(await vetTarget('domain', value, open, never)).toMatchObject({ ok: true, addresses: [] });
    },
  );

  test.each(['-x', '@8.8.8.8', '+trace', 'a b', '1.2.3.4', 'a;b', ''])('%j is refused', async (value) => {
    expect(await vetTarget('domain', value, open, never)).toMatchObject({ ok: false });
  });
});

test('a tool without a target takes none', async () => {
  expect(await lab('none', '')).toMatchObject({ ok: true });
  expect(await lab('none', '10.0.0.1')).toMatchObject({ ok: false });
});

test('the size limit is the policy’s own', async () => {
  const small = networkPolicy({ allow: ['rfc1918'], maxAddresses: 100 });
  expect(small.ok && (await vetTarget('cidr', '10.0.0.0/24', small.policy, never))).toMatchObject({
    hint: 'Use /26 or smaller',
    data: { suggested_cidr: '10.0.0.0/26' },
  });
});
