// Small servers that were written before the abilities they measure: pairs of a vulnerable and a fixed version, and tool
// lists. The first run of this script is first sight; later runs keep that figure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { scan } from '../dist/scanner/index.js';

const entry = fileURLToPath(new URL('../src/scanner/fixtures/held-out/index.ts', import.meta.url));
const ranks = ['note', 'low', 'medium', 'high', 'critical'];
const medium = ranks.indexOf('medium') + 1;

/** Fixtures are not part of the build, so they are compiled here. */
async function fixtures() {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

async function scanFiles(files) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-held-out-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return await scan(folder, { heuristics: false });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Worst severity among findings of these rules, bugs and capabilities. */
async function rankOf({ language, rules }, text) {
  const { findings } = await scanFiles({ [language === 'python' ? 'server.py' : 'server.ts']: text });
  const hits = findings.filter(({ rule }) => rules.includes(rule));
  return Math.max(0, ...hits.map(({ severity }) => ranks.indexOf(severity) + 1));
}

/** Pairs distinguished per ability, and servers whose tools were named exactly or whose gap was reported. */
export async function heldOut(verbose) {
  const { heldOutPairs, heldOutSurfaces } = await fixtures();
  const abilities = {};
  for (const pair of heldOutPairs) {
    const [bad, good] = [await rankOf(pair, pair.bad), await rankOf(pair, pair.good)];
    const isApart = pair.isRatedOnly ? bad > good && bad > 1 : bad >= medium && good < medium;
    const sum = (abilities[pair.ability] ??= { pairs: 0, apart: 0, flaggedWhenFixed: 0 });
    sum.pairs += 1;
    if (isApart) sum.apart += 1;
    if (good >= medium) sum.flaggedWhenFixed += 1;
    if (verbose && !isApart) console.log(`not distinguished: ${pair.ability}: ${pair.name}: ${bad} then ${good}`);
  }
  const surfaces = { servers: 0, exact: 0, silent: 0 };
  for (const { name, files, tools, isOpen } of heldOutSurfaces) {
    const { surface, gaps } = await scanFiles(files);
    const got = [...new Set(surface.tools.map((tool) => tool.name))].sort().join();
    const isNoted = gaps.length + surface.unresolved.length > 0;
    const isExact = got === [...tools].sort().join() && (!isOpen || isNoted) && surface.tools.length === tools.length;
    surfaces.servers += 1;
    if (isExact) surfaces.exact += 1;
    else if (!isNoted) surfaces.silent += 1;
    if (verbose && !isExact)
      console.log(`surface: ${name}: ${got || 'none'} instead of ${tools}${isNoted ? '' : ', silent'}`);
  }
  const rows = Object.values(abilities);
  const total = (key) => rows.reduce((sum, row) => sum + row[key], 0);
  const pairs = total('pairs');
  console.log(
    `held out: ${total('apart')} of ${pairs} pairs distinguished, ${total('flaggedWhenFixed')} flagged when fixed; ` +
      `${surfaces.exact} of ${surfaces.servers} tool lists exact, ${surfaces.silent} missed in silence`,
  );
  return { pairs, apart: total('apart'), flaggedWhenFixed: total('flaggedWhenFixed'), abilities, surfaces };
}
