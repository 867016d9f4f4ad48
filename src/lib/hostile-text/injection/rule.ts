/** What is being read: what a tool answered, or what it says about itself. */
export type TextKind = 'output' | 'description';

/** What an instruction in a text is after; a verdict weighs findings of different families that stand together. */
export type RuleFamily = 'override' | 'persona' | 'prompt-leak' | 'concealment' | 'exfiltration' | 'marker' | 'hidden' | 'steering' | 'tool-abuse' | 'encoded' | 'language';

/**
 * One sign of an instruction aimed at the model. Patterns see lower-case text without accents or invisible characters, at most
 * a window around a cue, and hold only bounded repetition, so that no input makes them slow.
 */
export interface Rule {
  readonly id: string;
  readonly family: RuleFamily;
  /** The sentence shown to the person who must decide. */
  readonly why: string;
  /** 1 flags alone; less needs company nearby. */
  readonly weight: number;
  readonly kinds?: readonly TextKind[];
  /** Literals of three characters or more, one of which stands in every match; without any the rule is tried on text outside Latin. */
  readonly cues: readonly string[];
  readonly pattern: RegExp;
  /** Text just before or after the match that makes it talk about an attack instead of being one. */
  readonly unless?: RegExp;
}
