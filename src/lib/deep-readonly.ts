import type { SecretText } from './text/secret-text.js';

/** A parsed value with every property read-only. */
export type DeepReadonly<T> = T extends SecretText
  ? T
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
