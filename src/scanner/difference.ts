import { canonicalJson } from '../lib/json/canonical-json.js';
import { isOpen, type Capability, type ReportFinding, type ScanReport } from './report.js';
import type { ReportTool } from './surface/report.js';

/** A tool that exists in both versions and changed. */
interface ToolChange {
  readonly tool: string;
  /** Parts of its definition that differ: description, parameters. */
  readonly changed: readonly ('description' | 'parameters')[];
  readonly gained: readonly Capability[];
  readonly lost: readonly Capability[];
}

/** What a new version of a server adds, removes and changes. */
export interface ScanDifference {
  readonly verdicts: readonly [before: ScanReport['verdict'], after: ScanReport['verdict']];
  readonly addedTools: readonly string[];
  readonly removedTools: readonly string[];
  readonly changedTools: readonly ToolChange[];
  readonly newFindings: readonly ReportFinding[];
  readonly fixedFindings: readonly ReportFinding[];
  readonly newGaps: readonly string[];
}

/** Compares two scans by tool name and by fingerprint, which does not change when lines move. */
export function compareScans(before: ScanReport, after: ScanReport): ScanDifference {
  const [old, fresh] = [toolsOf(before), toolsOf(after)];
  const known = new Set(before.findings.map(({ fingerprint }) => fingerprint));
  const left = new Set(after.findings.map(({ fingerprint }) => fingerprint));
  const reasons = new Set(before.gaps.map(({ reason }) => reason));
  return {
    verdicts: [before.verdict, after.verdict],
    addedTools: [...fresh.keys()].filter((name) => !old.has(name)),
    removedTools: [...old.keys()].filter((name) => !fresh.has(name)),
    changedTools: [...fresh].flatMap(([name, tool]) => toolChange(name, old.get(name), tool, before, after)),
    newFindings: after.findings.filter((finding) => isOpen(finding) && !known.has(finding.fingerprint)),
    fixedFindings: before.findings.filter((finding) => isOpen(finding) && !left.has(finding.fingerprint)),
    newGaps: [...new Set(after.gaps.map(({ reason }) => reason))].filter((reason) => !reasons.has(reason)),
  };
}

/** Registered tools by name, in a stable order. */
const toolsOf = ({ surface }: ScanReport): ReadonlyMap<string, ReportTool> =>
  new Map(
    [...surface.tools, ...surface.optionalTools]
      .filter(({ confidence }) => confidence !== 'heuristic')
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((tool) => [tool.name, tool]),
  );

/** How a tool changed; empty if it is new or the same. */
function toolChange(
  name: string,
  old: ReportTool | undefined,
  fresh: ReportTool,
  before: ScanReport,
  after: ScanReport,
): readonly ToolChange[] {
  if (!old) return [];
  const [had, has] = [capabilitiesOf(before, name), capabilitiesOf(after, name)];
  const change: ToolChange = {
    tool: name,
    changed: [
      ...(old.description === fresh.description ? [] : (['description'] as const)),
      // Canonical JSON, so that the order of keys is no difference.
      ...(canonicalJson(old.schema ?? {}) === canonicalJson(fresh.schema ?? {}) ? [] : (['parameters'] as const)),
    ],
    gained: has.filter((each) => !had.includes(each)),
    lost: had.filter((each) => !has.includes(each)),
  };
  return change.changed.length + change.gained.length + change.lost.length === 0 ? [] : [change];
}

/** Capabilities of one tool; none if it is unknown. */
const capabilitiesOf = ({ capabilities }: ScanReport, name: string): readonly Capability[] =>
  capabilities.find(({ tool }) => tool === name)?.capabilities ?? [];
