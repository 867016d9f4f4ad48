// Builds the pages of the console: bundled, minified, named by content and compressed once, so that serving them costs nothing.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Writes index.html and its assets, each with a compressed copy beside it. */
export async function buildConsole(source, target) {
  const assets = join(target, 'assets');
  const { metafile } = await build({
    entryPoints: [join(source, 'main.tsx'), join(source, 'styles/main.css')],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: assets,
    outbase: source,
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: 'chrome111',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  });
  const outputs = Object.entries(metafile.outputs);
  const nameOf = (entry) => basename(outputs.find(([, { entryPoint }]) => entryPoint?.endsWith(entry))?.[0] ?? '');
  mkdirSync(target, { recursive: true });
  writeFileSync(
    join(target, 'index.html'),
    readFileSync(join(source, 'index.html'), 'utf8')
      .replace('{script}', nameOf('main.tsx'))
      .replace('{style}', nameOf('styles/main.css')),
  );
  writeFileSync(join(assets, 'icon.svg'), readFileSync(join(source, 'icon.svg')));
  for (const name of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const path = join(name.parentPath, name.name);
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }));
  }
}
