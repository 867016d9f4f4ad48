import { domainToASCII } from 'node:url';

/** A host name in canonical form (lower case, ASCII, no trailing dot), or the reason why it is not valid. */
type ParsedName = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly reason: string };

const longestName = 253;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const serviceLabel = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const endsInNumber = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/** Parses a host name; with `underscores`, also labels such as `_dmarc`. */
export function parseName(text: string, { underscores = false } = {}): ParsedName {
  const reject = (reason: string): ParsedName => ({ ok: false, reason });
  if (text.length === 0) return reject('the name is empty');
  if (text.length > longestName * 4) return reject(`the name is longer than ${longestName} characters`);
  // domainToASCII decodes percent signs and stops at a slash, so "a%2eb" or "good/x" would turn into a different name.
  if (/[^A-Za-z0-9._\-\u0080-\u{10ffff}]/u.test(text))
    return reject('the name contains a character that is not allowed in host names');
  const name = domainToASCII(text).toLowerCase().replace(/\.$/, '');
  if (name === '') return reject('the name is not a valid host name');
  if (name.length > longestName) return reject(`the name is longer than ${longestName} characters`);
  // "127.1", "0x7f.1", "2130706433" and "①②⑦.⓪.⓪.①" look like names and resolve to 127.0.0.1 (SSRF bypass).
  if (endsInNumber.test(name))
    return reject('it is an obfuscated IP address; write IPv4 as four plain decimal numbers');
  const rule = underscores ? serviceLabel : label;
  const bad = name.split('.').find((part) => !rule.test(part));
  if (bad === undefined) return { ok: true, name };
  return reject('each part of a name must be 1 to 63 letters, digits or inner hyphens');
}

/** Allow-list entry: one name, or all names below a suffix. */
export interface NamePattern {
  readonly text: string;
  readonly name: string;
  readonly below: boolean;
}

/** Parses `host`, `*.suffix` or `.suffix`; undefined if it is none of them. */
export function parseNamePattern(text: string): NamePattern | undefined {
  const below = text.startsWith('*.') || text.startsWith('.');
  const parsed = parseName(below ? text.slice(text.indexOf('.') + 1) : text, { underscores: true });
  return parsed.ok ? { text: below ? `.${parsed.name}` : parsed.name, name: parsed.name, below } : undefined;
}

/** Whether a canonical name matches the pattern; a suffix pattern does not match the suffix itself. */
export function matchesName(pattern: NamePattern, name: string): boolean {
  return pattern.below ? name.endsWith(`.${pattern.name}`) : name === pattern.name;
}
