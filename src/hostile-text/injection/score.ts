import type { RuleFamily, TextKind } from './rule.js';

/** Properties of a finding that determine the score. */
interface WeightedFinding {
  readonly rule: string;
  readonly family: RuleFamily;
  readonly weight: number;
  readonly start: number;
}

/** Threshold by kind of text. Honest descriptions instruct the model too, so their threshold is higher. */
export const FLAG_AT: Readonly<Record<TextKind, number>> = { output: 0.7, description: 0.8 };

/** Largest distance, in characters, of findings that count together. */
const NEAR = 400;
const MOST_NEAR = 32;

/**
 * Largest sum of weights in a sliding window over findings sorted by position: families add up, a further rule of the same family adds
 * only a share of its weight.
 */
export function scoreOf(findings: readonly WeightedFinding[], further = 0.5): number {
  let best = 0;
  findings.forEach((first, index) => {
    const rules = new Map<string, WeightedFinding>();
    for (const finding of findings.slice(index, index + MOST_NEAR)) {
      if (finding.start > first.start + NEAR) break;
      if (finding.weight > (rules.get(finding.rule)?.weight ?? 0)) rules.set(finding.rule, finding);
    }
    const families = new Set<RuleFamily>();
    let sum = 0;
    for (const { family, weight } of [...rules.values()].sort((a, b) => b.weight - a.weight)) {
      sum += families.has(family) ? weight * further : weight;
      families.add(family);
    }
    best = Math.max(best, sum);
  });
  return best;
}
