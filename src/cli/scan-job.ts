import type { Severity } from '../scanner/rules/rule.js';

export const scanFormats = ['text', 'json', 'sarif', 'markdown'] as const;
export const surfaceFormats = ['text', 'json'] as const;

/** A reading to be done in a thread of its own. */
export type ScanJob =
  | {
      readonly verb: 'scan';
      readonly path: string;
      readonly format: (typeof scanFormats)[number];
      readonly failOn: Severity;
      readonly baseline: ReadonlySet<string> | undefined;
      readonly rules: readonly string[] | undefined;
      readonly heuristics: boolean;
    }
  | {
      readonly verb: 'surface';
      readonly path: string;
      readonly format: (typeof surfaceFormats)[number];
      readonly heuristics: boolean;
      readonly strict: boolean;
    };

/** What the thread says: how far it is, and at last what to print and how to exit, or why there is nothing to print. */
export type ScanWord =
  { readonly doing: string } | { readonly text: string; readonly code: number } | { readonly refused: string };
