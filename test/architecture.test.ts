import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const src = join(root, 'src');

/** Rooms each room may import, besides itself and packages. */
const doors: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  'hostile-text': ['lib'],
  // Walks results, so it needs their types; the rest of hostile-text stays usable without the gateway.
  'hostile-text/results': ['lib', 'hostile-text', 'core'],
  core: ['lib'],
  wire: ['lib', 'core'],
  net: ['lib'],
  processes: ['lib'],
  scanner: ['lib', 'hostile-text'],
  state: ['lib', 'core'],
  // `sources` for the kinds alone: their schemas, and the references and checks of their entries.
  config: ['lib', 'hostile-text', 'core', 'sources'],
  guards: ['lib', 'hostile-text', 'hostile-text/results', 'core'],
  registry: ['lib', 'hostile-text', 'core'],
  access: ['lib', 'hostile-text', 'core', 'guards', 'net', 'state'],
  observe: ['lib', 'hostile-text', 'core', 'wire', 'guards', 'state'],
  sources: ['lib', 'hostile-text', 'hostile-text/results', 'core', 'net', 'processes', 'wire', 'registry'],
  // `state` for the task store alone, which keeps tasks over a restart.
  transports: ['lib', 'hostile-text', 'core', 'wire', 'state'],
  admission: ['lib', 'hostile-text', 'core', 'config', 'net', 'observe', 'processes', 'scanner', 'sources', 'wire'],
  console: [],
};
/** Packages that only some rooms may import. */
const confined: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/': ['transports', 'sources'],
  undici: ['net'],
  'node:child_process': ['processes', 'cli'],
  'node-sqlite3-wasm': ['state'],
  pino: ['observe'],
  'prom-client': ['observe'],
};
/** Files above the rooms may import everything: the composition root and the command line. */
const free = /^(serve|gateway|index|cli|version|identity)\.ts$|^(cli|serve|docs)\//;

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.d.ts'),
);
// Fixtures hold the code of scanned servers; they are not built.
const product = files.filter((file) => !file.endsWith('.test.ts') && !file.includes('/fixtures/'));
const read = (file: string): string => readFileSync(join(src, file), 'utf8');
const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');

const roomOf = (file: string): string =>
  file.startsWith('hostile-text/results/') ? 'hostile-text/results' : (file.split('/')[0] ?? '');

