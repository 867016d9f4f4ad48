import { allSafe, anyPath, danger } from '../facts/facts.js';

/** Dangers ruled out for a string made only of characters that `allows` accepts. */
export function safeForCharset(allows: (char: string) => boolean): number {
  const none = (chars: string): boolean => ![...chars].some(allows);
  let safe = danger.deserialise | danger.template;
  // Characters that end a word or start an expansion in a shell.
  if (none(';&|$`<>\n"\'\\(')) safe |= danger.command;
  // Without a separator a string is a single path segment.
  if (none('/\\')) safe |= anyPath;
  if (none('\'"`;( =')) safe |= danger.sql;
  // Without letters no identifier, without brackets no call: only arithmetic remains.
  if (none('azAZ_[\'"`') || none('.([`\'"')) safe |= danger.code;
  // Without these characters a string cannot change host, port or credentials of a URL.
  if (none('/\\:@.#?%')) safe |= danger.url;
  if (none('*()\\\'"$[')) safe |= danger.query;
  if (none('./\\')) safe |= danger.module;
  if (none('-')) safe |= danger.argument;
  return safe;
}

/** Longer patterns are not understood; real allow-lists are short. */
const maxSource = 300;

/** Membership test of a character class. Only the class is compiled, never the whole pattern of the scanned code (ReDoS). */
function classTest(inner: string, flags: string): ((char: string) => boolean) | undefined {
  try {
    const one = new RegExp(`^[${inner}]$`, flags.includes('i') ? 'i' : '');
    return (char) => one.test(char);
  } catch {
    return undefined;
  }
}

const atom = /\\[dws]|\[(?:[^\]\\]|\\.)+\]|\\.|[\w@:#%,=~!\- /]|\(\?:|\(|\)|\||\./g;
const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;

/**
 * Dangers ruled out by a full match of a pattern; zero if the pattern is not anchored or not understood. Decided by the
 * union of all characters that any part of the pattern accepts.
 */
export function safeByMatch(pattern: string, flags: string, wholeByCall: boolean): number {
  // With `m` the anchors match at line breaks, so that a second line stays unchecked.
  if (pattern.length > maxSource || flags.includes('m')) return 0;
  let source = pattern.replace(/^\(\?[a-z]+\)/, '');
  const starts = source.startsWith('^') || source.startsWith('\\A');
  const ends = /(?:[^\\]|^)\$$|\\[zZ]$/.test(source);
  // An unanchored pattern matches somewhere: the rest of the string is unrestricted.
  if (!wholeByCall && !(starts && ends)) return 0;
  source = source.replace(/^(?:\^|\\A)/, '').replace(/(?:\$|\\[zZ])$/, '');
  const tests: ((char: string) => boolean)[] = [];
  let first: boolean | undefined;
  for (let at = 0; at < source.length;) {
    atom.lastIndex = at;
    const match = atom.exec(source);
    // Unknown syntax proves nothing (fail closed).
    if (!match || match.index !== at) return 0;
    const [text] = match;
    at += text.length;
    const repeat = quantifier.exec(source.slice(at));
    if (repeat) at += repeat[0].length;
    if (text === '(' || text === '(?:' || text === ')' || text === '|') continue;
    // Back-references and word boundaries are not modelled.
    if (/^\\[1-9bB]/.test(text)) return 0;
    if (text === '.') return 0;
    const inner = text.startsWith('[') ? text.slice(1, -1) : text.startsWith('\\') ? text : text === '-' ? '\\-' : text;
    const one = classTest(inner, flags);
    if (!one) return 0;
    // An optional first atom leaves the next one in first position.
    if (first !== true) first = one('-') || (first ?? false);
    if (first === false && repeat && /^[*?]|^\{0/.test(repeat[0])) first = undefined;
    // A fixed separator, such as the dot of an extension, occurs exactly once.
    if (!repeat && !text.startsWith('[') && !/^\\[dws]$/.test(text) && !source.includes('(')) continue;
    tests.push(one);
  }
  // Only fixed characters: the string equals a constant of the code.
  if (tests.length === 0) return allSafe;
  return (
    safeForCharset((char) => tests.some((test) => test(char))) |
    (first === false && !source.includes('|') ? danger.argument : 0)
  );
}

/** Dangers ruled out by removal. Removing a sequence once can create it anew: `....//` without `../` is `../`. */
export const safeByRemoval = (pattern: string, flags: string): number =>
  safeByRejection(pattern, flags) & (createsParentSegment.test(pattern) ? ~danger.pathUp : -1);

const createsParentSegment = /^\(?(?:\\\.){2}(?:\\?[/\\]|\[[^\]]*[/\\][^\]]*\])/;

/** Dangers ruled out once every character of a class was removed or rejected; the class may be negated (`[^a-z]`). */
export function safeByRejection(pattern: string, flags: string): number {
  const body = /^\(?\[(\^?)((?:[^\]\\]|\\.)+)\]\)?[+*]?$/.exec(pattern);
  if (!body) return pattern.includes('\\.\\.') || pattern === '\\.{2,}' ? danger.pathUp : 0;
  const test = classTest(body[2] ?? '', flags);
  if (!test) return 0;
  const removed = body[1] === '^' ? (char: string) => !test(char) : test;
  return (
    safeForCharset((char) => !removed(char)) |
    (["'", ';', '&', '|', '`', '$'].filter((char) => char !== "'").every(removed) ? danger.command : 0)
  );
}
