import { addressOf, parseAddress, type Address } from './addresses.js';

/** A network in canonical form: host bits cleared, prefix length counted over the 16-byte form. */
export interface Cidr {
  readonly base: Address;
  readonly bits: number;
  readonly size: bigint;
  /** Canonical notation, such as `10.0.0.0/24`. */
  readonly text: string;
}

const plainPrefix = /^(?:0|[1-9][0-9]{0,2})$/;

/** Parses `address/prefix`, host bits allowed, or a single address; undefined for anything else. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const literal = slash < 0 ? text : text.slice(0, slash);
  const address = parseAddress(literal);
  if (!address) return undefined;
  if (slash < 0) return cidrOf(address, 128);
  const prefix = text.slice(slash + 1);
  if (!plainPrefix.test(prefix)) return undefined;
  // `::ffff:10.0.0.0/104` and `10.0.0.0/8` are the same network; the notation decides how the prefix is counted.
  const bits = literal.includes(':') ? Number(prefix) : Number(prefix) + 96;
  return bits > 128 ? undefined : cidrOf(address, bits);
}

/** Parses a network constant in code; throws on a typo. */
export function cidr(text: string): Cidr {
  const network = parseCidr(text);
  if (!network) throw new Error(`${text} is not a network`);
  return network;
}

/** The network of this prefix length that contains the address. */
export function cidrOf(address: Address, bits: number): Cidr {
  const bytes = address.bytes.map((byte, index) => byte & maskAt(bits, index));
  const base = addressOf(bytes);
  const prefix = base.family === 4 && bits >= 96 ? bits - 96 : bits;
  return { base, bits, size: 1n << BigInt(128 - bits), text: `${base.text}/${prefix}` };
}

/** Whether the address lies in the network. */
export function contains(network: Cidr, address: Address): boolean {
  const whole = network.bits >> 3;
  for (let index = 0; index < whole; index += 1) if (network.base.bytes[index] !== address.bytes[index]) return false;
  if (whole === 16) return true;
  const mask = maskAt(network.bits, whole);
  return ((network.base.bytes[whole] ?? 0) & mask) === ((address.bytes[whole] ?? 0) & mask);
}

/** Whether every address of `inner` lies in `outer`. */
export function covers(outer: Cidr, inner: Cidr): boolean {
  return outer.bits <= inner.bits && contains(outer, inner.base);
}

/** Whether the two networks share an address. */
export function overlaps(one: Cidr, other: Cidr): boolean {
  return covers(one, other) || covers(other, one);
}

function maskAt(bits: number, index: number): number {
  const here = Math.min(8, Math.max(0, bits - index * 8));
  return (0xff << (8 - here)) & 0xff;
}
