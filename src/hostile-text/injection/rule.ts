/** Kind of text: the output of a tool, or its description. */
export type TextKind = 'output' | 'description';

/** Goal of an instruction; findings of different families add up in the score. */
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
  | 'language'
  | 'model';

/**
 * One sign of an instruction aimed at the model. Patterns see lower-case text without accents or invisible characters, at most
 * a window around a cue, and hold only bounded repetition, so that no input makes them slow.
 */
export interface Rule {
  readonly id: string;
  readonly family: RuleFamily;
  /** Reason shown to the approver. */
  readonly why: string;
  /** 0.7 alone flags an output, 0.8 a description; a lower weight needs a second finding nearby. */
  readonly weight: number;
  readonly kinds?: readonly TextKind[];
  /** Literals of four characters or more, in Chinese, Japanese and Korean two, one of which occurs in every match. */
  readonly cues: readonly string[];
  /** For rules whose matches begin near a cue: largest offset of the match before the cue; the pattern is tried only there. */
  readonly leads?: number;
  readonly pattern: RegExp;
  /** Context around the match that marks it as a discussion of attacks. */
  readonly unless?: RegExp;
}

/** A match of a rule; `weight` is lower than `full`, the rule's own weight, in a discussion of attacks. */
export interface Match {
  readonly rule: Pick<Rule, 'id' | 'family' | 'why'>;
  readonly weight: number;
  readonly full: number;
  readonly start: number;
  readonly end: number;
}
