import type { ScanReport } from '../report.js';

/** One tool: its capabilities, and how far its code was followed. */
interface ToolSummary {
  readonly tool: string;
  readonly capabilities: string;
  readonly followed: string;
}

/** Summary of every tool, for reports. */
export function toolSummaries({ coverage, capabilities }: ScanReport): readonly ToolSummary[] {
  const known = new Map(capabilities.map((each) => [each.tool, each.capabilities]));
  return coverage.map(({ tool, entered, finished, branch, unfollowed }) => ({
    tool,
    capabilities: known.get(tool)?.join(', ') || 'no capability found',
    followed:
      !entered || branch === false
        ? 'not followed'
        : !finished
          ? 'followed in part'
          : unfollowed.length > 0
            ? `followed except ${unfollowed.length} ${unfollowed.length === 1 ? 'call' : 'calls'}`
            : 'followed',
  }));
}
