import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TrustedProxies } from './forwarded.js';
import { trustedProxies } from './forwarded.js';

const of = (entries: readonly string[]): TrustedProxies => {
  const made = trustedProxies(entries);
  if ('problem' in made) throw new Error(made.problem);
  return made;
};
const proxies = of(['10.0.0.0/8', '127.0.0.1', '2001:db8::/32']);
const xff = (value: string) => ({ 'x-forwarded-for': value });

test.each([
  ['a direct client', '203.0.113.9', {}, '203.0.113.9'],
  ['a direct client that claims another address', '203.0.113.9', xff('1.2.3.4'), '203.0.113.9'],
  ['a client behind a proxy', '10.0.0.1', xff('198.51.100.7'), '198.51.100.7'],
  ['a forged entry left of the real one', '10.0.0.1', xff('1.2.3.4, 198.51.100.7'), '198.51.100.7'],
  ['two proxies', '10.0.0.1', xff('198.51.100.7, 10.9.9.9'), '198.51.100.7'],
  ['a forged proxy left of the client', '10.0.0.1', xff('1.2.3.4, 10.0.0.2, 198.51.100.7'), '198.51.100.7'],
  ['only proxies', '10.0.0.1', xff('10.0.0.3, 10.0.0.2'), '10.0.0.3'],
  ['no header', '10.0.0.1', {}, '10.0.0.1'],
  ['an empty header', '10.0.0.1', xff(''), '10.0.0.1'],
  ['an unreadable entry', '10.0.0.1', xff('1.2.3.4, unknown'), '10.0.0.1'],
  ['octal digits', '10.0.0.1', xff('010.1.1.1'), '10.0.0.1'],
  ['markup', '10.0.0.1', xff('<script>'), '10.0.0.1'],
  ['a port', '10.0.0.1', xff('198.51.100.7:4711'), '198.51.100.7'],
  ['IPv6 in brackets with a port', '10.0.0.1', xff('[2001:DB9::1]:80'), '2001:db9::1'],
  ['a mapped address', '::ffff:10.0.0.1', xff('::ffff:198.51.100.7'), '198.51.100.7'],
  ['an IPv6 proxy', '2001:db8::1', xff('198.51.100.7'), '198.51.100.7'],
  ['Forwarded', '10.0.0.1', { forwarded: 'for=1.2.3.4, for=198.51.100.7;proto=https' }, '198.51.100.7'],
  ['Forwarded, quoted', '10.0.0.1', { forwarded: 'proto=https; FOR="[2001:db9::1]:4711"' }, '2001:db9::1'],
  ['Forwarded, hidden', '10.0.0.1', { forwarded: 'for=1.2.3.4, for=_hidden' }, '10.0.0.1'],
  ['both headers that agree', '10.0.0.1', { ...xff('198.51.100.7'), forwarded: 'for=198.51.100.7' }, '198.51.100.7'],
  [
    'both headers that differ: one is forged',
    '10.0.0.1',
    { ...xff('198.51.100.7'), forwarded: 'for=9.9.9.9' },
    '10.0.0.1',
  ],
  ['a Unix socket', undefined, xff('1.2.3.4'), 'local'],
])('%s is resolved', (_what, remote, headers, expected) => {
  expect(proxies.clientOf(remote, headers)).toBe(expected);
});

test('a client cannot choose its address, whatever it writes into the header', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (forged) => {
      expect(proxies.clientOf('10.0.0.1', xff(`${forged},198.51.100.7`))).toBe('198.51.100.7');
      expect(proxies.clientOf('203.0.113.9', { ...xff(forged), forwarded: forged })).toBe('203.0.113.9');
    }),
  );
});

test('a hostile header is followed for a bounded number of hops', () => {
  expect(proxies.clientOf('10.0.0.1', xff(`198.51.100.7,${'10.0.0.2,'.repeat(3_600)}10.0.0.3`))).toBe('10.0.0.2');
  expect(proxies.clientOf('10.0.0.1', { forwarded: `for=${' '.repeat(30_000)}x` })).toBe('10.0.0.1');
  expect(proxies.clientOf('10.0.0.1', { forwarded: ';'.repeat(30_000) })).toBe('10.0.0.1');
});

test('addresses that one client can choose from share a limit', () => {
  expect(proxies.groupOf('2001:db9::1')).toBe(proxies.groupOf('2001:db9::ffff:1'));
  expect(proxies.groupOf('2001:db9:0:1::1')).not.toBe(proxies.groupOf('2001:db9::1'));
  expect(proxies.groupOf('::ffff:1.2.3.4')).toBe('1.2.3.4');
});

test('an entry that is no network is reported', () => {
  expect(trustedProxies(['10.0.0.0/8', 'proxy.internal'])).toEqual({
    problem: '"proxy.internal" is neither an address nor a CIDR',
  });
});
