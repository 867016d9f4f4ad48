import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const src = join(root, 'src');

const rooms = (names: string): readonly string[] => names.split(' ');

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
  // `processes` for the helper program of secrets alone.
  config: ['lib', 'hostile-text', 'core', 'sources', 'processes'],
  guards: ['lib', 'hostile-text', 'hostile-text/results', 'core'],
  registry: ['lib', 'hostile-text', 'core'],
  access: ['lib', 'hostile-text', 'core', 'guards', 'net', 'state'],
  observe: ['lib', 'hostile-text', 'core', 'wire', 'guards', 'state'],
  sources: ['lib', 'hostile-text', 'hostile-text/results', 'core', 'net', 'processes', 'wire', 'registry'],
  // `state` for the task store alone, which keeps tasks over a restart.
  transports: ['lib', 'hostile-text', 'core', 'wire', 'state'],
  admission: [
    'lib',
    'hostile-text',
    'core',
    'config',
    'net',
    'observe',
    'processes',
    'scanner',
    'sources',
    'state',
    'wire',
  ],
  // Runs in a browser: building blocks without Node alone.
  console: ['lib'],
  // Adapters from the configuration to what a room needs, beside the room; the room itself knows no configuration.
  'access/configured': rooms(
    'access lib hostile-text hostile-text/results core config guards net observe registry sources state',
  ),
  'observe/configured': ['observe', 'core', 'config', 'registry'],
  'transports/configured': ['transports', 'lib', 'config', 'net'],
  // The files of assistants and the entry that each needs.
  assistants: ['core'],
  // Checklists about a configuration and its machine.
  doctor: ['config', 'core', 'lib', 'processes', 'sources'],
  // What replicas of one gateway share, and how they reach one another.
  cluster: rooms('access access/configured admission config core lib observe sources state transports wire'),
  // Finds the tool of a call and runs it through the guards.
  gateway: ['lib', 'core', 'guards', 'registry', 'sources'],
  // The composition root: it knows every room, and no room knows it.
  serve: rooms(
    'access access/configured admission assistants cluster config core doctor gateway guards hostile-text identity lib net observe observe/configured processes registry running sources state transports transports/configured version',
  ),
  // A gate that several clients of this machine share.
  running: ['config', 'core', 'lib', 'sources', 'transports', 'version'],
  embed: ['access', 'config', 'core', 'observe', 'serve', 'sources', 'transports', 'wire'],
  // Constants of the package.
  identity: ['version', 'core'],
  version: ['lib'],
};
const mostServeFiles = 12;
/** Packages that only some rooms may import. */
const confined: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/': ['transports', 'sources'],
  undici: ['net'],
  'node:child_process': ['processes', 'cli'],
  'node-sqlite3-wasm': ['state'],
  ioredis: ['state'],
  postgres: ['state'],
  pino: ['observe'],
  'prom-client': ['observe'],
};
/** What stands above the composition root may import everything: the command line and the public exports. */
const free = /^(index|cli)\.ts$|^(cli|docs)\//;

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'),
);
// Fixtures hold the code of scanned servers; they are not built.
const product = files.filter((file) => !file.endsWith('.test.ts') && !file.includes('/fixtures/'));
const read = (file: string): string => readFileSync(join(src, file), 'utf8');
const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');

/** First folder of a path; some rooms have a part with doors of its own, and a single file above the rooms is a room. */
const roomOf = (file: string): string =>
  /^(?:hostile-text\/results|\w+\/configured)(?=\/)/.exec(file)?.[0] ??
  (file.split('/')[0] ?? '').replace(/\.[jt]s$/, '');

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

test('the composition root composes and does nothing else', () => {
  expect(product.filter((file) => file.startsWith('serve/')).length).toBeLessThanOrEqual(mostServeFiles);
  expect(Object.entries(doors).filter(([room, to]) => to.includes('serve') && room !== 'embed')).toEqual([]);
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
      importsOf(read(file)).some((target) => target.startsWith('./') && target !== './guard-spec.js'),
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

test('the console never turns a text into markup or code (XSS)', () => {
  const wrong = product.filter(
    (file) =>
      file.startsWith('console/') &&
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|javascript:|setTimeout\(\s*['"`]/.test(read(file)),
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
