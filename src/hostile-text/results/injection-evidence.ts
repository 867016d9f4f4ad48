import type { JsonObject } from '../../core/json.js';
import { detectInjection } from '../injection/detect.js';

/** Evidence travels with the result and its audit record, so it stays short. */
const maxFindings = 5;

/** Prompt injection in a result, with the findings as evidence; undefined if the text is not flagged. */
export function injectionEvidence(text: string): JsonObject | undefined {
  const verdict = detectInjection(text, 'output');
  if (!verdict.flagged) return undefined;
  return {
    flagged: true,
    // Two digits: more would suggest a precision that the weights do not have.
    score: Math.round(verdict.score * 100) / 100,
    findings: verdict.findings
      .slice(0, maxFindings)
      .map(({ rule, family, why, excerpt }) => ({ rule, family, why, excerpt })),
  };
}
