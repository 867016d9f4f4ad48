import { literalSearch } from '../literal-search.js';
import { DISGUISED } from './encoded.js';
import type { Match, Rule, TextKind } from './rule.js';
import { RULES } from './rules/index.js';

const REACH_BACK = 260;
const REACH_ON = 260;
/** What talk about an attack is still worth: enough to count in company, never enough alone. */
const TALK_WEIGHT = 0.35;
// oxlint-disable-next-line no-misleading-character-class
const OUTSIDE_LATIN = /[\u0400-\u04ff\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

const rulesByCue = new Map<string, number[]>();
RULES.forEach((rule, index) => {
  for (const cue of rule.cues) rulesByCue.set(cue, [...(rulesByCue.get(cue) ?? []), index]);
});
const searchCues = literalSearch([...rulesByCue.keys(), ...DISGUISED.keys()]);
const byScript = RULES.flatMap((rule) => (rule.script ? [{ rule, script: rule.script }] : []));

/** Every match of a phrase rule in normalised text, at most one per rule and window around a cue; words in disguise are told to `onDisguise`. */
export function phraseMatches(text: string, kind: TextKind, onDisguise?: (at: number, literal: string) => void): Match[] {
  const matches: Match[] = [];
  const triedUntil = new Int32Array(RULES.length);
  const lastStart = new Int32Array(RULES.length).fill(-1);
  searchCues(text, (at, cue) => {
    if (onDisguise && DISGUISED.has(cue)) onDisguise(at, cue);
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
  if (OUTSIDE_LATIN.test(text)) {
    for (const { rule, script } of byScript) if (script.test(text)) matches.push(...everyMatch(rule, text));
  }
  return matches.sort((a, b) => a.start - b.start);
}

function matchIn(rule: Rule, text: string, from: number, to: number): Match | undefined {
  const found = rule.pattern.exec(text.slice(from, to));
  if (!found) return undefined;
  const start = from + found.index;
  const end = start + found[0].length;
  return { rule, start, end, weight: isTalk(rule, text, start, end) ? rule.weight * TALK_WEIGHT : rule.weight };
}

/** Sentences about orders, whatever the rule: tools that look for them, samples, surveys. */
const ABOUT_ORDERS =
  /\b(?:analy[sz]es|checks (?:whether|for|if)|detect(?:s|ion|or)|flags (?:text|prompts|tools|when|any)|scans for|identifies|classifies|guards against|(?:sample|expected|mock|example|canned) (?:response|output|reply|text)s?:|training text:|we analy[sz]ed|survey|attempts to|prompt injection|injection attack|malicious tools may)\b|\b(?:goal|intent|payload|pattern|regex|phrase)s? ?=/;

function isTalk(rule: Rule, text: string, start: number, end: number): boolean {
  const sentence = sentenceAround(text, start, end);
  return rule.unless?.test(sentence) || ABOUT_ORDERS.test(sentence) || isQuoted(text, start, end);
}

/** Prose that quotes an order talks about it; a value in JSON or a log is not a quotation. */
const isQuoted = (text: string, start: number, end: number): boolean =>
  /[a-z,] ["'`]$/.test(text.slice(Math.max(0, start - 3), start)) && /^[^"'`\n]{0,40}["'`]/.test(text.slice(end, end + 42));

function everyMatch(rule: Rule, text: string): Match[] {
  const pattern = new RegExp(rule.pattern.source, `${rule.pattern.flags}g`);
  return Array.from(text.matchAll(pattern), (found) => ({ rule, weight: rule.weight, start: found.index, end: found.index + found[0].length }));
}

/** The match with the rest of its sentence on both sides, bounded. */
function sentenceAround(text: string, start: number, end: number): string {
  const before = text.slice(Math.max(0, start - 120), start);
  const after = text.slice(end, end + 60);
  return before.slice(Math.max(before.lastIndexOf('. ') + 1, before.lastIndexOf('\n'), 0)) + text.slice(start, end) + (/^[^\n.!?]{0,60}/.exec(after)?.[0] ?? '');
}
