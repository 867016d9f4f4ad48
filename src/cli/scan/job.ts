import type { LiveServer } from '../../scanner/live-surface.js';
import type { Severity } from '../../scanner/rules/rule.js';

export const scanFormats = ['text', 'json', 'sarif', 'markdown', 'html'] as const;
const diffFormats = ['text', 'json'] as const;
export const surfaceFormats = ['text', 'json'] as const;

/** One target of a scan, as the worker thread gets it. */
export interface JobTarget {
  /** The name that reports show. */
  readonly name: string;
  /** Local source; absent for a running server and for a target that has no source. */
  readonly path?: string;
  /** Dependencies may be downloaded: the target itself was, so the network is allowed. */
  readonly mayDownload?: boolean;
  readonly live?: LiveServer;
  /** Why there is nothing to analyse: the launcher of a binary, a remote server that did not answer. */
  readonly gap?: string;
}

/** Options that every target of a scan shares. */
interface ScanSettings {
  readonly failOn: Severity;
  readonly baseline: ReadonlySet<string> | undefined;
  readonly rules: readonly string[] | undefined;
  readonly heuristics: boolean;
}

/** The input of the scan worker thread. */
export type ScanJob =
  | (ScanSettings & {
      readonly verb: 'scan';
      readonly targets: readonly JobTarget[];
      readonly format: (typeof scanFormats)[number];
    })
  | (ScanSettings & {
      readonly verb: 'diff';
      readonly targets: readonly JobTarget[];
      readonly format: (typeof diffFormats)[number];
    })
  | {
      readonly verb: 'surface';
      readonly targets: readonly JobTarget[];
      readonly format: (typeof surfaceFormats)[number];
      readonly heuristics: boolean;
      readonly strict: boolean;
    };

/** A message of the worker thread: progress, the target that is begun, the output with its exit code, or an error. */
export type ScanMessage =
  | { readonly doing: string }
  | { readonly begun: number }
  | { readonly text: string; readonly code: number }
  | { readonly refused: string };
