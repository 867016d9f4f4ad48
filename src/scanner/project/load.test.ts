import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aProject } from '../../../test/support/scan.js';
import { scanSurface } from '../index.js';
import { defaultLimits, loadProject } from './load.js';
import { nodeManifest, pythonManifest, tsconfigPaths } from './manifests.js';

const fine = 'from fastmcp import FastMCP\nmcp = FastMCP("x")\n@mcp.tool\ndef a(): ...\n';

describe('nothing outside the root is read and nothing ends the scan [S4.1]', () => {
  test('links out of the root are listed and not followed, loops and links to nowhere end', async () => {
    const outside = await aProject({ 'secret.py': fine });
    const root = await aProject({ 'ok.py': fine });
    await symlink(join(outside, 'secret.py'), join(root, 'out.py'));
    await symlink(outside, join(root, 'out'));
    await symlink(root, join(root, 'loop'));
    await symlink(join(root, 'nowhere'), join(root, 'gone.py'));
    await symlink(join(root, 'b'), join(root, 'a'));
    await symlink(join(root, 'a'), join(root, 'b'));
    const { modules, skipped } = await loadProject(root);
    expect([...modules.keys()]).toEqual(['ok.py']);
    expect(skipped.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      'a outside-root',
      'b outside-root',
      'gone.py outside-root',
      'loop outside-root',
      'out outside-root',
      'out.py outside-root',
    ]);
  });

  test('a link inside the root counts once', async () => {
    const root = await aProject({ 'real/ok.py': fine });
    await symlink(join(root, 'real'), join(root, 'also'));
    expect([...(await loadProject(root)).modules.keys()]).toEqual(['real/ok.py']);
  });

  test.each<[string, Uint8Array, string | undefined]>([
    ['binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), 'binary'],
    ['broken UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x80]), 'encoding'],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${fine}`, 'utf16le'), undefined],
    ['a byte order mark', Buffer.from(`\ufeff${fine}`), undefined],
    ['declared Latin-1', Buffer.from(`# -*- coding: latin-1 -*-\n# \xe9\n${fine}`, 'latin1'), undefined],
    ['more than the limit', Buffer.alloc(3_000, 0x20), 'too-large'],
  ])('%s is read or listed with its reason, and the rest is scanned', async (_what, bytes, reason) => {
    const root = await aProject({
      'x.py': bytes,
      'y.py': 'import x\nfrom fastmcp import FastMCP\nm = FastMCP("y")\n@m.tool\ndef b(): ...\n',
    });
    const report = await scanSurface(root, { heuristics: false, limits: { maxFileBytes: 2_000 } });
    expect(report.skipped).toEqual(reason === undefined ? [] : [{ file: 'x.py', reason }]);
    expect(report.tools.map((tool) => tool.name)).toEqual(reason === undefined ? ['a', 'b'] : ['b']);
  });

  test('too many files, too deep folders and too many bytes are listed', async () => {
    const root = await aProject({ 'a.py': fine, 'b.py': '', 'c.py': '', 'd/e/f/g.py': '' });
    const few = await loadProject(root, { ...defaultLimits, maxFiles: 2 });
    expect([few.modules.size, few.skipped.map((each) => each.reason)]).toEqual([2, ['too-many-files']]);
    const flat = await loadProject(root, { ...defaultLimits, maxDepth: 1 });
    expect(flat.skipped).toEqual([{ path: 'd/e', reason: 'too-deep' }]);
    const small = await loadProject(root, { ...defaultLimits, maxTotalBytes: 10 });
    expect(small.skipped.map((each) => `${each.path} ${each.reason}`)).toEqual([
      'b.py too-large',
      'c.py too-large',
      'd/e/f/g.py too-large',
    ]);
  });

  test('broken, deep and endless code leaves the rest scanned', async () => {
    const root = await aProject({
      'package.json': '{"main":"index.js"}',
      'index.js':
        'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nimport "./deep.js"; import "./broken.js"; import "./endless.js"; import "./grow.js";\nconst s = new McpServer({});\ns.tool("a", async () => {});\n',
      'deep.js': `x = ${'('.repeat(100_000)}1${')'.repeat(100_000)}`,
      'broken.js': 'const = ;',
      'endless.js':
        'for (;;) f(); while (true) { g(); }\nfunction f() { f(); return f(); }\nconst y = () => y(); y(); class A { get a() { return this.a; } } new A().a;',
      'grow.js':
        'let t = ["x"]; for (let i = 0; i < 60; i++) t = [...t, ...t]; let s = "x"; for (let i = 0; i < 60; i++) s = s + s;',
    });
    const report = await scanSurface(root, { heuristics: false });
    expect(report.tools.map((tool) => tool.name)).toEqual(['a']);
    expect(report.skipped.map((each) => `${each.file} ${each.reason}`)).toEqual([
      'broken.js partial',
      'deep.js partial',
    ]);
  });

  test('names of the language itself are names like any other', async () => {
    const words = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'then'];
    const python = await aProject({
      'a.py': `from fastmcp import FastMCP\nmcp = FastMCP("x")\n${words.map((word) => `@mcp.tool(name="${word}")\ndef f_${word}(${word === 'then' ? 'a' : '__proto__'}: str): ...\n`).join('')}`,
    });
    const script = await aProject({
      'package.json': '{"main":"i.js","bin":{"__proto__":"i.js"}}',
      'i.js': `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst s = new McpServer({});\nconst o = { ["__proto__"]: "x", constructor: "y" };\nconst __proto__ = "z"; const m = { valueOf: 1, hasOwnProperty: 2 };\n${words.map((word) => `s.tool("${word}", { "${word}": 1, __proto__: null }, async () => {});`).join('\n')}\ns.tool(o.constructor, async () => {}); s.tool(__proto__, async () => {});`,
    });
    expect((await scanSurface(python, { heuristics: false })).tools.map((tool) => tool.name)).toEqual(words);
    expect((await scanSurface(script, { heuristics: false })).tools.map((tool) => tool.name).sort()).toEqual(
      [...words, 'y', 'z'].sort(),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('manifests', () => {
  test('entries come from bin, scripts, main and exports, patterns left out', () => {
    const text = JSON.stringify({
      name: 'x',
      bin: { a: './a.js' },
      main: 'm.js',
      exports: { '.': { import: './e.mjs', require: './e.cjs' }, './*': './x/*.js' },
      scripts: { start: 'tsx src/s.ts --x', build: 'node no.js' },
    });
    expect(nodeManifest('.', text)?.entries).toEqual(['./a.js', 'src/s.ts', 'm.js', './e.mjs', './e.cjs']);
  });

  test.each([
    '',
    '[]',
    'null',
    '{"bin": [1], "exports": 5, "scripts": {"start": 7}}',
    '{"exports": {"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":"./deep.js"}}}}}}}}}',
  ])('an odd package.json (%s) has no entries', (text) => {
    expect(nodeManifest('.', text)?.entries ?? []).toEqual([]);
  });

  test('Python scripts are recognised by their form', () => {
    expect(pythonManifest('.', '[project.scripts]\na = "p.q:main"\n[tool.x]\nurl = "http://x:1"\n').scripts).toEqual([
      { module: 'p.q', attribute: 'main' },
    ]);
  });

  test('a tsconfig may have comments and trailing commas', () => {
    expect(tsconfigPaths('{ /* x */ "compilerOptions": { "paths": { "~/*": ["src/*",], }, // y\n } }')).toEqual(
      new Map([['~/*', ['./src/*']]]),
    );
    expect(tsconfigPaths('not json')).toEqual(new Map());
  });
});

test('a folder that cannot be listed is said', async () => {
  const root = await aProject({ 'a.py': fine });
  await mkdir(join(root, 'x'));
  await writeFile(join(root, 'x/y.py'), fine);
  expect([...(await loadProject(root)).modules.keys()]).toEqual(['a.py', 'x/y.py']);
});
