import type { Severity } from '../scanner/rules/rule.js';

export const scanFormats = ['text', 'json', 'sarif', 'markdown'] as const;
export const surfaceFormats = ['text', 'json'] as const;

/** The input of the scan worker thread. */
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

/** A message of the worker thread: progress, the output with its exit code, or an error. */
export type ScanMessage =
  { readonly doing: string } | { readonly text: string; readonly code: number } | { readonly refused: string };
