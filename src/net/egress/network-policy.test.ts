import { describe, expect, test } from 'vitest';
import { parseAddress } from '../addresses/addresses.js';
import { parseCidr } from '../addresses/cidrs.js';
import { labPolicy, networkPolicy, type NetworkPolicy, type PolicyRules } from './network-policy.js';

const policy = (rules: PolicyRules): NetworkPolicy => {
  const made = networkPolicy(rules);
  if (!made.ok) throw new Error(made.problems.join('; '));
  return made.policy;
};
const isAllowed = (rules: NetworkPolicy, text: string) => rules.address(parseAddress(text)!).ok;
const open = policy({ allow: ['public'] });
const everything = policy({ allow: ['public', 'rfc1918', 'loopback'] });

describe('the policy of command tools', () => {
  test.each([
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.0.1',
    '::ffff:192.168.0.1',
    'fd12:3456::1',
    'fc00::1',
  ])('takes the private address %s [S0.34]', (text) => {
    expect(isAllowed(labPolicy, text)).toBe(true);
  });

  test.each([
    '8.8.8.8',
    '127.0.0.1',
    '169.254.169.254',
    '169.254.1.1',
    '0.0.0.0',
    '192.0.2.1',
    '198.18.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '224.0.0.1',
    '100.64.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '11.0.0.0',
    '9.255.255.255',
    '192.0.0.192',
    '100.100.100.200',
    '::',
    '::1',
    'fe80::1',
    'ff02::1',
    'fec0::1',
    '2001:db8::1',
    '2606:4700::1',
    'fd00:ec2::254',
    '::10.0.0.1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::10.0.0.1',
    '2002:a00:1::',
    '2002:7f00:1::',
    '2001:0:a00:1::f5ff:fffe',
  ])('refuses %s and names what it allows [S0.34]', (text) => {
    expect(labPolicy.address(parseAddress(text)!)).toMatchObject({
      ok: false,
      policy: 'rfc1918',
      reason: expect.stringContaining('RFC1918 or .lab.internal'),
    });
  });

  test('describes the address in one sentence', () => {
    expect(labPolicy.address(parseAddress('8.8.8.8')!)).toMatchObject({
      reason: "8.8.8.8 is public; this tool's policy rfc1918 allows RFC1918 or .lab.internal",
    });
    expect(labPolicy.address(parseAddress('169.254.169.254')!)).toMatchObject({
      reason: expect.stringContaining('169.254.169.254 is a cloud metadata address'),
    });
  });
});

describe('places that are never reached by accident', () => {
  const never = [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:42::42',
    'fe80::a9fe:a9fe',
    '169.254.0.1',
    'fe80::1',
    '0.0.0.0',
    '0.1.2.3',
    '::',
    '224.0.0.251',
    '239.255.255.255',
    'ff02::fb',
    '255.255.255.255',
    '240.0.0.1',
    '192.0.0.1',
    '192.88.99.1',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '2001:db8::1',
    '3fff::1',
    '198.18.0.1',
    '198.19.255.255',
    '2001:2::1',
    '100.64.0.1',
    '100.127.255.255',
    'fec0::1',
    '100::1',
    '5f00::1',
    '4000::1',
    '2001:10::1',
    '2001:20::1',
    '::ffff:0:8.8.8.8',
    '64:ff9b:1::808:808',
  ];

  test.each(never)('%s is refused by every named set together [S0.34]', (text) => {
    expect(isAllowed(everything, text)).toBe(false);
  });

  test.each(['169.254.169.254', 'fe80::1', '224.0.0.251', '0.0.0.0', '100.64.0.1'])(
    '%s passes once its network is named',
    (text) => {
      expect(isAllowed(policy({ allow: [{ cidrs: [text] }] }), text)).toBe(true);
    },
  );
});