test('rooms import only in the directions of the design', () => {
  const wrong: string[] = [];
  for (const file of product) {
    if (free.test(file)) continue;
    const room = roomOf(file);
    const allowed = doors[room];
    if (allowed === undefined) {
      wrong.push(`${file}: unknown room`);
      continue;
    }
    for (const target of importsOf(read(file)).filter((each) => each.startsWith('.'))) {
      const to = roomOf(relative(src, join(src, dirname(file), target)));
      if (to !== room && !allowed.includes(to)) wrong.push(`${file} → ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** What the configuration may import of the sources: the plain objects of the kinds, which load everything else on demand. */
const kindFiles = /^sources\/(index|kind|settings|[^/]+\/[\w-]*config)\.js$/;

test('the configuration reads the kinds of sources, and nothing behind them', () => {
  const wrong = product
    .filter((file) => file.startsWith('config/'))
    .flatMap((file) =>
      importsOf(read(file))
        .filter((each) => each.startsWith('.'))
        .map((each) => relative(src, join(src, dirname(file), each)))
        .filter((target) => target.startsWith('sources/') && !kindFiles.test(target))
        .map((target) => `${file} → ${target}`),
    );
  expect(wrong).toEqual([]);
});

test('no file outside of its folder asks for a kind of source by name', () => {
  const kinds = readdirSync(join(src, 'sources'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const asked = new RegExp(`\\bkind\\s*(?:[!=]==?|:)\\s*'(?:${kinds.join('|')})'|case '(?:${kinds.join('|')})'`);
  const wrong = product.filter(
    (file) =>
      !kinds.some((kind) => file.startsWith(`sources/${kind}/`)) &&
      !file.startsWith('scanner/') &&
      asked.test(read(file)),
  );
  expect(wrong).toEqual([]);
});

test('guards do not import each other', () => {
  const wrong = product.filter(
    (file) =>
      file.startsWith('guards/') &&
      file !== 'guards/pipeline.ts' &&
      importsOf(read(file)).some((target) => target.startsWith('./')),
  );
  expect(wrong).toEqual([]);
});

test('only compose issues a guarded call, so that no path to a source skips the pipeline', () => {
  const forges = (text: string): boolean =>
    /\bas\s+(?:\w+\s+as\s+)?(?:GuardedCall|PassedGuards|Handler)\b|\bis GuardedCall\b|<(?:GuardedCall|Handler)>\s*[\w({]|\bextends PassedGuards\b/.test(
      text,
    );
  expect(product.filter((file) => forges(read(file)) && file !== 'core/guard.ts')).toEqual([]);
  expect(read('core/guard.ts').match(/\bas Handler\b/g)).toHaveLength(1);
});

test('a call is derived in one place, which cannot forget a field', () => {
  const copies = (text: string): boolean => /\{[^{}]*\.\.\.call\b(?![.\w(])|\.\.\.\w+ \} = call\b/.test(text);
  expect(product.filter((file) => !file.startsWith('scanner/') && copies(read(file)))).toEqual([]);
});

test('packages stay in the rooms that need them', () => {
  const wrong: string[] = [];
  for (const file of product) {
    const room = file.split('/')[0] ?? '';
    for (const target of importsOf(read(file))) {
      for (const [name, rooms] of Object.entries(confined)) {
        if ((target === name || target.startsWith(name.endsWith('/') ? name : `${name}/`)) && !rooms.includes(room))
          wrong.push(`${file} → ${target}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('no shell anywhere, no eval, no exec of a string [S0.54] [CVE-2025-6514]', () => {
  const wrong = product.filter(
    (file) =>
      !file.startsWith('scanner/') &&
      /shell:\s*true|\bexecSync\(|\bchild_process\.exec\(|\bimport \{[^}]*\bexec(Sync)?\b[^}]*\} from 'node:child_process'|\beval\(|new Function\(/.test(
        read(file),
      ),
  );
  expect(wrong).toEqual([]);
});

test('no file is longer than 400 lines, and nine in ten are under 250', () => {
  const lengths = product.map((file) => ({ file, lines: read(file).split('\n').length }));
  expect(lengths.filter(({ lines }) => lines > 400)).toEqual([]);
  expect(lengths.filter(({ lines }) => lines > 250).length).toBeLessThanOrEqual(lengths.length / 10);
});

test('runtime dependencies bring no install script and no native addon', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; hasInstallScript?: boolean; resolved?: string }>;
  };
  const entries = Object.entries(lock.packages);
  expect(entries.filter(([, entry]) => entry.hasInstallScript && !entry.dev).map(([name]) => name)).toEqual([]);
  expect(
    entries
      .filter(([name]) => /node-gyp|prebuild/.test(name))
      .filter(([, entry]) => !entry.dev)
      .map(([name]) => name),
  ).toEqual([]);
  expect(entries.filter(([, entry]) => entry.resolved?.startsWith('http')).map(([name]) => name)).toEqual([]);
});

test('the README and the architecture page draw the guards in the order of the pipeline', () => {
  const literal =
    /guardOrder = \(configured: ConfiguredGuards\): readonly Guard\[\] => \[([^\]]*)\]/.exec(
      read('guards/pipeline.ts'),
    )?.[1] ?? '';
  const guards = literal.match(/\w+(?=\(\)|,)/g) ?? [];
  expect(guards.length).toBeGreaterThan(10);
  const drawn = /authenticate ▸ ([^`]*?) ▸ run/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? '';
  expect(drawn.split(/\s*▸\s*/)).toEqual(guards);
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const lines = page
    .slice(page.indexOf('guards/pipeline.ts'), page.indexOf('sources/*  run'))
    .matchAll(/^ {3}(\w+) {2,}/gm);
  expect([...lines].map(([, name]) => name)).toEqual(guards);
});
