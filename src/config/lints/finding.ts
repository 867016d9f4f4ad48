import type { Config } from '../schema.js';
import { SecretText } from '../secrets.js';

/** Something in a valid configuration that is dangerous or will surprise. */
export interface Finding {
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/** One thing to look for; it sees only configurations that loaded. */
export type Lint = (config: Config) => readonly Finding[];

/** A single value and the keys that lead to it. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Every single value below a value; a secret is one. */
export function* leaves(value: unknown, path: readonly string[] = []): Generator<Leaf> {
  if (typeof value !== 'object' || value === null || value instanceof SecretText) yield { path, value };
  else for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
}

/** The values that tools calling over HTTP are made of, wherever they are configured. */
export function* callingLeaves({ outbound, sources, mcp_tools }: Config): Generator<Leaf> {
  yield* leaves({ outbound, sources, mcp_tools });
}
