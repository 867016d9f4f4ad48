import { visible } from '../../lib/visible.js';
import type { ReportFinding, ScanReport } from '../report.js';
import { isOpen } from '../report.js';

const longest = 400;
const shown = (text: string): string => visible(text.replace(/\s+/g, ' ').slice(0, longest));

function lines(finding: ReportFinding): string[] {
  const { location, flow } = finding;
  const steps = (flow ?? []).map((step) => `      ${shown(step.at.file)}:${step.at.startLine} ${shown(step.says)}`);
  return [
    `  ${finding.severity.toUpperCase()} ${finding.rule} ${shown(location.file)}:${location.startLine}`,
    `    ${shown(finding.message)}`,
    ...steps,
  ];
}

/** The text form of a scan, for people. */
export function formatScanText(report: ScanReport): string {
  const open = report.findings.filter(isOpen);
  const bugs = open.filter((finding) => finding.kind === 'bug');
  const powers = open.filter((finding) => finding.kind === 'capability');
  const silent = report.findings.length - open.length;
  const { surface, counts } = report;
  const made = [
    'MCP Server Scan',
    '===============',
    `Verdict: ${report.verdict}`,
    `Offers: ${surface.tools.length} tools, ${surface.resources.length} resources, ${surface.prompts.length} prompts in ${surface.files} files`,
    `Found: ${counts.critical} critical, ${counts.high} high, ${counts.medium} medium, ${counts.low} low, ${counts.note} notes${silent > 0 ? `; ${silent} silenced or known` : ''}`,
    ...(bugs.length > 0 ? ['', 'Findings:', ...bugs.flatMap(lines)] : []),
    ...(powers.length > 0
      ? ['', 'Made to do so:', ...powers.flatMap((finding) => lines({ ...finding, flow: undefined }))]
      : []),
    ...(report.gaps.length > 0
      ? [
          '',
          `Not read or not finished (${report.gaps.length}):`,
          ...report.gaps.map((gap) => `  - ${shown(gap.file)}: ${shown(gap.reason)}`),
        ]
      : []),
    ...(surface.unresolved.length > 0
      ? [
          '',
          `Unresolved (${surface.unresolved.length}):`,
          ...surface.unresolved.map(
            (each) =>
              `  - ${each.kind}: ${shown(each.reason)} (${shown(each.location.file)}:${each.location.start_line})`,
          ),
        ]
      : []),
  ];
  return `${made.join('\n')}\n`;
}
