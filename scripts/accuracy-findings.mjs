// What is wrong with a server, as found in its source and as people labelled it.
import { scan } from '../dist/scanner/index.js';

/** The rules that answer for a category of the labels. */
const rulesOf = {
  'command-injection': ['TG-TAINT-CMD', 'TG-TAINT-ARG'],
  'code-eval': ['TG-TAINT-CODE', 'TG-BACKDOOR'],
  'path-traversal': ['TG-TAINT-PATH'],
  ssrf: ['TG-TAINT-SSRF'],
  'sql-injection': ['TG-TAINT-SQL'],
  secret: ['TG-SECRET'],
  'tool-poisoning': ['TG-POISON'],
  'rug-pull': ['TG-RUG-PULL'],
  'tool-shadowing': ['TG-SHADOW'],
  'secret-exposure': ['TG-SECRET-EXPOSED'],
  'data-exfiltration': ['TG-EXFIL'],
  backdoor: ['TG-BACKDOOR'],
  deserialization: ['TG-TAINT-DESER'],
};
/** A label may stand on the decorator or the first line of a text while the finding names the line that matters. */
const slack = { 'tool-poisoning': 10, 'tool-shadowing': 2, 'rug-pull': 1, 'secret-exposure': 3 };

const isOf = (finding, tool, category) =>
  tool === null ||
  finding.tool === undefined ||
  category === 'secret' ||
  category === 'tool-shadowing' ||
  finding.tool === tool ||
  finding.tools?.includes(tool) ||
  tool.includes('://');
const hits = (report, row, category) =>
  report.findings.filter(
    (finding) =>
      (rulesOf[category] ?? []).includes(finding.rule) &&
      finding.location.file === row.file &&
      Math.abs(finding.location.startLine - row.line) <= (slack[category] ?? 1) &&
      isOf(finding, row.tool, category),
  );

/** Recall on labelled vulnerabilities, and benign look-alikes that were flagged; a vulnerability reported as a capability counts as missed. */
export async function labelled(faults, lookAlikes, checkout, verbose) {
  const reports = new Map();
  const reportOf = async (repo) => {
    const folder = checkout(repo);
    if (!reports.has(repo)) reports.set(repo, folder ? await scan(folder) : undefined);
    return reports.get(repo);
  };
  const tally = new Map();
  const sum = { faults: 0, found: 0, byDesign: 0, lookAlikes: 0, flagged: 0 };
  for (const row of faults.filter((each) => !each.contested && each.kind === 'vuln')) {
    const report = await reportOf(row.repo);
    if (!report) continue;
    const matching = hits(report, row, row.category);
    const isFound = matching.some((finding) => finding.kind === 'bug');
    sum.faults += 1;
    if (isFound) sum.found += 1;
    else if (matching.length > 0) sum.byDesign += 1;
    const each = tally.get(row.category) ?? { found: 0, of: 0 };
    tally.set(row.category, { found: each.found + (isFound ? 1 : 0), of: each.of + 1 });
    if (!isFound && verbose)
      console.log(
        `${matching.length > 0 ? 'by design' : 'missed'} ${row.id} ${row.category} ${row.file}:${row.line} ${row.tool ?? ''} ${row.sink}`,
      );
  }
  for (const row of lookAlikes) {
    const report = await reportOf(row.repo);
    if (!report) continue;
    sum.lookAlikes += 1;
    if (!hits(report, row, row.looksLike).some((finding) => finding.kind === 'bug')) continue;
    sum.flagged += 1;
    if (verbose) console.log(`flagged ${row.id} ${row.file}:${row.line}`);
  }
  if (sum.faults === 0) return undefined;
  console.log([...tally].map(([category, { found, of }]) => `${category} ${found}/${of}`).join(', '));
  const recall = Math.round((1_000 * sum.found) / sum.faults) / 10;
  console.log(
    `findings: recall ${sum.found} of ${sum.faults} (${recall} %), ${sum.byDesign} more reported as by design; look-alikes flagged ${sum.flagged} of ${sum.lookAlikes}`,
  );
  return { ...sum, recall };
}

const isHigh = ({ kind, severity, suppressed }) =>
  kind === 'bug' && (severity === 'high' || severity === 'critical') && suppressed === undefined;

/** High findings per 100 tools of servers that people use. */
export async function silence(title, servers, verbose) {
  const sum = { servers: 0, tools: 0, high: 0, medium: 0 };
  for (const { key, path } of servers) {
    const { surface, findings } = await scan(path, { heuristics: false });
    if (surface.tools.length === 0) continue;
    const high = findings.filter(isHigh);
    sum.servers += 1;
    sum.tools += surface.tools.length;
    sum.high += high.length;
    sum.medium += findings.filter(({ kind, severity }) => kind === 'bug' && severity === 'medium').length;
    if (verbose)
      for (const { rule, location, message } of high)
        console.log(`${key}: ${rule} ${location.file}:${location.startLine} ${message}`);
  }
  if (sum.tools === 0) return undefined;
  const per100 = Math.round((10_000 * sum.high) / sum.tools) / 100;
  console.log(
    `${title}: ${sum.high} high findings over ${sum.tools} tools of ${sum.servers} servers, ${per100} per 100 tools (${sum.medium} medium)`,
  );
  return { ...sum, per100 };
}
