import type { Config } from '../schema.js';
import { SecretText } from '../../lib/text/secret-text.js';

/** A dangerous or surprising setting in a valid configuration. */
export interface ConfigFinding {
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  readonly hint: string;
}

/** One check; runs only on configurations that loaded. */
export type Lint = (config: Config) => readonly ConfigFinding[];

/** A scalar value and its path. */
interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Yields all scalar values below a value; a secret counts as scalar. */
export function* leaves(value: unknown, path: readonly string[] = []): Generator<Leaf> {
  if (typeof value !== 'object' || value === null || value instanceof SecretText) yield { path, value };
  else for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
}

/** Yields the settings of all tools that call over HTTP. */
export function* outboundLeaves({ outbound, sources, mcp_tools }: Config): Generator<Leaf> {
  yield* leaves({ outbound, sources, mcp_tools });
}
