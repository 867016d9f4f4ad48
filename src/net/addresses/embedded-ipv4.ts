import { addressOf, toMapped, type Address } from './addresses.js';
import { cidr, contains, overlaps, type Cidr } from './cidrs.js';

/** Extracts embedded addresses from 16 bytes. */
type Unwrap = (bytes: Uint8Array) => readonly ArrayLike<number>[];

/** The four bytes at an offset. */
const bytesAt =
  (start: number): Unwrap =>
  (bytes) => [bytes.subarray(start, start + 4)];

// RFC 6052 skips byte 8, so prefixes of /48, /56, /64 and /96 each place the embedded IPv4 address differently.
const anyNat64Length: Unwrap = (bytes) => [
  bytes.subarray(12),
  [6, 7, 9, 10].map((index) => bytes[index] ?? 0),
  [7, 9, 10, 11].map((index) => bytes[index] ?? 0),
  bytes.subarray(9, 13),
];

/** Teredo embeds the server, and the client with all bits inverted (RFC 4380). */
const teredo: Unwrap = (bytes) => [bytes.subarray(4, 8), bytes.subarray(12).map((byte) => byte ^ 0xff)];

// :: and ::1 are in the IPv4-compatible block but do not embed 0.0.0.0 and 0.0.0.1.
const compatible: Unwrap = (bytes) =>
  bytes.subarray(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) < 2 ? [] : [bytes.subarray(12)];

/** Prefixes of transition mechanisms with the place of the IPv4 address. */
const wrappers: readonly (readonly [Cidr, Unwrap])[] = [
  [cidr('::/96'), compatible],
  [cidr('::ffff:0:0:0/96'), bytesAt(12)], // IPv4-translated (SIIT)
  [cidr('64:ff9b::/96'), bytesAt(12)], // NAT64
  [cidr('64:ff9b:1::/48'), anyNat64Length], // NAT64 for local use
  [cidr('2002::/16'), bytesAt(2)], // 6to4
  [cidr('2001::/32'), teredo],
];

/** IPv4 addresses that a packet to this IPv6 address may reach through a tunnel or NAT64; each must be allowed too (SSRF bypass). */
export function embeddedIpv4(address: Address): readonly Address[] {
  if (address.family === 4) return [];
  const unwraps = wrappers.filter(([network]) => contains(network, address)).map(([, unwrap]) => unwrap);
  if (isIsatap(address.bytes)) unwraps.push(bytesAt(12));
  return unwraps.flatMap((unwrap) => unwrap(address.bytes)).map((four) => addressOf(toMapped(four)));
}

/** Whether a network contains addresses with embedded IPv4, so that checking its bounds is not enough. */
export function mayEmbedIpv4(network: Cidr): boolean {
  const isV4 = network.base.family === 4 && network.bits >= 96;
  return !isV4 && (wrappers.some(([wrapper]) => overlaps(wrapper, network)) || isIsatap(network.base.bytes));
}

/** ISATAP marks its interface identifiers with 00-00-5E-FE (RFC 5214). */
function isIsatap(bytes: Uint8Array): boolean {
  return ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}
