/** An IP address in 16-byte form; IPv4 is stored as IPv4-mapped IPv6, so both notations of an address are equal. */
export interface Address {
  readonly bytes: Uint8Array;
  readonly family: 4 | 6;
  /** Canonical notation: dotted decimal, or RFC 5952. */
  readonly text: string;
}

/** A decimal part without leading zeros, which some parsers read as octal. */
const octet = /^(?:0|[1-9][0-9]{0,2})$/;
const hextet = /^[0-9a-f]{1,4}$/i;
/** Longest literal: IPv6 with an embedded IPv4 address. */
const longestLiteral = 45;

/** Parses a strict literal: four plain decimal parts, or RFC 4291 IPv6 without zone or brackets; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > longestLiteral) return undefined;
  const four = v4Bytes(text);
  if (four) return addressOf(toMapped(four));
  const six = v6Bytes(text);
  return six && addressOf(six);
}

/** Builds an address from its 16 bytes. */
export function addressOf(bytes: Uint8Array): Address {
  const family = isMapped(bytes) ? 4 : 6;
  return { bytes, family, text: family === 4 ? bytes.subarray(12).join('.') : v6Text(bytes) };
}

/** Converts four IPv4 bytes to the 16-byte form. */
export function toMapped(four: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(16);
  bytes.fill(0xff, 10, 12);
  bytes.set(four, 12);
  return bytes;
}

/** Whether the bytes are an IPv4-mapped address. */
function isMapped(bytes: Uint8Array): boolean {
  return bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0);
}

// Rejects octal (0177.0.0.1), hexadecimal and short forms (127.1): programs disagree on which host they mean (parser differential).
function v4Bytes(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => octet.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** Bytes of an IPv6 literal; `::` stands for at least one group. */
function v6Bytes(text: string): Uint8Array | undefined {
  const halves = withHexTail(text)?.split('::');
  if (!halves || halves.length > 2) return undefined;
  const [head, tail] = [hextets(halves[0]), hextets(halves[1])];
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const bytes = new Uint8Array(16);
  [...head, ...Array<number>(missing).fill(0), ...tail].forEach((value, index) => {
    bytes[index * 2] = value >> 8;
    bytes[index * 2 + 1] = value & 0xff;
  });
  return bytes;
}

/** Replaces an IPv4 tail by two hexadecimal groups. */
function withHexTail(text: string): string | undefined {
  if (!text.includes('.')) return text;
  const cut = text.lastIndexOf(':') + 1;
  const four = v4Bytes(text.slice(cut));
  if (!four || cut === 0) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = four;
  return `${text.slice(0, cut)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** Groups of one half; an empty half has none. */
function hextets(half: string | undefined): number[] | undefined {
  if (!half) return [];
  const groups = half.split(':');
  return groups.every((group) => hextet.test(group)) ? groups.map((group) => parseInt(group, 16)) : undefined;
}

/** RFC 5952: lower case, no leading zeros, the longest run of zeros as `::`. */
function v6Text(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0));
  const run = longestZeroRun(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (run.length < 2) return hex(groups);
  return `${hex(groups.slice(0, run.start))}::${hex(groups.slice(run.start + run.length))}`;
}

/** The first longest run of zero groups. */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  groups.forEach((group, index) => {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  });
  return best;
}
