// Whether a fault is told from its mending: in small servers of our own, and in published ones before and after an advisory.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rules, scan } from '../dist/scanner/index.js';

const fixtures = new URL('../dist/scanner/taint/fixtures/', import.meta.url);
const extensions = { python: 'py', typescript: 'ts' };
/** A file of fixtures may hold both: the code itself tells. */
const languageOf = (source) => (/^\s*(?:async )?def \w+\(/m.test(source) ? 'python' : 'typescript');

async function ownPairs() {
  const pairs = rules
    .flatMap(({ id, cases }) => cases.map((each) => ({ ...each, rule: id })))
    .filter(({ language }) => language in extensions);
  for (const file of readdirSync(fixtures).filter((name) => name.endsWith('.js'))) {
    const lists = Object.values(await import(new URL(file, fixtures).href)).filter(Array.isArray);
    pairs.push(...lists.flat().map((pair) => ({ ...pair, language: languageOf(pair.bad) })));
  }
  return pairs;
}

/** Own vulnerable servers and their mended twins: how many pairs are flagged and silent as they should be. */
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
      else if (verbose) console.log(`not told apart: ${rule} ${name ?? language}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`twins: ${sum.apart} of ${sum.pairs} pairs of our own told apart`);
  return sum;
}

const ranks = ['low', 'medium', 'high', 'critical'];

/** How bad a scan says the fault of an advisory is: 0 where it says nothing. */
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

/** Published servers before and after an advisory: told apart where the mended one is said to be less bad at that place. */
export async function advisories(rows, placeOf, verbose) {
  // Whether a pair was told apart before anything was learned from it cannot be measured again: the row says so.
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
  console.log(`advisories: ${sum.apart} of ${sum.pairs} published pairs told apart, ${sum.quiet} with silence after`);
  return sum;
}
