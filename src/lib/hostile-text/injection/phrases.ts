import { literalSearch } from '../literal-search.js';
import { phrase } from './phrase.js';
import { DISGUISED } from './encoded.js';
import type { Match, Rule, TextKind } from './rule.js';
import { RULES } from './rules/index.js';

const REACH_BACK = 260;
const REACH_ON = 260;
/** What talk about an attack is still worth: enough to count in company, never enough alone. */
const TALK_WEIGHT = 0.35;
// oxlint-disable-next-line no-misleading-character-class
const OUTSIDE_LATIN = /[\u0400-\u04ff\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

/** One bit a script, by the upper half of a code unit. */
const SCRIPT_BITS = Uint8Array.from({ length: 256 }, (_, upper) =>
  upper === 0x04
    ? 1
    : upper === 0x06
      ? 2
      : upper === 0x09
        ? 4
        : upper === 0x30
          ? 8
          : upper >= 0x34 && upper <= 0x9f
            ? 16
            : upper >= 0xac && upper <= 0xd7
              ? 32
              : 0,
);
const scriptsOf = (script: RegExp): number =>
  ['я', 'م', 'क', 'あ', '中', '가'].reduce(
    (bits, letter, index) => (script.test(letter) ? bits | (1 << index) : bits),
    0,
  );

function scriptsIn(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= SCRIPT_BITS[text.charCodeAt(at) >> 8] ?? 0;
  return bits;
}

const rulesByCue = new Map<string, number[]>();
RULES.forEach((rule, index) => {
  for (const cue of rule.cues) rulesByCue.set(cue, [...(rulesByCue.get(cue) ?? []), index]);
});
const searchCues = literalSearch([...rulesByCue.keys(), ...DISGUISED.keys()]);
const byScript = RULES.flatMap((rule) =>
  rule.script
    ? [{ rule, scripts: scriptsOf(rule.script), everywhere: new RegExp(rule.pattern.source, `${rule.pattern.flags}g`) }]
    : [],
);

/**
 * Every match of a phrase rule in normalised text, at most one per rule and window around a cue; words in disguise are told to
 * `onDisguise`.
 */
export function phraseMatches(
  text: string,
  kind: TextKind,
  onDisguise?: (at: number, literal: string) => void,
): Match[] {
  const matches: Match[] = [];
  // Made at the first cue: most texts have none.
  let triedUntil: Int32Array | undefined;
  let lastStart: Int32Array | undefined;
  searchCues(text, (at, cue) => {
    if (onDisguise && DISGUISED.has(cue)) onDisguise(at, cue);
    triedUntil ??= new Int32Array(RULES.length);
    lastStart ??= new Int32Array(RULES.length).fill(-1);
    for (const index of rulesByCue.get(cue) ?? []) {
      const rule = RULES[index];
      const tried = triedUntil[index] ?? 0;
      // A window that reaches well beyond this cue was read already: a flood of cues costs one reading per window.
      if (!rule || at + cue.length + 24 <= tried || (rule.kinds && !rule.kinds.includes(kind))) continue;
      const from = Math.max(0, at - REACH_BACK);
      const to = Math.min(text.length, at + REACH_ON);
      triedUntil[index] = to;
      const match = matchIn(rule, text, from, to);
      // Windows overlap: the same match may be seen from two of them.
      if (!match || match.start <= (lastStart[index] ?? -1)) continue;
      lastStart[index] = match.start;
      matches.push(match);
    }
    return 0;
  });
  for (const [from, to] of foreignLines(text)) {
    const line = text.slice(from, to);
    const there = scriptsIn(line);
    for (const { rule, scripts, everywhere } of byScript)
      if ((scripts & there) !== 0) matches.push(...everyMatch(rule, everywhere, line, from));
  }
  return matches.length < 2 ? matches : matches.sort((a, b) => a.start - b.start);
}

function matchIn(rule: Rule, text: string, from: number, to: number): Match | undefined {
  const found = rule.pattern.exec(text.slice(from, to));
  if (!found) return undefined;
  const start = from + found.index;
  const end = start + found[0].length;
  return {
    rule,
    start,
    end,
    full: rule.weight,
    weight: isTalk(rule, text, start, end) ? rule.weight * TALK_WEIGHT : rule.weight,
  };
}

/** Sentences about orders, whatever the rule: tools that look for them, samples, surveys. */
const ABOUT_ORDERS = phrase`
  \b(?:
    analy[sz]es|checks (?:whether|for|if)|detect(?:s|ion|or)|flags (?:text|prompts|tools|when|any)|scans for
    |identifies|classifies|guards against
    |(?:sample|expected|mock|example|canned) (?:response|output|reply|text)s?:
    |training text:|we analy[sz]ed|survey|attempts to|prompt injection|injection attack|malicious tools may
  )\b
  |\b(?:goal|intent|payload|pattern|regex|phrase)s? ?=
`;

function isTalk(rule: Rule, text: string, start: number, end: number): boolean {
  const sentence = sentenceAround(text, start, end);
  return (
    rule.unless?.test(sentence) ||
    ABOUT_ORDERS.test(sentence) ||
    isQuoted(text, start, end) ||
    REPORTED.test(text.slice(Math.max(0, start - 70), start)) ||
    isReport(text, start, end)
  );
}

/**
 * Prose that quotes an order talks about it, where it says that it quotes; a value in JSON or a log is not a quotation, and anybody
 * can put quotes around an order.
 */
const isQuoted = (text: string, start: number, end: number): boolean =>
  QUOTES.test(text.slice(Math.max(0, start - 90), start)) && /^[^"'`\n]{0,40}["'`]/.test(text.slice(end, end + 42));

const QUOTES = phrase`
  \b(?:
    like|such as|said|says?|wrote|writes?|asks?|asked|asking|reads?|e\.g\.|examples?|phrases?|strings?|texts?
    |words?|prompts?|payloads?|attacks?|attempts?|messages?|called|titled|samples?|typed?|types|contain\w{0,3}
    |terms?|quot\w{1,3}|instructions?|inputs?|requests?|commands?|queries|rules?|patterns?|users?|includes?
  )[a-z ,:;()/"'\`-]{0,40}[ (]["'\`]$
`;

/** What somebody had a third party do is told, not ordered. */
const REPORTED = phrase`
  \b(?:
    asking|asked|asks|got|gets?|getting|telling|tells|told|made|makes?|making|lets?|letting|whether|causing
    |causes?|caused|trick(?:s|ed|ing)|convinc(?:es?|ed|ing)|instruct(?:s|ed|ing)|persuad(?:es?|ed|ing)
    |forc(?:es?|ed|ing)|induc(?:es?|ed|ing)|manipulat(?:es?|ed|ing)|trained|designed|wants?|wanted
    |allow(?:s|ed|ing)?|taught|supposed|try|tries|tried|trying|attempts?|able|unable|refus(?:es?|ed|ing)
  ) (?:
    (?:
      it|them|him|her|she|he|they|someone|people|pupils|users|models?|chatbots?|llms?|agents?
      |(?:the|an?|its|their|our|most|some|many|other) (?:\w{1,14} ){1,3}
    )(?: can| could| would| will| may| might| should)? ?
  )?(?:to )?(?:then |also |simply )?["'\`]?$
`;

/** Words of those who write about attacks. One may stand anywhere; two different ones around an order are a report. */
const REPORT = new RegExp(
  phrase`
    \b(?:
      prompt[- ]injections?|indirect injections?|jail ?break(?:s|ing|ers?)?|attackers?|adversar(?:y|ies|ial)
      |red[- ]team\w{0,3}|researchers?|vulnerabilit(?:y|ies)|vulnerable|mitigat\w{2,5}|exploit(?:s|ed|ation)?
      |cve-\d{4}|owasp|guardrails?|classifiers?|phishing|threat (?:models?|actors?)|defen[cs]es?|defenders?
      |poisoning|advisory|security (?:teams?|researchers?|advisor\w{1,3})|llm security|ai security
      |attack (?:strings?|vectors?|surface|types?)|robustness|safety training|evaluat(?:e|ed|ion)|benchmarks?
      |false positives?|we (?:tested|found|show|evaluate)|slide \d
    )\b
  `,
  'g',
);
const AROUND = 360;

function isReport(text: string, start: number, end: number): boolean {
  const around = text.slice(Math.max(0, start - AROUND), start) + text.slice(end, end + AROUND);
  if (WRITERS.test(around)) return true;
  const words = new Set<string>();
  for (const [word] of around.matchAll(REPORT)) {
    words.add(word.slice(0, 6));
    if (words.size >= 2) return true;
  }
  return false;
}

/** Words that attacks have no use for. */
const WRITERS = phrase`
  \b(?:
    attackers?|researchers?|cve-\d{4}|owasp|prompt[- ]injections?|red[- ]team(?:s|ing|ers?)?|phishing
    |threat model|security advisor\w{1,3}|mitigations?
  )\b
`;

function everyMatch(rule: Rule, pattern: RegExp, text: string, from: number): Match[] {
  const matches: Match[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text))
    matches.push({
      rule,
      weight: rule.weight,
      full: rule.weight,
      start: from + found.index,
      end: from + found.index + found[0].length,
    });
  return matches;
}

/** Where lines stand that hold letters of a script for which rules have no cues, those that follow each other as one. */
function* foreignLines(text: string): Generator<readonly [from: number, to: number]> {
  let [from, to] = [-1, -1];
  OUTSIDE_LATIN.lastIndex = 0;
  for (let found = OUTSIDE_LATIN.exec(text); found; found = OUTSIDE_LATIN.exec(text)) {
    const start = text.lastIndexOf('\n', found.index) + 1;
    if (from >= 0 && start > to + 1) yield [from, to];
    if (from < 0 || start > to + 1) from = start;
    const end = text.indexOf('\n', found.index);
    to = end < 0 ? text.length : end;
    OUTSIDE_LATIN.lastIndex = to;
  }
  if (from >= 0) yield [from, to];
}

/** The match with the rest of its sentence on both sides, bounded. */
function sentenceAround(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - 120), start);
  const after = text.slice(end, end + 60);
  return (
    before.slice(Math.max(before.lastIndexOf('. ') + 1, before.lastIndexOf('\n'), 0)) +
    text.slice(start, end) +
    (/^[^\n.!?]{0,60}/.exec(after)?.[0] ?? '')
  );
}
