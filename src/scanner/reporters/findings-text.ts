import { escapeInvisible } from '../../lib/escape-invisible.js';
import type { Gap, ReportFinding, ScanReport } from '../report.js';
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

const maxPerGroup = 3;

/** One line per gap; of a group only the first few, with the number of the others. */
function gapLines(gaps: readonly Gap[]): string[] {
  const line = (gap: Gap): string => `${printableLine(gap.file)}: ${printableLine(gap.reason)}`;
  const groups = new Map<string, Gap[]>();
  for (const gap of gaps) if (gap.group !== undefined) groups.set(gap.group, [...(groups.get(gap.group) ?? []), gap]);
  return [
    ...gaps.filter(({ group }) => group === undefined).map((gap) => `  - ${line(gap)}`),
    ...[...groups].flatMap(([group, all]) => [
      `  - ${all.length} ${group}`,
      ...all.slice(0, maxPerGroup).map((gap) => `      ${line(gap)}`),
      ...(all.length > maxPerGroup ? [`      and ${all.length - maxPerGroup} more`] : []),
    ]),
  ];
}

/** One line per tool: what it can do and how far it was followed. */
function toolLines({ coverage, capabilities }: ScanReport): string[] {
  const known = new Map(capabilities.map((each) => [each.tool, each.capabilities]));
  return coverage.map(({ tool, entered, finished, branch, unfollowed }) => {
    const followed =
      !entered || branch === false
        ? 'not followed'
        : !finished
          ? 'followed in part'
          : unfollowed.length > 0
            ? `followed except ${unfollowed.length} ${unfollowed.length === 1 ? 'call' : 'calls'}`
            : 'followed';
    return `  ${printableLine(tool)}: ${known.get(tool)?.join(', ') || 'no capability found'}; ${followed}`;
  });
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
    ...(report.coverage.length > 0 ? ['', 'Tools:', ...toolLines(report)] : []),
    ...(report.gaps.length > 0
      ? ['', `Not analysed completely (${report.gaps.length}):`, ...gapLines(report.gaps)]
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
