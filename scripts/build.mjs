// Builds dist/: every module for programs that import the package, and the command line bundled into a few files, since
// a start that opens three hundred modules takes twice as long.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from './build-console.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'dist');
// Built beside the target and swapped at the end: a failed build leaves the last good one in place.
const dist = join(root, `.dist-${process.pid}`);
process.on('exit', () => rmSync(dist, { recursive: true, force: true }));
// What tsc does not emit: manifests, grammars, pages.
const assets = new Set(['.yaml', '.yml', '.json', '.wasm', '.html', '.css', '.svg', '.bin']);
const pages = join(root, 'src/console');
const programs = [
  'cli.js',
  'cli/scan/thread.js',
  'scanner/parts/worker-main.js',
  'processes/broker/main.js',
  'sources/mcp/packages/install-main.js',
  'hostile-text/results/examine-main.js',
];
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// Consists of many small files that are read at every start; other packages are few large files, or rarely needed.
const bundled = new Set(['@marcbachmann/cel-js']);

const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json'), '--outDir', dist],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(1);
cpSync(join(root, 'src'), dist, {
  recursive: true,
  filter: (source) => !source.startsWith(pages) && (extname(source) === '' || assets.has(extname(source))),
});
await build({
  entryPoints: programs.map((program) => join(dist, program)),
  outdir: dist,
  outbase: dist,
  // Comments and hashes of chunks name files relative to this folder, so that two builds are the same.
  absWorkingDir: dist,
  chunkNames: 'chunks/[name]-[hash]',
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  external: Object.keys(dependencies).filter((name) => !bundled.has(name)),
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
});
await buildConsole(pages, join(dist, 'console'));
chmodSync(join(dist, 'cli.js'), 0o755);
writeFileSync(join(dist, '.built'), '');
rmSync(target, { recursive: true, force: true });
renameSync(dist, target);
