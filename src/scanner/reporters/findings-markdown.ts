import { visible } from '../../lib/visible.js';
import type { ScanReport } from '../report.js';
import { isOpen } from '../report.js';

/** Text from the scanned code inside a table cell: it must not end the cell, start markup or leave the line. */
const cell = (text: string): string =>
  visible(text.replace(/\s+/g, ' ').slice(0, 300)).replace(/[\\`*_{}[\]<>()#+!|~]/g, '\\$&');

/** The form for a pull request or an issue. */
export function formatScanMarkdown(report: ScanReport): string {
  const open = report.findings.filter(isOpen);
  const { counts, surface } = report;
  const rows = open.map(
    (each) =>
      `| ${each.severity} | ${each.rule} | ${cell(each.location.file)}:${each.location.startLine} | ${cell(each.message)} |`,
  );
  return [
    `## MCP server scan: ${report.verdict}`,
    '',
    `${surface.tools.length} tools, ${surface.resources.length} resources, ${surface.prompts.length} prompts. ${counts.critical} critical, ${counts.high} high, ${counts.medium} medium, ${counts.low} low, ${counts.note} notes.`,
    '',
    ...(rows.length > 0 ? ['| Severity | Rule | Where | What |', '|---|---|---|---|', ...rows, ''] : []),
    ...(report.gaps.length > 0
      ? [
          'Not read or not finished:',
          '',
          ...report.gaps.slice(0, 100).map((gap) => `- ${cell(gap.file)}: ${cell(gap.reason)}`),
          '',
        ]
      : []),
  ].join('\n');
}
