import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import {
  formatSarifRuns,
  formatScanHtml,
  formatScanJson,
  formatScanMarkdown,
  formatScanText,
  type ScanReport,
} from '../../scanner/index.js';
import { version } from '../../version.js';
import type { JobTarget, scanFormats } from './job.js';

/** A target with its report. */
interface TargetReport {
  readonly target: JobTarget;
  readonly report: ScanReport;
}

/** Exit codes by verdict; `toolgate scan --help` documents them. */
const codes = { clean: 0, findings: 1, incomplete: 2 } as const;

/** Exit code of several scans: findings before incomplete before clean. */
export function exitCodeOf(reports: readonly ScanReport[]): number {
  const found = reports.map(({ verdict }) => codes[verdict]);
  // A finding outweighs an incomplete scan: it is certain, and pipelines stop on it.
  return found.includes(1) ? 1 : Math.max(0, ...found);
}

/** Formats the reports of all targets as one output; of a single target without its name, so that tools can compare it. */
export function formatReports(format: (typeof scanFormats)[number], reports: readonly TargetReport[]): string {
  const [only] = reports;
  if (format === 'html') return formatScanHtml(reports.map(({ target, report }) => ({ name: target.name, report })));
  if (format === 'sarif')
    return formatSarifRuns(
      reports.map(({ target, report }) => ({ report, folder: repositoryFolder(target.path) })),
      version,
    );
  const one = { text: formatScanText, json: formatScanJson, markdown: formatScanMarkdown }[format];
  if (only && reports.length === 1) return one(only.report);
  if (format === 'json') {
    // With several targets each report is nested, so that one document holds all of them.
    const targets = reports.map(({ target, report }): object => ({
      target: target.name,
      // Parsed again: one place decides the fields of a report.
      report: JSON.parse(formatScanJson(report)) as object,
    }));
    return `${JSON.stringify({ targets }, null, 2)}\n`;
  }
  const parts = reports.map(({ target, report }) =>
    format === 'markdown' ? `# ${target.name}\n\n${one(report)}` : `${target.name}\n${one(report)}`,
  );
  return format === 'text' ? `${summaryLines(reports)}\n\n${parts.join('\n')}` : parts.join('\n');
}

/** One line per target, before the details. */
const summaryLines = (reports: readonly TargetReport[]): string =>
  [
    `${reports.length} targets`,
    ...reports.map(({ target, report: { verdict, counts, surface, gaps } }) => {
      const [first] = gaps;
      const why = verdict === 'incomplete' && first ? ` (${first.reason})` : '';
      return `  ${verdict.padEnd(10)} ${target.name}: ${surface.tools.length} tools, ${counts.critical} critical, ${counts.high} high${why}`;
    }),
  ].join('\n');

/** Folder of a target below the root of its repository, with a slash at the end; empty outside of a repository. */
function repositoryFolder(path: string | undefined): string {
  if (path === undefined || !existsSync(path)) return '';
  // Links are resolved first: a linked folder belongs to the repository it really is in.
  const real = realpathSync(path);
  const folder = statSync(real).isDirectory() ? real : dirname(real);
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) {
      const below = relative(at, folder).split(sep).join('/');
      return below === '' ? '' : `${below}/`;
    }
    if (at === dirname(at)) return '';
  }
}
