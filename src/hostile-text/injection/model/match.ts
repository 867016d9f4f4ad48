import { isDiscussion } from '../discussion.js';
import { FLAG_AT } from '../score.js';
import type { Match, Rule, TextKind } from '../rule.js';
import type { ScoredWindow } from './windows.js';

/** Scores from which a window is flagged alone, by kind of text; chosen by `scripts/detector-cross-validate.mjs`. */
export const MODEL_FLAGS_AT: Readonly<Record<TextKind, number>> = { output: 2.5, description: 2 };

/** Below the threshold by up to this much, a window counts together with a finding of a rule. */
const SUPPORTS_WITHIN = 1;
const SUPPORT_WEIGHT = 0.3;
const DISCUSSION_WEIGHT = 0.35;

const RULE: Pick<Rule, 'id' | 'family' | 'why'> = {
  id: 'model-instruction',
  family: 'model',
  why: 'Its words and phrases are those of instructions to a model (learned from public examples).',
};

/**
 * The finding of the model for the best window of a normalised text; undefined if its score is too low. Where rules took a sentence of
 * the window for a discussion, so does the model.
 */
export function modelMatch(
  text: string,
  kind: TextKind,
  window: ScoredWindow | undefined,
  {
    byRules = [],
    flagsAt = MODEL_FLAGS_AT[kind],
  }: { readonly byRules?: readonly Match[]; readonly flagsAt?: number } = {},
): Match | undefined {
  if (!window || window.score < flagsAt - SUPPORTS_WITHIN) return undefined;
  const { start, end, score } = window;
  const full = score >= flagsAt ? FLAG_AT[kind] : SUPPORT_WEIGHT;
  const isTalk =
    byRules.some((match) => match.weight < match.full && match.start < end && match.end > start) ||
    isDiscussion(undefined, text, start, end);
  return { rule: RULE, start, end, full, weight: isTalk ? full * DISCUSSION_WEIGHT : full };
}
