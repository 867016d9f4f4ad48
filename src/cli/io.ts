/** The part of the process that a verb may use. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** Whether stdout is a terminal. */
  isTTY: boolean;
  /** Whether stderr is a terminal, so that a progress line may be redrawn. */
  showsProgress: boolean;
  /** Columns of the terminal on stdout; absent if it is not one. */
  columns?: number;
  /** Whether `--json` is among the arguments: errors are then printed as JSON too. */
  json?: boolean;
  signal: AbortSignal;
  /** Asks a person at the terminal; absent if stdin or stderr is not a terminal. */
  ask?(question: string): Promise<string>;
}

/** What is needed to report an error. */
export type ErrorIo = Pick<Io, 'out' | 'err' | 'json'>;
