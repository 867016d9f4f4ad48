import type { ToolCoverage } from './coverage.js';
import { severities, type Finding, type Severity } from './rules/rule.js';
import type { SurfaceReport } from './surface/report.js';

/** A reported finding, with a fingerprint that is stable when lines move. */
export interface ReportFinding extends Finding {
  readonly fingerprint: string;
  /** The reason given in a suppression comment, if there is one. */
  readonly suppressed?: string | undefined;
  /** True if the baseline contains its fingerprint. */
  readonly known?: boolean | undefined;
}

/** Whether a finding counts: neither suppressed in the code nor in the baseline. */
export const isOpen = (finding: ReportFinding): boolean => finding.suppressed === undefined && finding.known !== true;

/** Deduplication key: findings with the same key are the same problem at the same location. */
export const findingKey = ({ rule, location, tool, param, message }: Finding): string =>
  [rule, location.file, location.startLine, tool ?? '', param ?? '', param === undefined ? message : ''].join('\n');

const compareStrings = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** Sorts by severity, location, rule and tool, so that the report does not depend on discovery order. */
export const sortFindings = <T extends Finding>(findings: readonly T[]): readonly T[] =>
  findings.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      compareStrings(one.location.file, other.location.file) ||
      one.location.startLine - other.location.startLine ||
      compareStrings(one.rule, other.rule) ||
      ((one.tool ?? '') < (other.tool ?? '') ? -1 : 1),
  );

/** A part of the code that could not be read, parsed or analysed completely; unknown is not safe. */
export interface Gap {
  readonly file: string;
  readonly reason: string;
  /** What gaps of this sort have in common; reports show each group once, with its count. */
  readonly group?: string;
}

/** The result of a scan. */
export interface ScanReport {
  /** `findings` at or above the threshold, `incomplete` if there are gaps, else `clean`. */
  readonly verdict: 'clean' | 'findings' | 'incomplete';
  readonly findings: readonly ReportFinding[];
  readonly gaps: readonly Gap[];
  readonly surface: SurfaceReport;
  /** The capabilities of each tool, derived from its code. */
  readonly capabilities: readonly ToolCapabilities[];
  /** How far each tool was followed; `clean` needs all of it. */
  readonly coverage: readonly ToolCoverage[];
  /** Hash of the server's surface; changes with any tool, description or input schema. */
  readonly surfaceHash: string;
  readonly counts: Readonly<Record<Severity, number>>;
}

/** A class of effects that a tool can have. */
export type Capability = 'private-read' | 'untrusted-input' | 'external-send' | 'destructive' | 'exec';

export interface ToolCapabilities {
  readonly tool: string;
  readonly capabilities: readonly Capability[];
}
