import { clean } from '../clean.js';
import { obfuscatedMatch } from './obfuscation.js';
import { encodedMatches } from './encoded.js';
import { hiddenMatches } from './hidden.js';
import { normalise } from './normalise.js';
import { phraseMatches } from './phrases.js';
import type { Match, RuleFamily, TextKind } from './rule.js';
import { FLAG_AT, scoreOf } from './score.js';

export type { RuleFamily, TextKind } from './rule.js';

/** One reason for a verdict, with where it stands in the text as given. */
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
 * Whether a text speaks to the model instead of being data, and why; it is flagged when `score` reaches 0.7 for an output, 0.8 for a
 * description.
 */
export interface InjectionVerdict {
  readonly flagged: boolean;
  readonly score: number;
  readonly findings: readonly InjectionFinding[];
}

const MAX_FINDINGS = 50;
const MAX_EXCERPT = 160;
const MAX_DISGUISED = 8;
/** What decoded text must weigh to count: less than alone, since honest text has no reason to encode an order at all. */
const MIN_DECODED_WEIGHT = 0.6;
/** As much as three strong signs of different families close together. */
const WHOLE_ATTACK = 2.8;
/** Talk alone never flags, however much there is of it. */
const MAX_DISCUSSION_SCORE = 0.6;
const NOTHING: InjectionVerdict = Object.freeze({ flagged: false, score: 0, findings: Object.freeze([]) });

/** Judges a tool's answer or description; it never changes the text. */
export function detectInjection(text: string, kind: TextKind): InjectionVerdict {
  const matches = allMatches(text, kind);
  if (matches.length === 0) return NOTHING;
  const weighed = (weigh: (match: Match) => number) =>
    matches.map((match) => ({
      rule: match.rule.id,
      family: match.rule.family,
      weight: weigh(match),
      start: match.start,
    }));
  const talk = scoreOf(weighed(({ weight }) => weight));
  // Whoever knows what passes for talk can dress an attack as it; what is a whole attack counts, whatever stands around it. Two
  // rules that see one sentence do not make it a second sign.
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

/** A flood of weak signs must not push the strong one off the list. */
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

/** What is shown to people must not carry what it warns of: escapes and hidden characters stay behind. */
const excerptOf = (text: string, start: number, end: number): string =>
  clean(text.slice(start, Math.min(end, start + MAX_EXCERPT))).text;

function allMatches(text: string, kind: TextKind): readonly Match[] {
  const normalised = normalise(text);
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
    start: normalised.origin(match.start),
    end: normalised.origin(match.end),
  }));
  return [...placed, ...(normalised.hadHidden ? hiddenMatches(text, kind) : []), ...encodedMatches(text, speaks)].sort(
    (a, b) => a.start - b.start,
  );
}
