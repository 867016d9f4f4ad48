// Makes a fresh clone ready: installs from the lockfile when node_modules is missing or older, and builds when asked.
// `npm start` and `npm test` call this, so that each is one command.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (path) => (existsSync(join(root, path)) ? statSync(join(root, path)).mtimeMs : 0);

function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) latest = Math.max(latest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
  }
  return latest;
}

function run(title, command, args) {
  process.stderr.write(`${title}\n`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error || status !== 0) {
    process.stderr.write(`${title} failed${error ? `: ${error.message}` : ` with exit code ${status}`}\n`);
    process.exit(1);
  }
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Toolgate needs Node 20.19 or newer; this is ${process.versions.node}\n`);
  process.exit(1);
}
if (at('node_modules/.package-lock.json') < at('package-lock.json')) {
  run('Installing dependencies …', process.env.npm_execpath ? process.execPath : 'npm', [
    ...(process.env.npm_execpath ? [process.env.npm_execpath] : []),
    'ci',
    '--no-audit',
    '--no-fund',
  ]);
}
if (
  process.argv.includes('--build') &&
  at('dist/.built') < Math.max(newest('src'), at('tsconfig.json'), at('scripts/build.mjs'), at('package-lock.json'))
) {
  run('Building …', process.execPath, ['scripts/build.mjs']);
}
