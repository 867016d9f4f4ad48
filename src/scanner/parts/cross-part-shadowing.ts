import type { ReportFinding } from '../report.js';
import type { ComparableTool } from '../rules/surface/tool-resemblance.js';
import { shadowFindings } from '../rules/surface/shadowing.js';

/** A tool of one part, with the fingerprint and suppression of a finding about it. */
export interface MarkedTool extends ComparableTool {
  readonly fingerprint: string;
  readonly suppressed?: string | undefined;
}

/** The tools and files of one part. */
interface ComparablePart {
  readonly paths: readonly string[];
  readonly comparableTools: readonly MarkedTool[];
}

/** Bounds the quadratic comparison. */
const maxCompared = 2_000;

/** Finds tools that can be mistaken for a tool of an earlier part; tools of the same part are compared by the rule itself. */
export function findShadowsAcrossParts(parts: readonly ComparablePart[]): readonly ReportFinding[] {
  const found: ReportFinding[] = [];
  const earlierTools: { readonly tool: MarkedTool; readonly held: ReadonlySet<string> }[] = [];
  for (const { paths, comparableTools } of parts) {
    const held = new Set(paths);
    const fresh = comparableTools.slice(0, Math.max(0, maxCompared - earlierTools.length));
    for (const tool of fresh)
      for (const other of earlierTools)
        if (!held.has(other.tool.location.file) && !other.held.has(tool.location.file))
          found.push(...shadowFindings(other.tool, tool).map((each) => toReportFinding(each, tool)));
    earlierTools.push(...fresh.map((tool) => ({ tool, held })));
  }
  return found;
}

const toReportFinding = (
  finding: ReturnType<typeof shadowFindings>[number],
  { fingerprint, suppressed }: MarkedTool,
): ReportFinding => ({ ...finding, fingerprint, ...(suppressed === undefined ? {} : { suppressed }) });
