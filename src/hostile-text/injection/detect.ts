import { clean } from '../clean.js';
import { obfuscatedMatch } from './obfuscation.js';
import { encodedMatches } from './encoded.js';
import { separateGluedWords } from './glued-words.js';
import { hiddenMatches } from './hidden.js';
import { modelMatch } from './model/match.js';
import { modelWindow } from './model/model.js';
import type { ScoredWindow } from './model/windows.js';
import type { Normalised } from './normalise.js';
import { normalise } from './normalise.js';
import { phraseMatches } from './phrases.js';
import type { Match, RuleFamily, TextKind } from './rule.js';
import { FLAG_AT, scoreOf } from './score.js';

export type { TextKind } from './rule.js';

/** One reason for a verdict, with its position in the original text. */
export interface InjectionFinding {
  readonly rule: string;
  readonly family: RuleFamily;
  readonly why: string;
  readonly weight: number;
  readonly excerpt: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Whether a text contains instructions to the model, and why; it is flagged when `score` reaches 0.7 for an output, 0.8 for a
 * description.
 */
export interface InjectionVerdict {
  readonly flagged: boolean;
  readonly score: number;
  readonly findings: readonly InjectionFinding[];
}

// Bounds of a report: hostile text can match thousands of times.
const MAX_FINDINGS = 50;
const MAX_EXCERPT = 160;
/** Encoded payloads that are decoded per text; each costs another scan. */
const MAX_DISGUISED = 8;
/** Threshold for decoded text: lower, since honest text has no reason to encode an instruction. */
const MIN_DECODED_WEIGHT = 0.6;
/** Score of three strong signs of different families close together. */
const WHOLE_ATTACK = 2.8;
/** Upper bound for discussions of attacks: they are never flagged alone. */
const MAX_DISCUSSION_SCORE = 0.6;
const NOTHING: InjectionVerdict = Object.freeze({ flagged: false, score: 0, findings: Object.freeze([]) });

/** Finds the window of a normalised text that reads most like an instruction. */
export type WindowModel = (text: string) => ScoredWindow | undefined;

/** Scores the output or description of a tool; never changes the text. The model is asked only where no rule decides. */
export function detectInjection(
  text: string,
  kind: TextKind,
  model: WindowModel = modelWindow,
  modelFlagsAt?: number,
): InjectionVerdict {
  const { matches, phrases, normalised, originOf } = ruleMatches(text, kind);
  const verdict = verdictOf(text, kind, matches);
  // Rules decide first: they are cheaper, and their finding names a reason.
  if (verdict.flagged) return verdict;
  const learned = modelMatch(normalised.text, kind, model(normalised.text), {
    byRules: phrases,
    ...(modelFlagsAt !== undefined && { flagsAt: modelFlagsAt }),
  });
  if (!learned) return verdict;
  // The model sees the normalised text, so its window is mapped back to the original.
  const placed = { ...learned, start: originOf(learned.start), end: originOf(learned.end) };
  return verdictOf(
    text,
    kind,
    [...matches, placed].sort((a, b) => a.start - b.start),
  );
}

function verdictOf(text: string, kind: TextKind, matches: readonly Match[]): InjectionVerdict {
  if (matches.length === 0) return NOTHING;
  const weighed = (weigh: (match: Match) => number) =>
    matches.map((match) => ({
      rule: match.rule.id,
      family: match.rule.family,
      weight: weigh(match),
      start: match.start,
    }));
  const talk = scoreOf(weighed(({ weight }) => weight));
  // An attacker can disguise an attack as a discussion, so a complete attack counts in any context. Two rules that match the same
  // sentence are one sign.
  const isWhole =
    scoreOf(
      weighed(({ full }) => full),
      0,
    ) >= WHOLE_ATTACK;
  const score = isWhole
    ? Math.max(talk, FLAG_AT[kind])
    : matches.every(({ weight, full }) => weight < full)
      ? Math.min(talk, MAX_DISCUSSION_SCORE)
      : talk;
  return {
    flagged: score >= FLAG_AT[kind],
    score,
    findings: heaviestMatches(matches).map((match) => toFinding(text, match)),
  };
}

/** Keeps the heaviest findings: a flood of weak ones must not displace a strong one. */
function heaviestMatches(matches: readonly Match[]): readonly Match[] {
  if (matches.length <= MAX_FINDINGS) return matches;
  return [...matches]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_FINDINGS)
    .sort((a, b) => a.start - b.start);
}

const toFinding = (text: string, { rule, weight, start, end }: Match): InjectionFinding => ({
  rule: rule.id,
  family: rule.family,
  why: rule.why,
  weight,
  excerpt: excerptOf(text, start, end),
  start,
  end,
});

/** Excerpt for people, without terminal escapes and hidden characters. */
const excerptOf = (text: string, start: number, end: number): string =>
  clean(text.slice(start, Math.min(end, start + MAX_EXCERPT))).text;

interface RuleMatches {
  readonly matches: readonly Match[];
  /** Matches of phrases with their positions in the normalised text. */
  readonly phrases: readonly Match[];
  readonly normalised: Normalised;
  /** Maps an index of the normalised text to the original. */
  readonly originOf: (index: number) => number;
}

function ruleMatches(text: string, kind: TextKind): RuleMatches {
  const separated = separateGluedWords(text);
  const normalised = normalise(separated?.text ?? text);
  const originOf = (index: number): number => {
    const place = normalised.origin(index);
    return separated ? separated.origin(place) : place;
  };
  const speaks = (decoded: string): boolean =>
    phraseMatches(normalise(decoded), kind).some((match) => match.weight >= MIN_DECODED_WEIGHT);
  const found: Match[] = [];
  let disguises = 0;
  const onDisguise = (at: number, literal: string): void => {
    const match = disguises++ < MAX_DISGUISED ? obfuscatedMatch(normalised.text, at, literal, speaks) : undefined;
    if (match) found.push(match);
  };
  found.push(...phraseMatches(normalised, kind, onDisguise));
  const placed = found.map((match) => ({
    ...match,
    start: originOf(match.start),
    end: originOf(match.end),
  }));
  const matches = [
    ...placed,
    // Only if characters were removed: most texts skip this scan.
    ...(normalised.hadHidden ? hiddenMatches(text, kind) : []),
    // On the original text: normalisation would destroy the encoding.
    ...encodedMatches(text, speaks),
  ];
  return {
    matches: matches.length < 2 ? matches : matches.sort((a, b) => a.start - b.start),
    phrases: found,
    normalised,
    originOf,
  };
}
