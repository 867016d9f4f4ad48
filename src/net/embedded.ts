import { addressOf, mapped, type Address } from './addresses.js';
import { cidr, contains, overlaps, type Cidr } from './cidrs.js';

type Unwrap = (bytes: Uint8Array) => readonly ArrayLike<number>[];

const at =
  (start: number): Unwrap =>
  (bytes) => [bytes.subarray(start, start + 4)];

// RFC 6052 leaves byte 8 out of the middle of the address it embeds, so a /48, a /56 and a /64 each hide it elsewhere.
const anyNat64Length: Unwrap = (bytes) => [
  bytes.subarray(12),
  [6, 7, 9, 10].map((index) => bytes[index] ?? 0),
  [7, 9, 10, 11].map((index) => bytes[index] ?? 0),
  bytes.subarray(9, 13),
];

const teredo: Unwrap = (bytes) => [bytes.subarray(4, 8), bytes.subarray(12).map((byte) => byte ^ 0xff)];

// :: and ::1 lie in the IPv4-compatible block but are themselves, not 0.0.0.0 and 0.0.0.1.
const compatible: Unwrap = (bytes) =>
  bytes.subarray(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) < 2 ? [] : [bytes.subarray(12)];

const wrappers: readonly (readonly [Cidr, Unwrap])[] = [
  [cidr('::/96'), compatible],
  [cidr('::ffff:0:0:0/96'), at(12)], // IPv4-translated (SIIT)
  [cidr('64:ff9b::/96'), at(12)], // NAT64
  [cidr('64:ff9b:1::/48'), anyNat64Length], // NAT64 for local use
  [cidr('2002::/16'), at(2)], // 6to4
  [cidr('2001::/32'), teredo],
];

/** The IPv4 addresses a packet sent to this IPv6 address may end at: each must be allowed as well as the address itself. */
export function embeddedIn(address: Address): readonly Address[] {
  if (address.family === 4) return [];
  const unwraps = wrappers.filter(([network]) => contains(network, address)).map(([, unwrap]) => unwrap);
  if (isIsatap(address.bytes)) unwraps.push(at(12));
  return unwraps.flatMap((unwrap) => unwrap(address.bytes)).map((four) => addressOf(mapped(four)));
}

/** Whether a network holds addresses that carry others inside, so that looking at its edges says nothing. */
export function mayEmbed(network: Cidr): boolean {
  const isV4 = network.base.family === 4 && network.bits >= 96;
  return !isV4 && (wrappers.some(([wrapper]) => overlaps(wrapper, network)) || isIsatap(network.base.bytes));
}

function isIsatap(bytes: Uint8Array): boolean {
  return ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
