// npm run mutants [-- src/guards/breaker.ts …]: mutation testing with Stryker. Without arguments it takes the rooms whose bugs would be
// security defects; that takes hours. Stryker is not a dependency: it is fetched by npx at the versions below. Survivors are listed in
// reports/mutation, one line each.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tmpdir } from 'node:os';

// The last version for Node 20; newer ones need 22.
const version = '9.6.1';
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const rooms = ['guards', 'access', 'registry', 'serve', 'wire'].map((room) => `src/${room}/**/*.ts`);
const wanted = process.argv.slice(2);
/** Tests in the folders of the mutated files; those of the built program would need a build for each mutant. */
const tests = (wanted.length > 0 ? wanted : rooms).map(
  (path) => `${path.replace(/\/[^/]*$/, '').replace(/\/\*\*$/, '')}/**/*.test.ts`,
);
const mutate = [...(wanted.length > 0 ? wanted : [...rooms, 'src/gateway.ts']), '!src/**/*.test.ts'];

const folder = mkdtempSync(join(tmpdir(), 'toolgate-mutants-'));
const report = join(folder, 'mutation.json');
try {
  const installed = spawnSync(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--no-save',
      '--prefix',
      folder,
      `@stryker-mutator/core@${version}`,
      `@stryker-mutator/vitest-runner@${version}`,
    ],
    { stdio: 'inherit' },
  );
  if (installed.status !== 0) throw new Error('Stryker could not be installed');
  // The runner looks for vitest beside itself: it must be the one of this project.
  const own = join(folder, 'node_modules/vitest');
  rmSync(own, { recursive: true, force: true });
  if (!existsSync(own)) symlinkSync(join(root, 'node_modules/vitest'), own);
  const config = join(folder, 'stryker.config.json');
  writeFileSync(
    config,
    JSON.stringify({
      mutate,
      plugins: [join(folder, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
      testRunner: 'vitest',
      // No tsconfig.json to rewrite for the sandbox: that needs a compiler beside Stryker, and vitest does not read it.
      tsconfigFile: 'none.json',
      vitest: { configFile: 'scripts/mutants/vitest.config.mjs', related: true },
      coverageAnalysis: 'perTest',
      reporters: ['clear-text', 'json'],
      jsonReporter: { fileName: report },
      clearTextReporter: { allowColor: false, reportTests: false },
      concurrency: 1,
      timeoutMS: 30_000,
      ignorePatterns: ['dist', '.dist-*', 'bench/peers', 'reports'],
      tempDirName: join(folder, 'sandbox'),
      allowEmpty: true,
    }),
  );
  spawnSync(process.execPath, [join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', config], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TOOLGATE_MUTANT_TESTS: [...new Set(tests)].join(',') },
  });
  if (!existsSync(report)) throw new Error('Stryker wrote no report');
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  const counts = {};
  for (const [file, { mutants }] of Object.entries(files))
    for (const { status, mutatorName, location, replacement } of mutants) {
      counts[status] = (counts[status] ?? 0) + 1;
      if (status === 'Survived' || status === 'NoCoverage')
        console.log(
          `${file}:${location.start.line} ${status} ${mutatorName}: ${String(replacement).replaceAll(/\s+/g, ' ').slice(0, 80)}`,
        );
    }
  const { Killed = 0, Timeout = 0, Survived = 0, NoCoverage = 0 } = counts;
  const all = Killed + Timeout + Survived + NoCoverage;
  console.log(JSON.stringify({ ...counts, score: all === 0 ? 0 : Math.round(((Killed + Timeout) / all) * 1000) / 10 }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
