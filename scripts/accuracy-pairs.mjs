// Whether the scanner distinguishes a vulnerable version from its fixed version: in our own small servers, and in
// published ones before and after an advisory.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { rules, scan } from '../dist/scanner/index.js';

const fixtures = fileURLToPath(new URL('../src/scanner/taint/fixtures/', import.meta.url));
const extensions = { python: 'py', typescript: 'ts' };
/** A fixture file may contain both languages, so the code decides. */
const languageOf = (source) => (/^\s*(?:async )?def \w+\(/m.test(source) ? 'python' : 'typescript');

async function ownPairs() {
  const pairs = rules
    .flatMap(({ id, cases }) => cases.map((each) => ({ ...each, rule: id })))
    .filter(({ language }) => language in extensions);
  for (const file of readdirSync(fixtures).filter((name) => name.endsWith('.ts'))) {
    // Fixtures are not part of the build, so they are compiled here.
    const { outputFiles } = await build({
      entryPoints: [join(fixtures, file)],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
    });
    const code = Buffer.from(outputFiles[0].contents).toString('base64');
    const lists = Object.values(await import(`data:text/javascript;base64,${code}`)).filter(Array.isArray);
    pairs.push(...lists.flat().map((pair) => ({ ...pair, language: languageOf(pair.bad) })));
  }
  return pairs;
}

/** Our own vulnerable servers and their fixed versions: counts pairs where only the vulnerable one is flagged. */
export async function twins(verbose) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-twins-'));
  const isFlagged = async (source, language, rule) => {
    const file = join(folder, `server.${extensions[language]}`);
    writeFileSync(file, source);
    const { findings } = await scan(file, { heuristics: false });
    rmSync(file);
    return findings.some((finding) => finding.kind === 'bug' && finding.rule === rule);
  };
  const sum = { pairs: 0, apart: 0 };
  try {
    for (const { name, rule, language, bad, good } of await ownPairs()) {
      const isApart = (await isFlagged(bad, language, rule)) && !(await isFlagged(good, language, rule));
      sum.pairs += 1;
      if (isApart) sum.apart += 1;
      else if (verbose) console.log(`not distinguished: ${rule} ${name ?? language}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`twins: ${sum.apart} of ${sum.pairs} of our own pairs distinguished`);
  return sum;
}

const ranks = ['low', 'medium', 'high', 'critical'];

/** Severity rank of the finding for an advisory; 0 without a finding. */
async function rankIn(path, { rule, file, tool }) {
  const { findings } = await scan(path, { heuristics: false });
  const hits = findings.filter(
    (finding) =>
      finding.kind === 'bug' &&
      finding.rule === rule &&
      finding.location.file.endsWith(file) &&
      (tool === undefined || finding.tool === tool || finding.tools?.includes(tool)),
  );
  return Math.max(0, ...hits.map(({ severity }) => ranks.indexOf(severity) + 1));
}

/** Published servers before and after an advisory: distinguished if the fixed version has a lower severity at that place. */
export async function advisories(rows, placeOf, verbose) {
  // Whether a pair was distinguished before rules were tuned on it cannot be measured again, so the row records it.
  const noted = rows.filter(({ firstSight }) => firstSight !== undefined);
  const sum = {
    pairs: 0,
    apart: 0,
    quiet: 0,
    unseen: noted.length,
    firstSight: noted.filter((row) => row.firstSight).length,
  };
  for (const row of rows) {
    const [vulnerable, fixed] = [placeOf(row, row.vulnerable), placeOf(row, row.fixed)];
    if (!vulnerable || !fixed) continue;
    const [before, after] = [await rankIn(vulnerable, row), await rankIn(fixed, row)];
    sum.pairs += 1;
    if (before > 1 && after < before) sum.apart += 1;
    if (before > 1 && after === 0) sum.quiet += 1;
    if (verbose) console.log(`${before > 1 && after < before ? 'apart' : 'NOT'} ${row.id}: ${before} then ${after}`);
  }
  if (sum.pairs === 0) return undefined;
  console.log(
    `advisories: ${sum.apart} of ${sum.pairs} published pairs distinguished, ${sum.quiet} without a finding after the fix`,
  );
  return sum;
}
