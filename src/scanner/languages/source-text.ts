import type { Stmt } from '../ir/nodes.js';

/** The result of parsing a text. */
export interface Parsed {
  readonly body: readonly Stmt[];
  readonly docstring?: string | undefined;
  /** True if parts could not be parsed; parsing a deferred body may set it. */
  readonly partial: boolean;
  /** How many bytes of the text were parsed into nodes so far. */
  readonly bytes: number;
}

/** Access to a text for deferred parsing, with a memory budget for nodes. */
export interface SourceText {
  readonly text: () => string;
  /** Reserves memory for the nodes of this many bytes; false if the budget is used up. */
  readonly reserveBytes: (bytes: number) => boolean;
}

/** A text that stays in memory, with an unlimited budget. */
export const inMemoryText = (text: string): SourceText => ({ text: () => text, reserveBytes: () => true });

/** Maximum code parsed at once; more would exceed the memory limit of a scan. */
export const maxDenseLength = 4_000_000;
