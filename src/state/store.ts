/** One stored value. */
export interface StoredEntry {
  readonly key: string;
  readonly value: string;
}

export interface PutOptions {
  /** Wall-clock milliseconds at which the value expires. */
  readonly expiresAt?: number;
}

export interface ListOptions {
  readonly prefix?: string;
  /** Only keys that sort after this one, for the next page. */
  readonly after?: string;
  readonly limit?: number;
}

/**
 * Key-value store for small texts, in separate namespaces (spaces). A stored value survives a crash of the process. Keys and
 * values are well-formed text; lists are in the order of the keys' UTF-8 bytes.
 */
export interface Store {
  get(space: string, key: string): string | undefined;
  put(space: string, key: string, value: string, options?: PutOptions): void;
  /** Returns whether the key existed. */
  delete(space: string, key: string): boolean;
  list(space: string, options?: ListOptions): readonly StoredEntry[];
  /** Removes expired entries, returns their number, and gives some of the freed space back to the file system. */
  sweep(now: number): number;
  close(): void;
}

/** Maximum length of a list, whatever limit is requested. */
export const maxListedEntries = 10_000;
