import type { Soon } from '../lib/soon.js';

/** One stored value. */
export interface StoredEntry {
  readonly key: string;
  readonly value: string;
}

export interface PutOptions {
  /** Wall-clock milliseconds at which the value expires. */
  readonly expiresAt?: number;
}

interface ListOptions {
  readonly prefix?: string;
  /** Only keys that sort after this one, for the next page. */
  readonly after?: string;
  readonly limit?: number;
}

/**
 * Key-value store for small texts, in separate namespaces (spaces). A stored value survives a crash of the process. Keys and
 * values are well-formed text; lists are in the order of the keys' UTF-8 bytes. Every verb is atomic, also between processes that
 * share the store; check-then-act on top of `get` and `put` is not, so decisions use `add`, `swap` and `take`.
 */
export interface Store {
  get(space: string, key: string): Soon<string | undefined>;
  put(space: string, key: string, value: string, options?: PutOptions): Soon<void>;
  /** Stores a value where none is; false if there is one. */
  add(space: string, key: string, value: string, options?: PutOptions): Soon<boolean>;
  /** Replaces a value that is still `from` (compare-and-swap); false if it changed, expired or is missing. */
  swap(space: string, key: string, from: string, to: string, options?: PutOptions): Soon<boolean>;
  /** Removes a value and returns it, to one caller only. */
  take(space: string, key: string): Soon<string | undefined>;
  /** Returns whether the key existed. */
  delete(space: string, key: string): Soon<boolean>;
  list(space: string, options?: ListOptions): Soon<readonly StoredEntry[]>;
  /** Removes expired entries, returns their number, and gives some of the freed space back to the file system. */
  sweep(now: number): Soon<number>;
  close(): Soon<void>;
}

/** Store of this process alone; answers without a promise. */
export interface LocalStore extends Store {
  get(space: string, key: string): string | undefined;
  put(space: string, key: string, value: string, options?: PutOptions): void;
  add(space: string, key: string, value: string, options?: PutOptions): boolean;
  swap(space: string, key: string, from: string, to: string, options?: PutOptions): boolean;
  take(space: string, key: string): string | undefined;
  delete(space: string, key: string): boolean;
  list(space: string, options?: ListOptions): readonly StoredEntry[];
  sweep(now: number): number;
  close(): void;
}

/** Maximum length of a list, whatever limit is requested. */
export const maxListedEntries = 10_000;
