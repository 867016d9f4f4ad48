import { danger, known } from './facts.js';

const plainClass = /^\(?\[((?:[^\]\\]|\\.)+)\]\)?\+?$/;
const oneChar = /^\\?(.)$/;

/** Whether a pattern finds each of these characters wherever it stands. */
function finds(pattern: string, char: string): boolean {
  const single = oneChar.exec(pattern);
  if (single) return single[1] === char;
  const inner = plainClass.exec(pattern)?.[1];
  if (inner === undefined || inner.startsWith('^')) return false;
  return inner.replace(/\\(.)/g, '$1').includes(char);
}

/** Marks that can no longer end a quoted text once every match of a pattern was replaced so; `before` is what was known already. */
export function quotedBy(pattern: string, replacement: string | undefined, before: number): number {
  if (replacement === undefined || pattern.length > 60) return 0;
  const isGone = replacement === '';
  const isEscaped = /^\\+(?:\$[&1]|["'`$\\])$|^\\\\?\\[1g]/.test(replacement);
  let safe = finds(pattern, '\\') && (isGone || isEscaped) ? known.backslash : 0;
  // A backslash before the mark would take the escaping one for itself.
  const escapes = isEscaped && ((before | safe) & known.backslash) !== 0;
  if (finds(pattern, "'") && (isGone || replacement === "''" || /^'(?:\\'|"'")'$/.test(replacement)))
    safe |= known.single;
  if (finds(pattern, '"') && (isGone || replacement === '""' || escapes)) safe |= known.double;
  if (finds(pattern, '`') && (isGone || replacement === '``' || escapes)) safe |= known.backtick;
  if (finds(pattern, '$') && finds(pattern, '`') && (isGone || escapes)) safe |= known.dollar;
  return safe;
}

const isOpen = (text: string, mark: string): boolean => text.endsWith(mark) && text.split(mark).length % 2 === 0;

/** The dangers that are gone because a text stands behind an opening mark that it cannot close. */
export function safeBehind(text: string, safe: number): number {
  const has = (bits: number): boolean => (safe & bits) === bits;
  if (isOpen(text, "'") && has(known.single)) return danger.sql | danger.command;
  if (isOpen(text, '"') && has(known.double))
    return danger.sql | danger.code | (has(known.dollar) ? danger.command : 0);
  if (isOpen(text, '`') && has(known.backtick)) return danger.sql;
  return 0;
}
