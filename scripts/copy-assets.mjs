// Copies what tsc does not emit (manifests, grammars, pages) from src/ to dist/, and marks the build as finished.
import { chmodSync, cpSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const assets = new Set(['.yaml', '.yml', '.json', '.wasm', '.html', '.css', '.svg', '.bin']);

cpSync(join(root, 'src'), join(root, 'dist'), {
  recursive: true,
  filter: (source) => extname(source) === '' || assets.has(extname(source)),
});
const cli = join(root, 'dist/cli.js');
if (existsSync(cli)) chmodSync(cli, 0o755);
writeFileSync(join(root, 'dist/.built'), '');
