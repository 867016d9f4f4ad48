import { isIPv4, isIPv6 } from 'node:net';
import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { addressOf, toMapped, parseAddress } from './addresses.js';

describe('a strict address literal', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:0a00:0001', '10.0.0.1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('%s is read as %s', (text, canonical) => {
    expect(parseAddress(text)?.text).toBe(canonical);
  });

  test.each([
    '',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '10.0.0',
    '10.0.0.1.',
    '10.0.0.0.1',
    '010.0.0.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '10.0.0.256',
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '1.2.3.4/32',
    '+1.2.3.4',
    '1.2.3.-4',
    '1.2.3.4e0',
    '①.0.0.1',
    '１.2.3.4',
    '1.2.3.4\n',
    '1.2.3.4\0',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    '::1%lo',
    'fe80::1%25eth0',
    '[::1]',
    '::1.2.3',
    '::1.2.3.256',
    '::01.2.3.4',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '0x1::',
    '::-1',
    '1:2:3:4:5:6:7:1.2.3.4',
  ])('%j is no address', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test('any 16 bytes survive being printed and read again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const address = addressOf(bytes);
        expect(parseAddress(address.text)?.bytes).toEqual(bytes);
        const reference = ipaddr.fromByteArray([...bytes]);
        expect(address.text).toBe(address.family === 4 ? mappedText(bytes) : reference.toString());
      }),
    );
  });

  test('random spellings are addresses exactly when the system accepts them, with the bytes a slow parser finds', () => {
    const piece = fc.oneof(
      fc.integer({ min: 0, max: 300 }).map(String),
      fc.integer({ min: 0, max: 0x1ffff }).map((n) => n.toString(16)),
      fc.constantFrom('', '0', '00', '01', 'ffff', 'g', '0x1'),
    );
    const glue = fc.constantFrom('.', ':', '::', ':', '.');
    const spelling = fc
      .array(fc.tuple(piece, glue), { minLength: 1, maxLength: 9 })
      .map((parts) => parts.flat().join('').replace(/[.:]$/, ''));
    const four = fc
      .array(fc.integer({ min: 0, max: 260 }), { minLength: 4, maxLength: 4 })
      .map((parts) => parts.join('.'));
    const six = fc
      .array(
        fc.integer({ min: 0, max: 0xffff }).map((n) => n.toString(16)),
        { minLength: 1, maxLength: 8 },
      )
      .chain((groups) =>
        fc
          .nat(groups.length)
          .map((cut) =>
            groups.length === 8
              ? groups.join(':')
              : `${groups.slice(0, cut).join(':')}::${groups.slice(cut).join(':')}`,
          ),
      );
    fc.assert(
      fc.property(fc.oneof(spelling, four, six), (text) => {
        const address = parseAddress(text);
        expect(address !== undefined).toBe(isIPv4(text) || isIPv6(text));
        if (address) expect([...address.bytes]).toEqual(slowBytes(text));
      }),
      { numRuns: 3_000 },
    );
  });
});

function mappedText(bytes: Uint8Array): string {
  expect([...bytes.subarray(0, 12)]).toEqual([...toMapped([0, 0, 0, 0]).subarray(0, 12)]);
  return bytes.subarray(12).join('.');
}

function slowBytes(text: string): number[] {
  const parsed = ipaddr.parse(text);
  return (parsed.kind() === 'ipv4' ? (parsed as ipaddr.IPv4).toIPv4MappedAddress() : parsed).toByteArray();
}
