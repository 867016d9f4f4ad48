import { clean } from '../clean.js';
import type { Match, RuleFamily, TextKind } from './rule.js';

interface HiddenSign {
  readonly id: string;
  readonly family: RuleFamily;
  readonly why: string;
  /** Weight in a text of this kind; 0 if absent. */
  readonly weigh: (text: string, kind: TextKind) => number;
  readonly place: RegExp;
}

const SPLIT_WORD = /[a-z][\u200b-\u200d\u2060\ufeff\u00ad]{1,4}[a-z]/gi;
/** Fast pre-check: the word pattern costs twenty times as much. */
const SPLITTER = /[\u200b-\u200d\u2060\ufeff\u00ad]/;
const INVISIBLE_RUN = /[\u200b-\u200d\u2060-\u2064\ufeff\u180e]{8}/;
/** Leading surrogate of tag characters and variation selectors, as a fast pre-check. */
const BEYOND = /\udb40/;
const SELECTORS = /[\ufe00-\ufe0f\udb40]/;
const DIRECTION_OVERRIDE = /[\u202d\u202e]/;

/** Signs of text that only a model can see (ASCII smuggling); checked on the original text. */
const SIGNS: readonly HiddenSign[] = [
  {
    id: 'hidden-tag-characters',
    family: 'hidden',
    why: 'It holds tag characters, which draw nothing and spell words to a model.',
    weigh: (text) => (BEYOND.test(text) && (clean(text).removed.tag ?? 0) >= 2 ? 1 : 0),
    place: /[\u{e0000}-\u{e007f}]/u,
  },
  {
    id: 'hidden-variation-selectors',
    family: 'hidden',
    why: 'It holds selectors that select nothing: a way to carry bytes unseen.',
    weigh: (text) => (SELECTORS.test(text) && (clean(text).removed.variation ?? 0) >= 6 ? 1 : 0),
    place: /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u,
  },
  {
    id: 'hidden-invisible-run',
    family: 'hidden',
    why: 'It holds a long run of invisible characters: a way to carry bits unseen.',
    weigh: (text) => (INVISIBLE_RUN.test(text) ? 1 : 0),
    place: INVISIBLE_RUN,
  },
  {
    id: 'hidden-direction-override',
    family: 'hidden',
    why: 'It turns the writing direction around, so that people read something else than a model does.',
    weigh: (text, kind) => (DIRECTION_OVERRIDE.test(text) ? (kind === 'description' ? 1 : 0.6) : 0),
    place: DIRECTION_OVERRIDE,
  },
  {
    id: 'hidden-split-words',
    family: 'hidden',
    why: 'Its words are split by invisible characters, which only serves to pass a filter.',
    weigh: (text, kind) =>
      SPLITTER.test(text) && (text.match(SPLIT_WORD)?.length ?? 0) >= 2 ? (kind === 'description' ? 1 : 0.6) : 0,
    place: new RegExp(SPLIT_WORD.source, 'i'),
  },
];

/** Hidden-text findings with their position in the original. */
export function hiddenMatches(text: string, kind: TextKind): Match[] {
  return SIGNS.flatMap((sign) => {
    const weight = sign.weigh(text, kind);
    if (weight === 0) return [];
    const start = Math.max(0, text.search(sign.place));
    return [{ rule: sign, weight, full: weight, start, end: Math.min(text.length, start + 8) }];
  });
}
