// Measures findings against the labelled sets: recall on vuln-dev, look-alikes flagged on benign-dev.
// usage: node scripts/accuracy-findings.mjs <folder with checkouts named owner+repo> [--list]
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = process.env['TOOLGATE_DIST'] ?? join(root, 'dist');
const { scan } = await import(pathToFileURL(join(dist, 'scanner/index.js')).href);
const data = join(root, '../shared/corpus/scan');
const [checkouts = '', ...flags] = process.argv.slice(2);
if (!existsSync(data) || !existsSync(checkouts)) {
  console.log('The labelled sets or the checkouts are not here; nothing was measured.');
  process.exit(0);
}
const read = (name) => JSON.parse(readFileSync(join(data, name), 'utf8'));

/** The rules that answer for a category of the labels. */
const rulesOf = {
  'command-injection': ['TG-TAINT-CMD'], 'code-eval': ['TG-TAINT-CODE', 'TG-BACKDOOR'], 'path-traversal': ['TG-TAINT-PATH'], ssrf: ['TG-TAINT-SSRF'], 'sql-injection': ['TG-TAINT-SQL'], secret: ['TG-SECRET'],
  'tool-poisoning': ['TG-POISON'], 'rug-pull': ['TG-RUG-PULL'], 'tool-shadowing': ['TG-SHADOW'], 'secret-exposure': ['TG-SECRET-EXPOSED'], 'data-exfiltration': ['TG-EXFIL'], backdoor: ['TG-BACKDOOR'], deserialization: ['TG-TAINT-DESER'],
};
const slack = { 'tool-poisoning': 10, 'tool-shadowing': 2, 'rug-pull': 1, 'secret-exposure': 3 };

const reports = new Map();
async function reportOf(repo) {
  const folder = join(checkouts, repo.replace('/', '+'));
  if (!reports.has(repo)) reports.set(repo, existsSync(folder) ? await scan(folder) : undefined);
  return reports.get(repo);
}

const hits = (report, row, category) => report.findings.filter((finding) => (rulesOf[category] ?? []).includes(finding.rule) && finding.location.file === row.file
  && Math.abs(finding.location.startLine - row.line) <= (slack[category] ?? 1) && (row.tool === null || finding.tool === undefined || category === 'secret' || category === 'tool-shadowing' || finding.tool === row.tool || row.tool.includes('://')));

const tally = new Map();
let [found, capabilities, total, flagged, benign] = [0, 0, 0, 0, 0];
for (const row of read('vuln-dev.json')) {
  if (row.contested || row.kind !== 'vuln') continue;
  const report = await reportOf(row.repo);
  if (!report) continue;
  const matching = hits(report, row, row.category);
  const isFound = matching.some((finding) => finding.kind === 'bug');
  const isCapability = !isFound && matching.length > 0;
  total += 1;
  found += isFound ? 1 : 0;
  capabilities += isCapability ? 1 : 0;
  const each = tally.get(row.category) ?? { found: 0, total: 0 };
  tally.set(row.category, { found: each.found + (isFound ? 1 : 0), total: each.total + 1 });
  if (!isFound && flags.includes('--list')) console.log(`${isCapability ? 'by design' : 'missed'} ${row.id} ${row.category} ${row.file}:${row.line} ${row.tool ?? ''} ${row.sink}`);
}
for (const row of read('benign-dev.json')) {
  const report = await reportOf(row.repo);
  if (!report) continue;
  benign += 1;
  if (hits(report, { ...row, tool: row.tool }, row.looksLike).length > 0) {
    flagged += 1;
    if (flags.includes('--list')) console.log(`flagged ${row.id} ${row.file}:${row.line}`);
  }
}
console.log([...tally].map(([category, { found: some, total: of }]) => `${category} ${some}/${of}`).join(', '));
console.log(`recall ${found} of ${total} (${((100 * found) / Math.max(1, total)).toFixed(1)} %), ${capabilities} more told as by design; look-alikes flagged ${flagged} of ${benign}`);
