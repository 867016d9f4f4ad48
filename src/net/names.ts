import { domainToASCII } from 'node:url';

/** A name in the one form we compare and look up (lower case, ASCII, no trailing dot), or why it is none. */
export type NameReading =
  { readonly ok: true; readonly name: string } | { readonly ok: false; readonly reason: string };

const longestName = 253;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const serviceLabel = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const endsInNumber = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/** Reads a host name; with `underscores`, labels such as `_dmarc` pass too. */
export function readName(text: string, { underscores = false } = {}): NameReading {
  const no = (reason: string): NameReading => ({ ok: false, reason });
  if (text.length === 0) return no('the name is empty');
  if (text.length > longestName * 4) return no(`the name is longer than ${longestName} characters`);
  // domainToASCII decodes percent signs and stops at a slash, so "a%2eb" or "good/x" would become another name on the way.
  if (/[^A-Za-z0-9._\-\u0080-\u{10ffff}]/u.test(text)) return no('the name holds a character no host name has');
  const name = domainToASCII(text).toLowerCase().replace(/\.$/, '');
  if (name === '') return no('the name is not a valid host name');
  if (name.length > longestName) return no(`the name is longer than ${longestName} characters`);
  // "127.1", "0x7f.1", "2130706433" and "①②⑦.⓪.⓪.①" look like names and are looked up as 127.0.0.1.
  if (endsInNumber.test(name))
    return no('it is an address in a disguised form; write IPv4 as four plain decimal numbers');
  const rule = underscores ? serviceLabel : label;
  const bad = name.split('.').find((part) => !rule.test(part));
  if (bad === undefined) return { ok: true, name };
  return no('each part of a name must be 1 to 63 letters, digits or inner hyphens');
}

/** Which names a list entry stands for: one name, or every name below a suffix. */
export interface NamePattern {
  readonly text: string;
  readonly name: string;
  readonly below: boolean;
}

/** Reads `host`, `*.suffix` or `.suffix`; undefined when it is neither. */
export function namePattern(text: string): NamePattern | undefined {
  const below = text.startsWith('*.') || text.startsWith('.');
  const reading = readName(below ? text.slice(text.indexOf('.') + 1) : text, { underscores: true });
  return reading.ok ? { text: below ? `.${reading.name}` : reading.name, name: reading.name, below } : undefined;
}

/** Whether a name already read by `readName` is one the pattern stands for; a suffix never stands for itself. */
export function matchesName(pattern: NamePattern, name: string): boolean {
  return pattern.below ? name.endsWith(`.${pattern.name}`) : name === pattern.name;
}
