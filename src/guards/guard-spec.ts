import type { Guard } from '../core/guard.js';

/**
 * A guard of the gateway: its name, its lines in the documents, and how it is made of parts. `make` takes parts by name, each
 * optional; without those it needs it returns undefined, and the guard is not in the chain.
 */
export interface GuardSpec<Parts> {
  readonly name: string;
  /** For the drawing of the order in README and docs/architecture.md. */
  readonly does: string;
  /** What it can answer by itself: codes of core/errors.ts. */
  readonly answers: string;
  make(parts: Parts): Guard | undefined;
}

/** Describes a guard; its parts are inferred from `make`. */
export const guardSpec = <Parts>(spec: GuardSpec<Parts>): GuardSpec<Parts> => spec;

/** All parts that a list of guards takes. */
export type PartsOf<Specs extends readonly { make(parts: never): unknown }[]> = {
  [Index in keyof Specs]: (parts: Parameters<Specs[Index]['make']>[0]) => void;
}[number] extends (parts: infer Parts) => void
  ? Parts
  : never;
