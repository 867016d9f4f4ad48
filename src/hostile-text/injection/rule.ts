/** What is being read: what a tool answered, or what it says about itself. */
export type TextKind = 'output' | 'description';

/** What an instruction in a text is after; a verdict weighs findings of different families that stand together. */
export type RuleFamily =
  | 'override'
  | 'persona'
  | 'prompt-leak'
  | 'concealment'
  | 'exfiltration'
  | 'marker'
  | 'hidden'
  | 'steering'
  | 'tool-abuse'
  | 'encoded'
  | 'language';

/**
 * One sign of an instruction aimed at the model. Patterns see lower-case text without accents or invisible characters, at most
 * a window around a cue, and hold only bounded repetition, so that no input makes them slow.
 */
export interface Rule {
  readonly id: string;
  readonly family: RuleFamily;
  /** The sentence shown to the person who must decide. */
  readonly why: string;
  /** 0.7 flags an output alone, 0.8 a description; less needs company nearby. */
  readonly weight: number;
  readonly kinds?: readonly TextKind[];
  /** Literals of four characters or more, in Chinese, Japanese and Korean two, one of which stands in every match. */
  readonly cues: readonly string[];
  /** For a rule whose cues begin its matches: how many characters before a cue they begin at most. Only there it is tried. */
  readonly leads?: number;
  readonly pattern: RegExp;
  /** Text just before or after the match that makes it talk about an attack instead of being one. */
  readonly unless?: RegExp;
}

/** A match of a rule; `weight` is lower than `full`, the rule's own, where the text talks about attacks. */
export interface Match {
  readonly rule: Pick<Rule, 'id' | 'family' | 'why'>;
  readonly weight: number;
  readonly full: number;
  readonly start: number;
  readonly end: number;
}
