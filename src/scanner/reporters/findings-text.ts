import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import type { Gap, ReportFinding, ScanReport } from '../report.js';
import { isOpen } from '../report.js';
import type { Unresolved } from '../surface/report.js';
import { firstFew, groupGaps } from './gap-groups.js';
import { toolSummaries } from './tool-summaries.js';

const maxTextLength = 400;
const printableLine = (text: string): string => escapeInvisible(text.replace(/\s+/g, ' ').slice(0, maxTextLength));

/** Findings of one rule and severity in one file: at most three lines, whatever their number. */
function findingGroups(findings: readonly ReportFinding[]): string[] {
  const groups = new Map<string, ReportFinding[]>();
  for (const finding of findings) {
    const key = `${finding.severity} ${finding.rule} ${finding.location.file}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => (first ? groupLines(first, others) : []));
}

function groupLines(first: ReportFinding, others: readonly ReportFinding[]): string[] {
  const { location, flow = [], severity, rule, message } = first;
  const lines = [...new Set(others.map((each) => each.location.startLine))];
  const more =
    others.length === 0
      ? ''
      : ` (and ${others.length} more, line ${lines.slice(0, maxLines).join(', ')}${lines.length > maxLines ? ', …' : ''})`;
  const path = flow.map(({ at }) => `${at.file}:${at.startLine}`).filter((at, index, all) => at !== all[index - 1]);
  return [
    `  ${severity.toUpperCase()} ${rule} ${printableLine(location.file)}:${location.startLine}${more}`,
    `    ${printableLine(message)}`,
    ...(path.length > 1 ? [`    path: ${printableLine(path.join(' > '))}`] : []),
  ];
}

const maxLines = 8;

/** Gaps by group: a title, and the first few of each. */
const gapLines = (gaps: readonly Gap[]): string[] =>
  groupGaps(gaps).flatMap(({ title, lines }) => [
    `  - ${printableLine(title)}`,
    ...lines.map((each) => `      ${printableLine(each)}`),
  ]);

/** Registrations that could not be resolved, by reason. */
function unresolvedLines(unresolved: readonly Unresolved[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { kind, reason, location } of unresolved) {
    const key = `${kind}: ${reason}`;
    groups.set(key, [...(groups.get(key) ?? []), `${location.file}:${location.start_line}`]);
  }
  return [...groups].flatMap(([title, places]) =>
    places.length === 1
      ? [`  - ${printableLine(title)} (${printableLine(places[0] ?? '')})`]
      : [`  - ${printableLine(title)} (${places.length} times)`, `      ${printableLine(firstFew(places).join(', '))}`],
  );
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
    ...(bugs.length > 0 ? ['', 'Findings:', ...findingGroups(bugs)] : []),
    ...(capabilities.length > 0
      ? ['', 'By design:', ...findingGroups(capabilities.map((finding) => ({ ...finding, flow: undefined })))]
      : []),
    ...(report.coverage.length > 0
      ? [
          '',
          'Tools:',
          ...toolSummaries(report).map(
            ({ tool, capabilities: can, followed }) => `  ${printableLine(tool)}: ${can}; ${followed}`,
          ),
        ]
      : []),
    ...(report.gaps.length > 0
      ? ['', `Not analysed completely (${report.gaps.length}):`, ...gapLines(report.gaps)]
      : []),
    ...(surface.unresolved.length > 0
      ? ['', `Unresolved (${surface.unresolved.length}):`, ...unresolvedLines(surface.unresolved)]
      : []),
  ];
  return `${outputLines.join('\n')}\n`;
}
