import { secretsIn, type FoundSecret } from '../../hostile-text/secrets.js';

/** Kinds that are recognised by the words around them; their value may be anything, also a word. */
const isContextual = (kind: string): boolean =>
  /^(?:authorization-header|bearer-token|password-in-url|password-in-connection-string)$/.test(kind);
/** Kinds that are often public by design: sample tokens, and keys embedded in web pages. */
const isOftenPublic = (kind: string): boolean => kind === 'jwt' || kind === 'google-key';

/** What stands where a secret would: one character repeated, digits or letters in order, words, or a name in capitals. */
const filler =
  /(.)\1{5}|(?:0123|1234)56|abcdef(?!\d)|example|sample|dummy|fake|placeholder|your|changeme|redacted|insert|here$|^[A-Za-z]+(?:[-_. ][A-Za-z]+)*$/i;
/** A text that announces an example; documentation of interfaces shows one for every field. */
const announcesExample =
  /\b(?:for example|for instance|e\.g\.|eg\.|examples?|samples?|such as|looks? like|format(?:ted)?|placeholder)\b[^\n]{0,120}$/i;
/** Addresses to which programs of all users report crashes; the key in them only allows reports. */
const reportsOnly = /@[\w.-]*\bsentry\b|@[\w.-]*\bingest\./i;

/** The first known key format in a line, unless it is a placeholder; `isSure` if nothing suggests an example. */
export function secretInLine(line: string): { readonly kind: string; readonly isSure: boolean } | undefined {
  for (const found of secretsIn(line)) {
    if (isFiller(line, found)) continue;
    const before = line.slice(Math.max(0, found.start - 160), found.start);
    const isSure = !isOftenPublic(found.kind) && !announcesExample.test(before) && found.kind !== 'password-in-url';
    return { kind: found.kind, isSure };
  }
  return undefined;
}

function isFiller(line: string, { kind, start, end }: FoundSecret): boolean {
  const value = line.slice(start, end);
  if (kind === 'password-in-url' && reportsOnly.test(line.slice(end, end + 120))) return true;
  if (!isContextual(kind)) return /(.)\1{9}|(?:0123|1234)56789|example|placeholder|your[-_]/i.test(value);
  return filler.test(value);
}
