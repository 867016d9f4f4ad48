import { all, anyPath, danger } from './facts.js';

/** What text can do that is made only of characters for which `allows` answers true. */
export function safeFrom(allows: (char: string) => boolean): number {
  const none = (chars: string): boolean => ![...chars].some(allows);
  let safe = danger.deserialise | danger.template;
  if (none(';&|$`<>\n"\'\\(')) safe |= danger.command;
  if (none('/\\')) safe |= anyPath;
  if (none('\'"`;( =')) safe |= danger.sql;
  // Digits and operators compute; without a letter nothing can be named, without brackets nothing can be called.
  if (none('azAZ_[\'"`') || none('.([`\'"')) safe |= danger.code;
  if (none('/\\:@.#?%')) safe |= danger.url;
  if (none('*()\\\'"$[')) safe |= danger.query;
  if (none('./\\')) safe |= danger.module;
  if (none('-')) safe |= danger.argument;
  return safe;
}

const maxSource = 300;

/** A character class read without running the pattern: what stands between `[` and `]`. */
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
 * The dangers that a text is free of once it matched the whole of a pattern; nought where the pattern is not anchored or
 * cannot be read. The union of all characters that any part accepts is what counts.
 */
export function vouchedByMatch(pattern: string, flags: string, wholeByCall: boolean): number {
  if (pattern.length > maxSource || flags.includes('m')) return 0;
  let source = pattern.replace(/^\(\?[a-z]+\)/, '');
  const starts = source.startsWith('^') || source.startsWith('\\A');
  const ends = /(?:[^\\]|^)\$$|\\[zZ]$/.test(source);
  if (!wholeByCall && !(starts && ends)) return 0;
  source = source.replace(/^(?:\^|\\A)/, '').replace(/(?:\$|\\[zZ])$/, '');
  const tests: ((char: string) => boolean)[] = [];
  let first: boolean | undefined;
  for (let at = 0; at < source.length;) {
    atom.lastIndex = at;
    const match = atom.exec(source);
    if (!match || match.index !== at) return 0;
    const [text] = match;
    at += text.length;
    const repeat = quantifier.exec(source.slice(at));
    if (repeat) at += repeat[0].length;
    if (text === '(' || text === '(?:' || text === ')' || text === '|') continue;
    // An inner look-ahead or back-reference may say anything.
    if (/^\\[1-9bB]/.test(text)) return 0;
    if (text === '.') return 0;
    const inner = text.startsWith('[') ? text.slice(1, -1) : text.startsWith('\\') ? text : text === '-' ? '\\-' : text;
    const one = classTest(inner, flags);
    if (!one) return 0;
    // An optional front leaves the next part in its place.
    if (first !== true) first = one('-') || (first ?? false);
    if (first === false && repeat && /^[*?]|^\{0/.test(repeat[0])) first = undefined;
    // A fixed separator such as the dot of an extension cannot be repeated by the caller.
    if (!repeat && !text.startsWith('[') && !/^\\[dws]$/.test(text) && !source.includes('(')) continue;
    tests.push(one);
  }
  if (tests.length === 0) return all;
  return (
    safeFrom((char) => tests.some((test) => test(char))) |
    (first === false && !source.includes('|') ? danger.argument : 0)
  );
}

/** The same for removal: a pair that is taken out lets what stood around it close up, `....//` without `../` is `../`. */
export const vouchedByRemoval = (pattern: string, flags: string): number =>
  vouchedByRefusal(pattern, flags) & (closesUp.test(pattern) ? ~danger.pathUp : -1);

const closesUp = /^\(?(?:\\\.){2}(?:\\?[/\\]|\[[^\]]*[/\\][^\]]*\])/;

/** The dangers gone once every character of a class was removed or refused; the class may be negated (`[^a-z]`). */
export function vouchedByRefusal(pattern: string, flags: string): number {
  const body = /^\(?\[(\^?)((?:[^\]\\]|\\.)+)\]\)?[+*]?$/.exec(pattern);
  if (!body) return pattern.includes('\\.\\.') || pattern === '\\.{2,}' ? danger.pathUp : 0;
  const test = classTest(body[2] ?? '', flags);
  if (!test) return 0;
  const removed = body[1] === '^' ? (char: string) => !test(char) : test;
  return (
    safeFrom((char) => !removed(char)) |
    (["'", ';', '&', '|', '`', '$'].filter((char) => char !== "'").every(removed) ? danger.command : 0)
  );
}
