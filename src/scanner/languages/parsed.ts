import type { Stmt } from '../ir/nodes.js';

/** What a parser makes of a text. */
export interface Parsed {
  readonly body: readonly Stmt[];
  readonly docstring?: string | undefined;
  /** True when parts could not be understood; a body that is read later may make it so. */
  readonly partial: boolean;
  /** How much of the text was turned into nodes now. */
  readonly bytes: number;
}

/** How parts of a text are read later: from where the text comes then, and whether there is room for more nodes. */
export interface Reading {
  readonly text: () => string;
  /** Takes room for the nodes of so many bytes; false where there is none left. */
  readonly takeRoom: (bytes: number) => boolean;
}

/** Reading from a text that stays in memory, with room for all of it. */
export const readingOf = (text: string): Reading => ({ text: () => text, takeRoom: () => true });

/** More code than this at once needs more memory to read than a scan may take. */
export const maxDenseLength = 4_000_000;
