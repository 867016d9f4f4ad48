import type { RuleFamily, TextKind } from './rule.js';

/** What of a finding counts for the score. */
interface WeightedFinding {
  readonly rule: string;
  readonly family: RuleFamily;
  readonly weight: number;
  readonly start: number;
}

/** The score that flags a text. Descriptions give orders to the model for honest reasons, so they need a stronger sign than answers. */
export const FLAG_AT: Readonly<Record<TextKind, number>> = { output: 0.7, description: 0.8 };

/** How far apart findings may stand and still be one attempt. */
const NEAR = 400;
const MOST_NEAR = 32;

/**
 * The heaviest company of findings, sorted by place, within reach of each other: families add up, a further rule of a family adds
 * that share of its weight.
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
