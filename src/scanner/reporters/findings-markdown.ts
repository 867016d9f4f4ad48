import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import type { ScanReport } from '../report.js';
import { isOpen } from '../report.js';

/** Escapes untrusted text for a table cell: it must not end the cell, start markup or break the line (Markdown injection). */
const toCell = (text: string): string =>
  escapeInvisible(text.replace(/\s+/g, ' ').slice(0, 300)).replace(/[\\`*_{}[\]<>()#+!|~]/g, '\\$&');

/** Formats a scan as Markdown for a pull request or an issue. */
export function formatScanMarkdown(report: ScanReport): string {
  const open = report.findings.filter(isOpen);
  const { counts, surface } = report;
  const rows = open.map(
    (each) =>
      `| ${each.severity} | ${each.rule} | ${toCell(each.location.file)}:${each.location.startLine} | ${toCell(each.message)} |`,
  );
  return [
    `## MCP server scan: ${report.verdict}`,
    '',
    `${surface.tools.length} tools, ${surface.resources.length} resources, ${surface.prompts.length} prompts. ${counts.critical} critical, ${counts.high} high, ${counts.medium} medium, ${counts.low} low, ${counts.note} notes.`,
    '',
    ...(rows.length > 0 ? ['| Severity | Rule | Where | What |', '|---|---|---|---|', ...rows, ''] : []),
    ...(report.gaps.length > 0
      ? [
          'Not analysed completely:',
          '',
          ...report.gaps.slice(0, 100).map((gap) => `- ${toCell(gap.file)}: ${toCell(gap.reason)}`),
          '',
        ]
      : []),
  ].join('\n');
}
