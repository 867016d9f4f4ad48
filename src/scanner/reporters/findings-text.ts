import { escapeInvisible } from '../../lib/escape-invisible.js';
import type { ReportFinding, ScanReport } from '../report.js';
import { isOpen } from '../report.js';

const maxTextLength = 400;
const printableLine = (text: string): string => escapeInvisible(text.replace(/\s+/g, ' ').slice(0, maxTextLength));

function findingLines(finding: ReportFinding): string[] {
  const { location, flow } = finding;
  const steps = (flow ?? []).map(
    (step) => `      ${printableLine(step.at.file)}:${step.at.startLine} ${printableLine(step.says)}`,
  );
  return [
    `  ${finding.severity.toUpperCase()} ${finding.rule} ${printableLine(location.file)}:${location.startLine}`,
    `    ${printableLine(finding.message)}`,
    ...steps,
  ];
}

/** Formats a scan as text for a terminal. */
export function formatScanText(report: ScanReport): string {
  const open = report.findings.filter(isOpen);
  const bugs = open.filter((finding) => finding.kind === 'bug');
  const capabilities = open.filter((finding) => finding.kind === 'capability');
  const suppressedCount = report.findings.length - open.length;
  const { surface, counts } = report;
  const outputLines = [
    'MCP Server Scan',
    '===============',
    `Verdict: ${report.verdict}`,
    `Offers: ${surface.tools.length} tools, ${surface.resources.length} resources, ${surface.prompts.length} prompts in ${surface.files} files`,
    `Found: ${counts.critical} critical, ${counts.high} high, ${counts.medium} medium, ${counts.low} low, ${counts.note} notes${suppressedCount > 0 ? `; ${suppressedCount} suppressed or in the baseline` : ''}`,
    ...(bugs.length > 0 ? ['', 'Findings:', ...bugs.flatMap(findingLines)] : []),
    ...(capabilities.length > 0
      ? ['', 'By design:', ...capabilities.flatMap((finding) => findingLines({ ...finding, flow: undefined }))]
      : []),
    ...(report.gaps.length > 0
      ? [
          '',
          `Not analysed completely (${report.gaps.length}):`,
          ...report.gaps.map((gap) => `  - ${printableLine(gap.file)}: ${printableLine(gap.reason)}`),
        ]
      : []),
    ...(surface.unresolved.length > 0
      ? [
          '',
          `Unresolved (${surface.unresolved.length}):`,
          ...surface.unresolved.map(
            (each) =>
              `  - ${each.kind}: ${printableLine(each.reason)} (${printableLine(each.location.file)}:${each.location.start_line})`,
          ),
        ]
      : []),
  ];
  return `${outputLines.join('\n')}\n`;
}
