/** What a verb may touch of the process around it. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** Whether what is printed is read on a terminal. */
  isTTY: boolean;
  /** Whether what goes to `err` is read on a terminal, so that a line may be written over. */
  showsProgress: boolean;
  signal: AbortSignal;
}
