// Scripts, benchmarks and test programs are plain .mjs files that the type checker does not see: a renamed export or file
// would only fail when one of them is run.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BuildFailure, Plugin } from 'esbuild';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = execFileSync('git', ['ls-files', '-z', '--', 'bench/*.mjs', 'scripts/*.mjs', 'test/*.mjs'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)));

const sourceOf = (built: string) => join(root, 'src', built.replace(/\.js$/, '.ts'));

/** Resolves `dist/x.js` to `src/x.ts`, so that the check needs no build; packages stay external. */
const distFromSource: Plugin = {
  name: 'dist-from-source',
  setup({ onResolve }) {
    onResolve({ filter: /node_modules/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /\/dist\/.*\.js$/ }, ({ path, resolveDir }) => {
      const built = resolve(resolveDir, path);
      const inside = built.startsWith(join(root, 'dist/'));
      return inside ? { path: sourceOf(built.slice(join(root, 'dist/').length)) } : undefined;
    });
  },
};

test('every name that a script or benchmark imports is exported', async () => {
  const result = await build({
    entryPoints: programs.map((file) => join(root, file)),
    bundle: true,
    write: false,
    outdir: join(root, 'unused'),
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    plugins: [distFromSource],
  }).catch((failure: BuildFailure) => failure);
  expect(result.errors.map(({ text, location }) => `${location?.file}: ${text}`)).toEqual([]);
});

test('every built file that a script or benchmark names in a text has a source', () => {
  const missing = programs.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(['"`])([^'"`\n]*\bdist\/([\w/-]+\.js))\1/g)]
      .filter(([, , named = '', built = '']) => !named.includes('node_modules') && !existsSync(sourceOf(built)))
      .map(([, , named]) => `${file}: ${named}`),
  );
  expect(missing).toEqual([]);
});
