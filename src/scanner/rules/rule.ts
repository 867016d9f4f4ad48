import type { Project } from '../project/load.js';
import type { Machine } from '../evaluate/interpreter/abstract-machine.js';
import type { Discoveries } from '../surface/registrations.js';
import type { Location } from '../ir/positions.js';
import type { SurfaceReport } from '../surface/report.js';
import type { EntryResult } from '../taint/run.js';
import type { ToolEntry } from '../taint/sources/sources.js';

/** Severity of a finding; capabilities by design are `low` if unrestricted, `note` behind a check. */
export type Severity = 'critical' | 'high' | 'medium' | 'low' | 'note';

/** Worst first. */
export const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'note'];

/** One result of a rule; its fields are part of the JSON report. */
export interface Finding {
  readonly rule: string;
  /** A capability is offered by design; a bug is behaviour beyond that. */
  readonly kind: 'bug' | 'capability';
  readonly severity: Severity;
  readonly message: string;
  readonly location: Location;
  readonly tool?: string | undefined;
  /** Every tool that reaches the location, if there are several. */
  readonly tools?: readonly string[] | undefined;
  readonly param?: string | undefined;
  /** The code or text that shows it; never a secret. */
  readonly snippet?: string | undefined;
  /** What the snippet belongs to, such as `Tool: name`. */
  readonly context?: string | undefined;
  /** `heuristic` if only the name of the handler suggests a tool. */
  readonly confidence?: 'heuristic' | undefined;
  /** The data flow from the source (parameter) to the sink. */
  readonly flow?: readonly { readonly at: Location; readonly says: string }[] | undefined;
}

/** The input of every rule, built once per scan. */
export interface RuleContext {
  readonly project: Project;
  readonly surface: SurfaceReport;
  readonly machine: Machine;
  readonly registered: readonly Discoveries[];
  readonly entries: readonly { readonly entry: ToolEntry; readonly result: EntryResult }[];
  /** What modules do at start; their entries are named after the module. */
  readonly programs: readonly { readonly entry: ToolEntry; readonly result: EntryResult }[];
  /** Contents of configuration files and scripts that may contain secrets or commands, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Time at which further analyses end. */
  readonly deadline: number;
}

/** A vulnerable server and its fixed version; every pair is a test of its rule. */
export interface Case {
  readonly language: 'python' | 'typescript' | 'json';
  readonly bad: string;
  readonly good: string;
}

/** One rule with its documentation, its test cases and its implementation. */
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
  readonly fix: string;
  readonly cases: readonly Case[];
  find(context: RuleContext): readonly Finding[];
}
