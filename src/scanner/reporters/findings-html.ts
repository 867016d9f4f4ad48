import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { isOpen, type ReportFinding, type ScanReport } from '../report.js';
import { rules } from '../rules/index.js';
import { groupGaps } from './gap-groups.js';
import { toolSummaries } from './tool-summaries.js';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes untrusted text: the report of a hostile server must not run script in the reader's browser (XSS). */
const escapeHtml = (text: string): string =>
  escapeInvisible(text.replace(/\s+/g, ' ').slice(0, 600)).replace(/[&<>"']/g, (each) => entities[each] ?? '');

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}code{font:13px ui-monospace,monospace}
article{border:1px solid #d0d7de;border-left:6px solid #6e7781;border-radius:6px;padding:.6rem 1rem;margin:.8rem 0}
article.critical,article.high{border-left-color:#b3261e}article.medium{border-left-color:#9a6700}
ol{margin:.5rem 0;padding-left:1.4rem}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #d0d7de;padding:.3rem .5rem;text-align:left}
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}article,td,th{border-color:#30363d}}`;

/** A report of one target. */
export interface NamedReport {
  readonly name: string;
  readonly report: ScanReport;
}

/** Formats scans as one self-contained HTML file: no script, no request to another address. */
export function formatScanHtml(reports: readonly NamedReport[]): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>MCP server scan</title><style>${style}</style></head>
<body>
${reports.map(section).join('\n')}
</body></html>
`;
}

function section({ name, report }: NamedReport): string {
  const { counts, surface } = report;
  const open = report.findings.filter(isOpen);
  const parts = [
    `<h1>${escapeHtml(name)}: ${report.verdict}</h1>`,
    `<p>${surface.tools.length} tools, ${surface.resources.length} resources, ${surface.prompts.length} prompts. ${counts.critical} critical, ${counts.high} high, ${counts.medium} medium, ${counts.low} low, ${counts.note} notes.</p>`,
    list('Findings', open.filter(({ kind }) => kind === 'bug').map(article)),
    list('By design', open.filter(({ kind }) => kind === 'capability').map(article)),
    tools(report),
    list(
      'Not analysed completely',
      groupGaps(report.gaps).map(
        ({ title, lines }) =>
          `<p>${escapeHtml(title)}</p><ul>${lines.map((each) => `<li>${escapeHtml(each)}</li>`).join('')}</ul>`,
      ),
    ),
    list(
      'Unresolved',
      surface.unresolved.map(
        ({ reason, location }) =>
          `<p>${escapeHtml(reason)} <code>${escapeHtml(location.file)}:${location.start_line}</code></p>`,
      ),
    ),
  ];
  return `<main>\n${parts.filter((part) => part !== '').join('\n')}\n</main>`;
}

const list = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<h2>${title} (${items.length})</h2>\n${items.join('\n')}`;

function article(finding: ReportFinding): string {
  const { location, severity, rule, message, flow = [] } = finding;
  const fix = rules.find(({ id }) => id === rule)?.fix ?? '';
  const steps = flow.map(
    ({ at, says }) => `<li><code>${escapeHtml(at.file)}:${at.startLine}</code> ${escapeHtml(says)}</li>`,
  );
  return `<article class="${severity}"><strong>${severity} ${escapeHtml(rule)}</strong> <code>${escapeHtml(location.file)}:${location.startLine}</code>
<p>${escapeHtml(message)}</p>${steps.length > 1 ? `<ol>${steps.join('')}</ol>` : ''}<p><em>Fix:</em> ${escapeHtml(fix)}</p></article>`;
}

function tools(report: ScanReport): string {
  const rows = toolSummaries(report).map(
    ({ tool, capabilities, followed }) =>
      `<tr><td>${escapeHtml(tool)}</td><td>${escapeHtml(capabilities)}</td><td>${followed}</td></tr>`,
  );
  return rows.length === 0
    ? ''
    : `<h2>Tools (${rows.length})</h2>\n<table><tr><th>Tool</th><th>Capabilities</th><th>Coverage</th></tr>\n${rows.join('\n')}</table>`;
}
