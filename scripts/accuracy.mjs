// Measures the scanner's surface against servers whose real answers were recorded: precision and recall of tool names,
// servers told exactly, descriptions and parameter names equal.
//
//   node scripts/accuracy.mjs [--cache folder] [--python-root folder] [--only text] [--verbose]
//
// npm servers are fetched with `npm pack` into the cache (never run, never installed). Python servers are read from
// <python-root>/<owner>+<name>, each checked out at its recorded commit; without that folder they are left out.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const data = join(root, '../shared/corpus/scan');
const { values } = parseArgs({ options: { cache: { type: 'string', default: join(root, '.toolgate/accuracy') }, 'python-root': { type: 'string' }, only: { type: 'string' }, verbose: { type: 'boolean' } } });

const read = (name) => JSON.parse(readFileSync(join(data, name), 'utf8'));
// Recorded descriptions end at 2,000 characters, and white space is not what is measured.
const plain = (text) => (text ?? '').slice(0, 2_000).replace(/\s+/g, ' ').trim();
const sorted = (names) => [...names].sort().join();

function packed(key, { package: name, version }) {
  const folder = join(values.cache, key);
  if (existsSync(join(folder, 'package'))) return join(folder, 'package');
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  execFileSync('tar', ['xzf', archive], { cwd: folder });
  return join(folder, 'package');
}

async function measure(title, servers, place, scanSurface) {
  const sum = { found: 0, missed: 0, extra: 0, exact: 0, servers: 0, descriptions: 0, parameters: 0, compared: 0, silent: [], cpuMs: 0, bytes: 0 };
  for (const [key, server] of Object.entries(servers)) {
    if (values.only && !key.includes(values.only)) continue;
    const path = place(key, server);
    if (!path || !existsSync(path)) {
      console.log(`left out: ${key} is not on this machine`);
      continue;
    }
    const before = process.cpuUsage();
    const report = await scanSurface(path, { heuristics: false });
    const used = process.cpuUsage(before);
    sum.cpuMs += (used.user + used.system) / 1_000;
    sum.bytes += report.bytes;
    if (server.notes?.startsWith('DYNAMIC')) {
      if (report.unresolved.length === 0) sum.silent.push(key);
      continue;
    }
    const wanted = new Set(server.toolNames);
    const allowed = new Set([...wanted, ...(server.toolNamesUnion ?? []), ...(server.allowExtra ?? [])]);
    const got = new Set(report.tools.map((tool) => tool.name));
    const missed = [...wanted].filter((name) => !got.has(name));
    const extra = [...got].filter((name) => !allowed.has(name));
    sum.servers += 1;
    sum.found += wanted.size - missed.length;
    sum.missed += missed.length;
    sum.extra += extra.length;
    if (missed.length + extra.length === 0) sum.exact += 1;
    if (missed.length > 0 && report.unresolved.length === 0) sum.silent.push(key);
    for (const tool of server.tools) {
      const same = report.tools.find((each) => each.name === tool.name);
      if (!same) continue;
      sum.compared += 1;
      const [description, parameters] = [plain(same.description) === plain(tool.description), sorted(Object.keys(same.schema?.properties ?? {})) === sorted(tool.params)];
      if (description) sum.descriptions += 1;
      if (parameters) sum.parameters += 1;
      if (values.verbose && !(description && parameters)) console.log(`${key}: ${tool.name}: ${[description || 'description', parameters || 'parameters'].filter((each) => each !== true).join(' and ')} differ`);
    }
    if (values.verbose && missed.length + extra.length > 0) console.log(`${key}: missed [${missed}], extra [${extra}]`);
  }
  if (sum.servers === 0) return;
  const percent = (part, all) => `${all === 0 ? '100.0' : ((100 * part) / all).toFixed(1)} %`;
  console.log(`${title}: precision ${percent(sum.found, sum.found + sum.extra)}, recall ${percent(sum.found, sum.found + sum.missed)}, servers exact ${sum.exact} of ${sum.servers}, `
    + `descriptions equal ${sum.descriptions} of ${sum.compared}, parameter names equal ${sum.parameters} of ${sum.compared}, `
    + `missed in silence ${sum.silent.length ? sum.silent.join(', ') : 'none'}, ${(sum.bytes / 1_000 / sum.cpuMs).toFixed(1)} MB/s a core`);
}

if (!existsSync(data)) {
  console.log(`skipped: ${data} is not beside this checkout`);
} else {
  const { scanSurface } = await import('../dist/scanner/index.js');
  await measure('npm', read('npm-dev.json'), packed, scanSurface);
  const python = values['python-root'];
  await measure('Python', read('py-dev.json'), (_key, server) => python && join(python, server.repo.replace('/', '+'), server.path), scanSurface);
}
