import type { ReportFinding } from '../report.js';
import type { ToldTool } from '../rules/look-alikes.js';
import { shadowed } from '../rules/shadowing.js';

/** A tool of one part, with what a finding about it would say. */
export interface MarkedTool extends ToldTool {
  readonly fingerprint: string;
  readonly suppressed?: string | undefined;
}

/** The tools of one part, and which files it held. */
export interface ToldPart {
  readonly paths: readonly string[];
  readonly told: readonly MarkedTool[];
}

/** Each is compared with all before it. */
const maxCompared = 2_000;

/** Tools that pass for a tool of an earlier part; those that were read together are compared there. */
export function shadowsAcross(parts: readonly ToldPart[]): readonly ReportFinding[] {
  const found: ReportFinding[] = [];
  const before: { readonly tool: MarkedTool; readonly held: ReadonlySet<string> }[] = [];
  for (const { paths, told } of parts) {
    const held = new Set(paths);
    const fresh = told.slice(0, Math.max(0, maxCompared - before.length));
    for (const tool of fresh)
      for (const other of before)
        if (!held.has(other.tool.location.file) && !other.held.has(tool.location.file))
          found.push(...shadowed(other.tool, tool).map((each) => reported(each, tool)));
    before.push(...fresh.map((tool) => ({ tool, held })));
  }
  return found;
}

const reported = (
  finding: ReturnType<typeof shadowed>[number],
  { fingerprint, suppressed }: MarkedTool,
): ReportFinding => ({ ...finding, fingerprint, ...(suppressed === undefined ? {} : { suppressed }) });
