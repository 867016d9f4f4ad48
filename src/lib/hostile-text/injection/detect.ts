import { clean } from '../clean.js';
import { disguisedMatch, encodedMatches } from './encoded.js';
import { hiddenMatches } from './hidden.js';
import { normalise } from './normalise.js';
import { phraseMatches } from './phrases.js';
import type { Match, TextKind } from './rule.js';

/** One reason for a verdict, with where it stands in the text as given. */
export interface InjectionFinding {
  readonly rule: string;
  readonly why: string;
  readonly excerpt: string;
  readonly start: number;
  readonly end: number;
}

/** Whether a text speaks to the model instead of being data, and why; `score` is 1 or more when it is flagged. */
export interface InjectionVerdict {
  readonly flagged: boolean;
  readonly score: number;
  readonly findings: readonly InjectionFinding[];
}

/** How far apart findings may stand and still be one attempt. */
const NEAR = 400;
const MAX_FINDINGS = 50;
const MAX_DISGUISED = 8;
/** What decoded text must weigh to count: less than alone, since honest text has no reason to encode an order at all. */
const ENOUGH = 0.6;
const MAX_EXCERPT = 160;
const NOTHING: InjectionVerdict = Object.freeze({ flagged: false, score: 0, findings: Object.freeze([]) });

/** Judges a tool's answer or description; it never changes the text. */
export function detectInjection(text: string, kind: TextKind): InjectionVerdict {
  const normalised = normalise(text);
  const speaks = (decoded: string): boolean => phraseMatches(normalise(decoded).text, kind).some((match) => match.weight >= ENOUGH);
  const found: Match[] = [];
  const onDisguise = (at: number, literal: string): void => {
    const match = found.length < MAX_DISGUISED ? disguisedMatch(normalised.text, at, literal, speaks) : undefined;
    if (match) found.push(match);
  };
  found.push(...phraseMatches(normalised.text, kind, onDisguise));
  const phrases = found.map((match) => ({ ...match, start: normalised.origin(match.start), end: normalised.origin(match.end) }));
  const matches = [...phrases, ...hiddenMatches(text, kind), ...encodedMatches(text, speaks)].sort((a, b) => a.start - b.start);
  if (matches.length === 0) return NOTHING;
  const score = scoreOf(matches);
  return {
    flagged: score >= 1,
    score,
    findings: matches.slice(0, MAX_FINDINGS).map(({ rule, start, end }) => ({ rule: rule.id, why: rule.why, excerpt: clean(text.slice(start, Math.min(end, start + MAX_EXCERPT))).text, start, end })),
  };
}

/** The heaviest company of findings within reach of each other: families add up, a second rule of a family adds little. */
function scoreOf(matches: readonly Match[]): number {
  let best = 0;
  matches.forEach((first, index) => {
    const families = new Map<string, number>();
    for (const match of matches.slice(index, index + 32)) {
      if (match.start > first.start + NEAR) break;
      families.set(match.rule.family, Math.max(families.get(match.rule.family) ?? 0, match.weight));
    }
    let sum = 0;
    for (const weight of families.values()) sum += weight;
    best = Math.max(best, sum);
  });
  return best;
}
