import { severities, type Finding, type Severity } from './rules/rule.js';
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

/** Findings of one key are one finding: the same thing in the same place. */
export const findingKey = ({ rule, location, tool, param, message }: Finding): string =>
  [rule, location.file, location.startLine, tool ?? '', param ?? '', param === undefined ? message : ''].join('\n');

const before = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** Worst first, then by place, rule and tool: the same whatever order they were found in. */
export const inOrder = <T extends Finding>(findings: readonly T[]): readonly T[] =>
  findings.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      before(one.location.file, other.location.file) ||
      one.location.startLine - other.location.startLine ||
      before(one.rule, other.rule) ||
      ((one.tool ?? '') < (other.tool ?? '') ? -1 : 1),
  );

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
