/** The part of the process that a verb may use. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** Whether stdout is a terminal. */
  isTTY: boolean;
  /** Whether stderr is a terminal, so that a progress line may be redrawn. */
  showsProgress: boolean;
  signal: AbortSignal;
  /** Asks a person at the terminal; absent if stdin or stderr is not a terminal. */
  ask?(question: string): Promise<string>;
}
