interface RunningEngine {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  start(): Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  stop(signal?: NodeJS.Signals): Promise<void>;
  end(): Promise<void>;
}
export function freePort(): Promise<number>;
export function missingEngines(): readonly string[];
export function until<T>(work: () => T | Promise<T>, ms?: number): Promise<T>;
export function startPostgres(): Promise<RunningEngine & { readonly bin: string }>;
export function startValkey(): Promise<RunningEngine>;
export function startNginx(ports: readonly number[]): Promise<RunningEngine>;
