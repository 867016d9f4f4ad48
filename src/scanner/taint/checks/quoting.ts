import { danger, proofBit } from '../facts/facts.js';

const plainClass = /^\(?\[((?:[^\]\\]|\\.)+)\]\)?\+?$/;
const oneChar = /^\\?(.)$/;

/** Whether a pattern matches every occurrence of a character. */
function matchesChar(pattern: string, char: string): boolean {
  const single = oneChar.exec(pattern);
  if (single) return single[1] === char;
  const inner = plainClass.exec(pattern)?.[1];
  if (inner === undefined || inner.startsWith('^')) return false;
  return inner.replace(/\\(.)/g, '$1').includes(char);
}

/** Quote characters neutralised by a global replace; `before` holds the bits already proved. */
export function safeQuotes(pattern: string, replacement: string | undefined, before: number): number {
  if (replacement === undefined || pattern.length > 60) return 0;
  const isGone = replacement === '';
  const isEscaped = /^\\+(?:\$[&1]|["'`$\\])$|^\\\\?\\[1g]/.test(replacement);
  let safe = matchesChar(pattern, '\\') && (isGone || isEscaped) ? proofBit.backslash : 0;
  // An unescaped backslash before the quote would cancel the escaping one.
  const escapes = isEscaped && ((before | safe) & proofBit.backslash) !== 0;
  if (matchesChar(pattern, "'") && (isGone || replacement === "''" || /^'(?:\\'|"'")'$/.test(replacement)))
    safe |= proofBit.single;
  if (matchesChar(pattern, '"') && (isGone || replacement === '""' || escapes)) safe |= proofBit.double;
  if (matchesChar(pattern, '`') && (isGone || replacement === '``' || escapes)) safe |= proofBit.backtick;
  if (matchesChar(pattern, '$') && matchesChar(pattern, '`') && (isGone || escapes)) safe |= proofBit.dollar;
  return safe;
}

const isOpen = (text: string, mark: string): boolean => text.endsWith(mark) && text.split(mark).length % 2 === 0;

/** Dangers ruled out because the string follows an opening quote it cannot close. */
export function safeInsideQuotes(text: string, safe: number): number {
  const has = (bits: number): boolean => (safe & bits) === bits;
  if (isOpen(text, "'") && has(proofBit.single)) return danger.sql | danger.command;
  if (isOpen(text, '"') && has(proofBit.double))
    return danger.sql | danger.code | (has(proofBit.dollar) ? danger.command : 0);
  if (isOpen(text, '`') && has(proofBit.backtick)) return danger.sql;
  return 0;
}
