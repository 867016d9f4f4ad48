import { visible } from '../../lib/visible.js';
import type { ReportLocation, ReportTool, SurfaceReport } from '../surface/report.js';

const longest = 300;

/** Text from the scanned code as it may be shown on a terminal: one line, no control or direction characters. */
export function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const cut = line.length > longest ? `${line.slice(0, longest)}…` : line;
  // A description may carry escape sequences that repaint the terminal, or marks that reorder what is read.
  return visible(cut);
}

const place = ({ file, start_line: line }: ReportLocation): string => `${shown(file)}:${line}`;

const numbered = (items: readonly ReportTool[]): string[] =>
  items.flatMap((tool, index) => [
    `  ${index + 1}. ${shown(tool.name)}${tool.confidence === 'heuristic' ? ' (heuristic)' : ''}`,
    `     Description: "${shown(tool.description)}"`,
    `     Handler: ${place(tool.handler?.location ?? tool.location)}`,
  ]);

const section = <T>(title: string, items: readonly T[], lines: (items: readonly T[]) => string[]): string[] =>
  items.length === 0 ? [`${title}: None`] : [`${title} (${items.length}):`, ...lines(items)];

/** The text form of a surface, for people. */
export function formatSurfaceText(report: SurfaceReport): string {
  const title = 'MCP Surface Analysis';
  const lines = [
    title,
    '='.repeat(title.length),
    `SDK Detected: ${report.sdks.map((each) => each.name).join(', ') || 'None'}`,
    `Transport: ${report.transports.map((each) => each.toUpperCase()).join(', ') || 'UNKNOWN'}`,
    '',
    ...section('Tools', report.tools, numbered),
    ...(report.optionalTools.length > 0
      ? ['', ...section('Optional tools, offered when configured', report.optionalTools, numbered)]
      : []),
    '',
    ...section('Resources', report.resources, (items) =>
      items.map((each, index) => `  ${index + 1}. ${shown(each.name)} ${shown(each.uri)} (${place(each.location)})`),
    ),
    ...section('Prompts', report.prompts, (items) =>
      items.map((each, index) => `  ${index + 1}. ${shown(each.name)} (${place(each.location)})`),
    ),
    '',
    ...(report.authSignals.length === 0
      ? ['Auth Signals: None']
      : [
          'Auth Signals:',
          ...report.authSignals.map((each) => `  - ${each.type}: ${shown(each.name)} (${place(each.location)})`),
        ]),
    ...(report.unresolved.length === 0
      ? []
      : [
          '',
          `Unresolved (${report.unresolved.length}):`,
          ...report.unresolved.map((each) => `  - ${each.kind}: ${shown(each.reason)} (${place(each.location)})`),
        ]),
    ...(report.skipped.length === 0
      ? []
      : [
          '',
          `Not read (${report.skipped.length}):`,
          ...report.skipped.map((each) => `  - ${shown(each.file)}: ${each.reason}`),
        ]),
  ];
  return `${lines.join('\n')}\n`;
}
