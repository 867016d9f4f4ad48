// npm run bench [part …]: runs the parts, each in a separate process, and writes bench/results/<part>.json.
// Figures are ratios or CPU time taken in one run, since wall time on a shared machine is unreliable.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const results = join(here, 'results');
const parts = readdirSync(here)
  .filter((file) => file.endsWith('.mjs') && file !== 'run.mjs')
  .map((file) => basename(file, '.mjs'));

if (process.argv[2] === '--part') {
  const { run } = await import(`./${process.argv[3]}.mjs`);
  const figures = await run();
  process.send(figures, () => process.exit(0));
} else {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((part) => !parts.includes(part));
  if (unknown.length > 0) {
    console.error(`There is no part ${unknown.join(', ')}; there is ${parts.join(', ')}`);
    process.exit(2);
  }
  mkdirSync(results, { recursive: true });
  let failed = 0;
  for (const part of wanted.length > 0 ? wanted : parts) {
    console.log(`\n# ${part}`);
    const figures = await inChild(part).catch((error) => {
      console.error(`${part}: ${error.message}`);
      failed += 1;
    });
    if (figures === undefined) continue;
    const report = {
      part,
      command: `npm run bench ${part}`,
      machine: { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, kernel: release() },
      figures,
    };
    writeFileSync(join(results, `${part}.json`), `${JSON.stringify(report, null, 2)}\n`);
    console.log(JSON.stringify(figures, null, 2));
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

function inChild(part) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), '--part', part], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    let figures;
    child.on('message', (message) => {
      figures = message;
    });
    child.on('exit', (code) =>
      figures === undefined ? reject(new Error(`ended with ${code} and no figures`)) : resolve(figures),
    );
  });
}
