import type { Finding, Severity } from './rules/rule.js';
import type { SurfaceReport } from './surface/report.js';

/** A finding as it is reported: with a mark that stays the same when lines move. */
export interface ReportFinding extends Finding {
  readonly fingerprint: string;
  /** Why the code asks for silence, where it does. */
  readonly suppressed?: string | undefined;
  /** True where a baseline already knew it. */
  readonly known?: boolean | undefined;
}

/** Neither suppressed in the code nor known from before. */
export const isOpen = (finding: ReportFinding): boolean => finding.suppressed === undefined && finding.known !== true;

/** Something that could not be read, parsed or finished: unknown is not safe. */
export interface Gap {
  readonly file: string;
  readonly reason: string;
}

/** What a scan says about a server. */
export interface ScanReport {
  /** `findings` at or above the threshold, `incomplete` where something stayed unknown, else `clean`. */
  readonly verdict: 'clean' | 'findings' | 'incomplete';
  readonly findings: readonly ReportFinding[];
  readonly gaps: readonly Gap[];
  readonly surface: SurfaceReport;
  /** What each tool does, read from its code. */
  readonly capabilities: readonly ToolCapabilities[];
  /** The hash of what the server offers: it changes when a tool, its text or its input does. */
  readonly surfaceHash: string;
  readonly counts: Readonly<Record<Severity, number>>;
}

export type Capability = 'private-read' | 'untrusted-input' | 'external-send' | 'destructive' | 'exec';

export interface ToolCapabilities {
  readonly tool: string;
  readonly capabilities: readonly Capability[];
}
