import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import type { ScanDifference } from '../difference.js';
import type { ReportFinding } from '../report.js';

const line = (text: string): string => escapeInvisible(text.replace(/\s+/g, ' ').slice(0, 400));

const findingLine = ({ severity, rule, location, message }: ReportFinding): string =>
  `  ${severity.toUpperCase()} ${rule} ${line(location.file)}:${location.startLine} ${line(message)}`;

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `${title} (${lines.length}):`, ...lines];

/** Formats the difference of two versions as text. */
export function formatDifferenceText(found: ScanDifference): string {
  const changes = found.changedTools.map(({ tool, changed, gained, lost }) => {
    const parts = [
      ...changed,
      ...(gained.length > 0 ? [`now also ${gained.join(', ')}`] : []),
      ...(lost.length > 0 ? [`no longer ${lost.join(', ')}`] : []),
    ];
    return `  ${line(tool)}: ${parts.join('; ')}`;
  });
  const lines = [
    'MCP Server Scan: difference',
    '===========================',
    `Verdict: ${found.verdicts[0]} before, ${found.verdicts[1]} after`,
    ...section(
      'New tools',
      found.addedTools.map((name) => `  ${line(name)}`),
    ),
    ...section(
      'Removed tools',
      found.removedTools.map((name) => `  ${line(name)}`),
    ),
    ...section('Changed tools', changes),
    ...section('New findings', found.newFindings.map(findingLine)),
    ...section('Fixed findings', found.fixedFindings.map(findingLine)),
    ...section(
      'Newly not analysed',
      found.newGaps.map((reason) => `  ${line(reason)}`),
    ),
  ];
  return `${(lines.length === 3 ? [...lines, 'No difference in tools or findings.'] : lines).join('\n')}\n`;
}

/** Formats the difference of two versions as JSON. */
export const formatDifferenceJson = (found: ScanDifference): string =>
  `${JSON.stringify(
    {
      verdicts: { before: found.verdicts[0], after: found.verdicts[1] },
      added_tools: found.addedTools,
      removed_tools: found.removedTools,
      changed_tools: found.changedTools,
      new_findings: found.newFindings,
      fixed_findings: found.fixedFindings,
      new_gaps: found.newGaps,
    },
    null,
    2,
  )}\n`;
