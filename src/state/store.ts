/** One kept value. */
export interface Kept {
  readonly key: string;
  readonly value: string;
}

export interface PutOptions {
  /** Wall-clock milliseconds after which the value is as good as deleted. */
  readonly expiresAt?: number;
}

export interface ListOptions {
  readonly prefix?: string;
  /** Only keys that sort after this one, for the next page. */
  readonly after?: string;
  readonly limit?: number;
}

/**
 * Where small things are kept: text by key, in spaces that do not see each other. A value put is there after a crash of the
 * process. Keys and values are well-formed text; lists are in the order of the keys' UTF-8 bytes.
 */
export interface Store {
  get(space: string, key: string): string | undefined;
  put(space: string, key: string, value: string, options?: PutOptions): void;
  /** Whether there was something to delete. */
  delete(space: string, key: string): boolean;
  list(space: string, options?: ListOptions): readonly Kept[];
  /** Forgets what has expired and says how much that was. */
  sweep(now: number): number;
  close(): void;
}

/** A list is never longer, whatever is asked. */
export const MOST_LISTED = 10_000;
