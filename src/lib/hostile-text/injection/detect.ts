import { normalise } from './normalise.js';
import { phraseMatches, type Match } from './phrases.js';
import type { TextKind } from './rule.js';

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

const NEAR = 400;

/** Judges a tool's answer or description; it never changes the text. */
export function detectInjection(text: string, kind: TextKind): InjectionVerdict {
  const normalised = normalise(text);
  const matches = phraseMatches(normalised.text, kind);
  const score = scoreOf(matches);
  return {
    flagged: score >= 1,
    score,
    findings: matches.map((match) => {
      const start = normalised.origin(match.start);
      const end = normalised.origin(match.end);
      return { rule: match.rule.id, why: match.rule.why, excerpt: text.slice(start, Math.min(end, start + 160)), start, end };
    }),
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
