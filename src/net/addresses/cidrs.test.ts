import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf } from './addresses.js';
import { cidrOf, contains, covers, overlaps, parseCidr } from './cidrs.js';

test.each([
  ['192.168.1.77/24', '192.168.1.0/24', 256n],
  ['10.1.2.3/8', '10.0.0.0/8', 1n << 24n],
  ['10.0.0.5', '10.0.0.5/32', 1n],
  ['10.0.0.5/32', '10.0.0.5/32', 1n],
  ['1.2.3.4/0', '0.0.0.0/0', 1n << 32n],
  ['fd00::1234/64', 'fd00::/64', 1n << 64n],
  ['::ffff:10.0.0.9/120', '10.0.0.0/24', 256n],
  ['::/0', '::/0', 1n << 128n],
])('%s is the network %s: host bits are allowed and cleared [S0.36]', (text, canonical, size) => {
  expect(parseCidr(text)).toMatchObject({ text: canonical, size });
});

test.each([
  '10.0.0.0/33',
  '10.0.0.0/',
  '/8',
  '10.0.0.0/08',
  '10.0.0.0/+8',
  '10.0.0.0/8 ',
  '10.0.0.0/8/8',
  '10.0.0.0/255.0.0.0',
  '10.0.0/8',
  '010.0.0.0/8',
  'fd00::/129',
  '10.0.0.0/-1',
  '10.0.0.0/1e1',
  'x/8',
])('%j is no network', (text) => {
  expect(parseCidr(text)).toBeUndefined();
});

const anyAddress = fc.uint8Array({ minLength: 16, maxLength: 16 }).map(addressOf);
const anyNetwork = fc
  .tuple(anyAddress, fc.integer({ min: 0, max: 128 }))
  .map(([address, bits]) => cidrOf(address, bits));

test('a canonical network survives being printed and read again', () => {
  const four = fc
    .tuple(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.nat(32))
    .map(([bytes, prefix]) => `${bytes.join('.')}/${prefix}`);
  const six = fc
    .tuple(anyAddress, fc.nat(128))
    .map(([address, bits]) => `${address.text}/${address.family === 4 ? bits % 33 : bits}`);
  fc.assert(
    fc.property(fc.oneof(four, six), (text) => {
      const once = parseCidr(text)!;
      expect(parseCidr(once.text)).toEqual(once);
    }),
  );
});

test('membership agrees with plain arithmetic on 128-bit numbers', () => {
  const asNumber = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  const near = anyNetwork.chain((network) =>
    fc.tuple(fc.constant(network), fc.oneof(anyAddress, flippedBit(network.base.bytes).map(addressOf))),
  );
  fc.assert(
    fc.property(near, ([network, address]) => {
      const shift = BigInt(128 - network.bits);
      expect(contains(network, address)).toBe(
        asNumber(network.base.bytes) >> shift === asNumber(address.bytes) >> shift,
      );
    }),
  );
});

test('networks overlap exactly when one covers the other', () => {
  const [wide, narrow, other] = ['10.0.0.0/8', '10.9.0.0/16', '11.0.0.0/8'].map((text) => parseCidr(text)!);
  expect([covers(wide!, narrow!), covers(narrow!, wide!), overlaps(narrow!, wide!), overlaps(wide!, other!)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

function flippedBit(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc.nat(127).map((bit) => bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (0x80 >> (bit & 7)) : byte)));
}
