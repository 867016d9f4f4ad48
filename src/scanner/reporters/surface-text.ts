import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import type { ReportLocation, ReportTool, SurfaceReport } from '../surface/report.js';

const maxTextLength = 300;

/** Makes untrusted text safe for a terminal: one line, without control or bidirectional characters. */
function printable(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const cut = line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line;
  // Descriptions may contain escape sequences (terminal injection) or bidirectional controls (Trojan Source).
  return escapeInvisible(cut);
}

const formatPlace = ({ file, start_line: line }: ReportLocation): string => `${printable(file)}:${line}`;

const toolLines = (items: readonly ReportTool[]): string[] =>
  items.flatMap((tool, index) => [
    `  ${index + 1}. ${printable(tool.name)}${tool.confidence === 'heuristic' ? ' (heuristic)' : ''}`,
    `     Description: "${printable(tool.description)}"`,
    `     Handler: ${formatPlace(tool.handler?.location ?? tool.location)}`,
  ]);

const sectionLines = <T>(title: string, items: readonly T[], lines: (items: readonly T[]) => string[]): string[] =>
  items.length === 0 ? [`${title}: None`] : [`${title} (${items.length}):`, ...lines(items)];

/** Formats a surface as text for a terminal. */
export function formatSurfaceText(report: SurfaceReport): string {
  const title = 'MCP Surface Analysis';
  const lines = [
    title,
    '='.repeat(title.length),
    `SDK Detected: ${report.sdks.map((each) => each.name).join(', ') || 'None'}`,
    `Transport: ${report.transports.map((each) => each.toUpperCase()).join(', ') || 'UNKNOWN'}`,
    '',
    ...sectionLines('Tools', report.tools, toolLines),
    ...(report.optionalTools.length > 0
      ? ['', ...sectionLines('Optional tools, offered when configured', report.optionalTools, toolLines)]
      : []),
    '',
    ...sectionLines('Resources', report.resources, (items) =>
      items.map(
        (each, index) =>
          `  ${index + 1}. ${printable(each.name)} ${printable(each.uri)} (${formatPlace(each.location)})`,
      ),
    ),
    ...sectionLines('Prompts', report.prompts, (items) =>
      items.map((each, index) => `  ${index + 1}. ${printable(each.name)} (${formatPlace(each.location)})`),
    ),
    '',
    ...(report.authSignals.length === 0
      ? ['Auth Signals: None']
      : [
          'Auth Signals:',
          ...report.authSignals.map(
            (each) => `  - ${each.type}: ${printable(each.name)} (${formatPlace(each.location)})`,
          ),
        ]),
    ...(report.unresolved.length === 0
      ? []
      : [
          '',
          `Unresolved (${report.unresolved.length}):`,
          ...report.unresolved.map(
            (each) => `  - ${each.kind}: ${printable(each.reason)} (${formatPlace(each.location)})`,
          ),
        ]),
    ...(report.skipped.length === 0
      ? []
      : [
          '',
          `Not read (${report.skipped.length}):`,
          ...report.skipped.map((each) => `  - ${printable(each.file)}: ${each.reason}`),
        ]),
  ];
  return `${lines.join('\n')}\n`;
}