describe('a network named in a hurry', () => {
  const wide = policy({ allow: [{ cidrs: ['0.0.0.0/0', '::/0', '10.0.0.0/8'] }] });

  test.each(['8.8.8.8', '10.0.0.1', '192.168.1.1', 'fd12::1', '2606:4700::1'])(
    'opens the ordinary place %s',
    (text) => {
      expect(isAllowed(wide, text)).toBe(true);
    },
  );

  test.each([
    '169.254.169.254',
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '224.0.0.1',
    '100.100.100.200',
    'fd00:ec2::254',
    'fe80::1',
    '100.64.0.1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
  ])('does not open %s', (text) => {
    expect(isAllowed(wide, text)).toBe(false);
  });

  test('opens what it is made for and not the metadata service within', () => {
    const links = policy({ allow: [{ cidrs: ['169.254.0.0/16', '100.64.0.0/10', 'fd00::/8'] }] });
    expect(
      ['169.254.1.1', '169.254.169.254', '100.64.0.1', '100.100.100.200', 'fd00::1', 'fd00:ec2::254'].map((text) =>
        isAllowed(links, text),
      ),
    ).toEqual([true, false, true, false, true, false]);
    expect(
      ['169.254.1.0/24', '169.254.169.0/24', 'fd00:ec2::/120'].map((text) => links.network(parseCidr(text)!).ok),
    ).toEqual([true, false, false]);
  });
});

describe('an address that carries another', () => {
  test.each([
    ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
    ['NAT64 of metadata', '64:ff9b::169.254.169.254'],
    ['NAT64 of private', '64:ff9b::10.0.0.1'],
    ['6to4 of loopback', '2002:7f00:1::1'],
    ['6to4 of metadata', '2002:a9fe:a9fe::'],
    ['6to4 of private', '2002:c0a8:101::1'],
    ['IPv4-compatible loopback', '::127.0.0.1'],
    ['IPv4-compatible public', '::8.8.8.8'],
    ['Teredo client', '2001:0:808:808::80ff:fffe'],
    ['Teredo server', '2001:0:a00:1::f7f7:f7f7'],
    ['ISATAP of private', '2606:4700::5efe:10.0.0.1'],
    ['ISATAP of metadata with the universal bit', '2606:4700::200:5efe:169.254.169.254'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped metadata in hexadecimal', '::ffff:a9fe:a9fe'],
  ])('%s is not public [CVE-2026-44430] [GHSA-56c3-vfp2-5qqj]', (_, text) => {
    expect(isAllowed(open, text)).toBe(false);
  });

  test.each([
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
    '::ffff:8.8.8.8',
    '2606:4700::5efe:8.8.8.8',
    '2606:4700:4700::1111',
  ])('%s is public through and through', (text) => {
    expect(isAllowed(open, text)).toBe(true);
  });

  test('naming the outer network does not admit what hides inside', () => {
    const nat64 = policy({ allow: [{ cidrs: ['64:ff9b:1::/48'] }] });
    expect(isAllowed(nat64, '64:ff9b:1::10.0.0.1')).toBe(false);
    for (const hidden of ['64:ff9b:1:a9fe:00a9:fe00::', '64:ff9b:1:00a9:fe:a9fe::', '64:ff9b:1:0:a9:fea9:fe00:0']) {
      expect(
        policy({ allow: [{ cidrs: ['64:ff9b:1::/48'] }, 'public', 'rfc1918'] }).address(parseAddress(hidden)!),
      ).toMatchObject({ ok: false });
    }
  });
});

describe('networks', () => {
  test.each(['10.0.0.0/24', '192.168.0.0/16', '172.16.0.0/12', 'fd12::/64', '10.0.0.1/32'])(
    '%s lies in RFC1918 whole [S0.34]',
    (text) => {
      expect(labPolicy.network(parseCidr(text)!).ok).toBe(true);
    },
  );

  test.each([
    '192.168.0.0/15',
    '172.16.0.0/11',
    '8.8.8.0/24',
    '0.0.0.0/0',
    '::/0',
    '127.0.0.0/8',
    '169.254.169.0/24',
    'fd00:ec2::/96',
    'fc00::/7',
    '2002:a00::/24',
    '64:ff9b::/96',
    '::/96',
    'fd00::5efe:a00:0/112',
    '::ffff:0:0:0/96',
  ])('%s is refused: not all of it is allowed', (text) => {
    expect(labPolicy.network(parseCidr(text)!)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('RFC1918 or .lab.internal'),
    });
  });

  test.each(['8.8.8.0/24', '2606:4700::/64'])('%s is public', (text) => {
    expect(open.network(parseCidr(text)!).ok).toBe(true);
  });

  test.each(['168.63.0.0/16', '192.0.0.0/8', '100.0.0.0/8', '2001::/16', '203.0.113.0/30'])(
    '%s is not public: it holds a place that is not',
    (text) => {
      expect(open.network(parseCidr(text)!).ok).toBe(false);
    },
  );

  test('a network touching the deny list is refused', () => {
    const guarded = policy({ allow: ['rfc1918'], deny: ['10.0.0.128/25'] });
    expect([
      guarded.network(parseCidr('10.0.0.0/24')!).ok,
      guarded.network(parseCidr('10.0.0.0/25')!).ok,
      isAllowed(guarded, '10.0.0.200'),
    ]).toEqual([false, true, false]);
  });
});

