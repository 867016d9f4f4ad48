import type { Project } from '../project/load.js';
import type { Machine } from '../evaluate/machine.js';
import type { Findings } from '../surface/registrations.js';
import type { Location } from '../ir/positions.js';
import type { SurfaceReport } from '../surface/report.js';
import type { EntryResult } from '../taint/run.js';
import type { Entry } from '../taint/sources.js';

/** How bad it is; `note` is for what a server can do by design. */
export type Severity = 'critical' | 'high' | 'medium' | 'low' | 'note';

/** Worst first. */
export const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'note'];

/** One thing that a rule found. */
export interface Finding {
  readonly rule: string;
  /** A capability is what the server offers on purpose; a bug is what it does beyond that. */
  readonly kind: 'bug' | 'capability';
  readonly severity: Severity;
  readonly message: string;
  readonly location: Location;
  readonly tool?: string | undefined;
  /** Every tool from which the place is reached, where there are several. */
  readonly tools?: readonly string[] | undefined;
  readonly param?: string | undefined;
  /** From where the text comes in to where it does harm. */
  readonly flow?: readonly { readonly at: Location; readonly says: string }[] | undefined;
}

/** Everything that rules may look at; made once for a scan. */
export interface Scanned {
  readonly project: Project;
  readonly surface: SurfaceReport;
  readonly machine: Machine;
  readonly registered: readonly Findings[];
  readonly entries: readonly { readonly entry: Entry; readonly result: EntryResult }[];
  /** Texts of files that are no code but may hold secrets or scripts, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A pair of small servers: the first has the fault, the second has it mended. */
export interface Case {
  readonly language: 'python' | 'typescript' | 'json';
  readonly bad: string;
  readonly good: string;
}

/** One rule: what it is called, what it means, and how it is found. */
export interface Rule {
  /** Never changes once published. */
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly cwe: readonly number[];
  /** Of the OWASP MCP Top 10. */
  readonly owasp: readonly string[];
  /** Of the SAFE-MCP catalogue of techniques. */
  readonly safeMcp: readonly string[];
  readonly why: string;
  readonly mend: string;
  readonly cases: readonly Case[];
  find(scanned: Scanned): readonly Finding[];
}
