/** What a verb may touch of the process around it. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  isTTY: boolean;
  signal: AbortSignal;
}
