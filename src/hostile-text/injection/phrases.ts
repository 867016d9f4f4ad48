import { literalSearch, type OnLiteral } from '../literal-search.js';
import { ENCODED_CUES } from './obfuscation.js';
import type { Normalised } from './normalise.js';
import type { Match, Rule, TextKind } from './rule.js';
import { RULES } from './rules/index.js';
import { isDiscussion } from './discussion.js';
import { type Window, windowOf } from './window.js';

/** Radius of the window around a cue. */
const REACH = 260;
/** Margin at the end of a scanned window: a cue within it gets a window of its own. */
const SURE = 24;
/** Factor for matches in a discussion of attacks: they count together with others, never alone. */
const DISCUSSION_WEIGHT = 0.35;

/** Inverted index: a cue selects its rules, so that the cost does not grow with the number of rules. */
const rulesByCue = new Map<string, number[]>();
RULES.forEach((rule, index) => {
  for (const cue of rule.cues) rulesByCue.set(cue, [...(rulesByCue.get(cue) ?? []), index]);
});
const cues = [...rulesByCue.keys(), ...ENCODED_CUES];
/** Words of Chinese, Japanese and Korean are too short for the common search. */
const isShort = (cue: string): boolean => cue.length < 4;
const searchCues = literalSearch(cues.filter((cue) => !isShort(cue)));
const searchShortCues = literalSearch(cues.filter(isShort));

/**
 * Every match of a phrase rule in normalised text, at most one per rule and window around a cue; encoded trigger words are reported
 * to `onDisguise`.
 */
export function phraseMatches(
  { text, isEastAsian }: Normalised,
  kind: TextKind,
  onDisguise?: (at: number, literal: string) => void,
): Match[] {
  const matches: Match[] = [];
  // Allocated at the first cue: most texts have none.
  let triedUntil: Int32Array | undefined;
  let lastStart: Int32Array | undefined;
  const onCue: OnLiteral = (at, cue) => {
    if (onDisguise && ENCODED_CUES.has(cue)) onDisguise(at, cue);
    triedUntil ??= new Int32Array(RULES.length);
    lastStart ??= new Int32Array(RULES.length).fill(-1);
    let window: Window | undefined;
    for (const index of rulesByCue.get(cue) ?? []) {
      const rule = RULES[index];
      const tried = triedUntil[index] ?? 0;
      // A window that covers this cue was scanned already: a flood of cues costs one scan per window.
      if (!rule || at + cue.length + SURE <= tried || (rule.kinds && !rule.kinds.includes(kind))) continue;
      triedUntil[index] = rule.leads === undefined ? Math.min(text.length, at + REACH) : at;
      window ??= windowOf(text, at, REACH);
      const match = matchIn(rule, text, window);
      // Windows overlap: the same match may occur in two of them.
      if (!match || match.start <= (lastStart[index] ?? -1)) continue;
      lastStart[index] = match.start;
      matches.push(match);
    }
    return 0;
  };
  searchCues(text, onCue);
  // Short cues match too often elsewhere; they are searched only where such scripts occur.
  if (isEastAsian) searchShortCues(text, onCue);
  return matches.length < 2 ? matches : matches.sort((a, b) => a.start - b.start);
}

function matchIn(rule: Rule, text: string, window: Window): Match | undefined {
  const place = window.find(rule.pattern, rule.leads);
  if (!place) return undefined;
  const { start, end } = place;
  const weight = isDiscussion(rule, text, start, end) ? rule.weight * DISCUSSION_WEIGHT : rule.weight;
  return { rule, start, end, full: rule.weight, weight };
}