describe('sets in combination', () => {
  test('a set takes an address only for the names it takes itself, so a public name cannot lead inside', () => {
    const inside = parseAddress('10.0.0.1')!;
    const both = policy({ allow: ['public', 'rfc1918'] });
    expect(both.hostName('evil.example').ok).toBe(true);
    expect(both.address(inside, 'evil.example').ok).toBe(false);
    expect(both.address(inside, 'web.lab.internal').ok).toBe(true);
    expect(both.address(inside).ok).toBe(true);
  });

  test('loopback is opened by its name, and its sentence still names the rest', () => {
    const local = policy({ allow: ['rfc1918', 'loopback'] });
    expect([isAllowed(local, '127.0.0.1'), isAllowed(local, '::1'), local.hostName('localhost').ok]).toEqual([
      true,
      true,
      true,
    ]);
    expect(local.address(parseAddress('8.8.8.8')!)).toMatchObject({
      policy: 'rfc1918+loopback',
      reason: expect.stringContaining('RFC1918 or .lab.internal or loopback'),
    });
  });

  test('suffixes are configurable and never stand for themselves', () => {
    const corp = policy({ allow: ['rfc1918'], suffixes: ['corp.example'] });
    expect(
      ['a.corp.example', 'corp.example', 'acorp.example', 'a.lab.internal'].map((name) => corp.hostName(name).ok),
    ).toEqual([true, false, false, false]);
  });

  test('a listed host reaches ordinary addresses only, and opens no literal', () => {
    const listed = policy({ allow: [{ name: 'printers', hosts: ['printer.corp.example'] }] });
    const at = (text: string) => listed.address(parseAddress(text)!, 'printer.corp.example').ok;
    expect([
      at('10.1.1.1'),
      at('93.184.216.34'),
      at('127.0.0.1'),
      at('169.254.169.254'),
      isAllowed(listed, '10.1.1.1'),
    ]).toEqual([true, true, false, false, false]);
  });

  test('a denied name is refused even where every name is taken', () => {
    expect(policy({ allow: ['public'], deny: ['*.evil.example'] }).hostName('a.evil.example').ok).toBe(false);
  });

  test('every mistake in the rules is reported at once', () => {
    expect(
      networkPolicy({
        allow: [{ cidrs: ['10.0.0.0/99'], hosts: ['a b', '*'] }],
        suffixes: ['-x'],
        deny: ['%'],
        maxAddresses: 0,
      }),
    ).toMatchObject({ ok: false, problems: { length: 6 } });
  });

  test('nothing allowed is everything refused', () => {
    expect(isAllowed(policy({ allow: [] }), '10.0.0.1')).toBe(false);
  });
});
