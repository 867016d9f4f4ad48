import { literalSearch, type OnLiteral } from '../literal-search.js';
import { ENCODED_CUES } from './obfuscation.js';
import type { Normalised } from './normalise.js';
import type { Match, Rule, TextKind } from './rule.js';
import { RULES } from './rules/index.js';
import { isDiscussion } from './discussion.js';
import { type Window, windowOf } from './window.js';

/** How far around a cue a match may stand. */
const REACH = 260;
/** How far before the end of a window that was read a cue must end, so that its match would have been seen. */
const SURE = 24;
/** What talk about an attack is still worth: enough to count in company, never enough alone. */
const DISCUSSION_WEIGHT = 0.35;

const rulesByCue = new Map<string, number[]>();
RULES.forEach((rule, index) => {
  for (const cue of rule.cues) rulesByCue.set(cue, [...(rulesByCue.get(cue) ?? []), index]);
});
const cues = [...rulesByCue.keys(), ...ENCODED_CUES];
/** Words of Chinese, Japanese and Korean are too short to be looked for among all others. */
const isShort = (cue: string): boolean => cue.length < 4;
const searchCues = literalSearch(cues.filter((cue) => !isShort(cue)));
const searchShortCues = literalSearch(cues.filter(isShort));

/**
 * Every match of a phrase rule in normalised text, at most one per rule and window around a cue; words in disguise are told to
 * `onDisguise`.
 */
export function phraseMatches(
  { text, isEastAsian }: Normalised,
  kind: TextKind,
  onDisguise?: (at: number, literal: string) => void,
): Match[] {
  const matches: Match[] = [];
  // Made at the first cue: most texts have none.
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
      // A window that reaches well beyond this cue was read already: a flood of cues costs one reading per window.
      if (!rule || at + cue.length + SURE <= tried || (rule.kinds && !rule.kinds.includes(kind))) continue;
      triedUntil[index] = rule.leads === undefined ? Math.min(text.length, at + REACH) : at;
      window ??= windowOf(text, at, REACH);
      const match = matchIn(rule, text, window);
      // Windows overlap: the same match may be seen from two of them.
      if (!match || match.start <= (lastStart[index] ?? -1)) continue;
      lastStart[index] = match.start;
      matches.push(match);
    }
    return 0;
  };
  searchCues(text, onCue);
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
