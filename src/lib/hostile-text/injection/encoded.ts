import type { Match, RuleFamily } from './rule.js';

const RUN_LENGTH = 24;
const MAX_RUNS = 16;
const MAX_RUN_LENGTH = 4096;
const WINDOW = 300;

const family: RuleFamily = 'encoded';
const RULES = {
  base64: { id: 'encoded-base64', family, why: 'Decoded from base64, it speaks to the model.' },
  hex: { id: 'encoded-hex', family, why: 'Decoded from hexadecimal, it speaks to the model.' },
  percent: { id: 'encoded-percent', family, why: 'Decoded from URL escapes, it speaks to the model.' },
  rot13: { id: 'encoded-rot13', family, why: 'With its letters turned by thirteen, it speaks to the model.' },
  leet: { id: 'encoded-leet', family, why: 'With its digits read as letters, it speaks to the model.' },
  spaced: { id: 'encoded-spaced', family, why: 'With its letters put together, it speaks to the model.' },
  reversed: { id: 'encoded-reversed', family, why: 'Read backwards, it speaks to the model.' },
};

const RUN = Uint8Array.from({ length: 128 }, (_, unit) => (/[\w+/%=-]/.test(String.fromCharCode(unit)) ? 1 : 0));
const PRINTABLE = /^[\t\n\r\x20-\x7e]{12,}$/;

/** How a word of an order reads when its text is disguised, and what undoes the disguise; found together with the rules' cues. */
export const DISGUISED: ReadonlyMap<string, (text: string) => string> = new Map<string, (text: string) => string>([
  ...[
    'instruction',
    'system prompt',
    'ignore all',
    'ignore prev',
    'ignore the',
    'disregard',
    'api key',
    'password',
    'do not tell',
  ].flatMap((word): [string, (text: string) => string][] => [
    [rot13(word), rot13],
    [reversed(word), reversed],
  ]),
  ...[
    '1gn0r',
    'ign0r',
    '1nstruct',
    '1n5truct',
    'in5truct',
    'instruct10',
    'pr0mpt',
    'd1sreg',
    'd15reg',
    'syst3m',
    'pr3v1',
  ].map((word): [string, (text: string) => string] => [word, unleet]),
  ...[
    'i g n o r e',
    'i-g-n-o-r-e',
    'i.g.n.o.r.e',
    'p r o m p t',
    'p-r-o-m-p-t',
    's y s t e m',
    'd i s r e g a r d',
    'i n s t r u c t',
    'i-n-s-t-r-u-c-t',
    'i.n.s.t.r.u.c.t',
    'f o r g e t',
    's e c r e t',
  ].map((word): [string, (text: string) => string] => [word, together]),
]);

/** Payloads that speak to the model once decoded; each is decoded once, and never more than a fixed amount. */
export function encodedMatches(text: string, speaks: (decoded: string) => boolean): Match[] {
  const matches: Match[] = [];
  let decodedRuns = 0;
  for (const { start, end } of longRuns(text)) {
    if (decodedRuns >= MAX_RUNS) break;
    const [rule, decoded] = decode(text.slice(start, Math.min(end, start + MAX_RUN_LENGTH)));
    if (decoded === undefined) continue;
    decodedRuns++;
    if (speaks(decoded)) matches.push({ rule, weight: 1, full: 1, start, end });
  }
  return matches;
}

/** A payload turned around or by thirteen letters, near a word that betrays it. */
export function disguisedMatch(
  lower: string,
  at: number,
  literal: string,
  speaks: (decoded: string) => boolean,
): Match | undefined {
  const undo = DISGUISED.get(literal);
  if (!undo || !speaks(undo(lower.slice(Math.max(0, at - WINDOW), at + WINDOW)))) return undefined;
  const rule =
    undo === rot13 ? RULES.rot13 : undo === reversed ? RULES.reversed : undo === unleet ? RULES.leet : RULES.spaced;
  return { rule, weight: 1, full: 1, start: at, end: at + literal.length };
}

/** Runs of letters that base64, hexadecimal or URL escapes are written in; every run of that length covers a multiple of it. */
function* longRuns(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (let at = RUN_LENGTH - 1; at < text.length; at += RUN_LENGTH) {
    if (!isRun(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (start > 0 && isRun(text.charCodeAt(start - 1))) start--;
    while (end < text.length && isRun(text.charCodeAt(end))) end++;
    if (end - start >= RUN_LENGTH) yield { start, end };
    at = Math.max(at, end - (end % RUN_LENGTH) - 1);
  }
}

const isRun = (unit: number): boolean => unit < 128 && RUN[unit] === 1;

function decode(run: string): readonly [rule: Match['rule'], decoded: string | undefined] {
  if (run.includes('%'))
    return [
      RULES.percent,
      readable(
        run
          .replaceAll('+', ' ')
          .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      ),
    ];
  if (/^(?:[0-9a-f]{2})+$/i.test(run)) return [RULES.hex, readable(Buffer.from(run, 'hex').toString('latin1'))];
  return [RULES.base64, readable(Buffer.from(run.slice(0, MAX_RUN_LENGTH), 'base64').toString('latin1'))];
}

/** Hashes, keys and pictures decode to noise; only prose is worth a second reading. */
const readable = (decoded: string): string | undefined =>
  PRINTABLE.test(decoded) && decoded.includes(' ') ? decoded : undefined;

function rot13(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
}

const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  $: 's',
  '@': 'a',
  '!': 'i',
};

function unleet(text: string): string {
  return text.replace(/[013457$@!]/g, (sign) => LEET[sign] ?? sign);
}

/** Letters that stand alone, put together; wider gaps part the words, and where all gaps are alike other signs do. */
function together(text: string): string {
  return text.replace(/(?<![a-z])[a-z](?:[ .-][a-z](?![a-z])){3,}/g, (run) => run.replace(/[ .-]/g, ''));
}

function reversed(text: string): string {
  return [...text].toReversed().join('');
}
