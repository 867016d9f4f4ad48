import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heardIo } from '../../../test/support/cli-io.js';
import { aProject } from '../../../test/support/scan.js';
import { run } from './surface.js';

async function runSurface(argv: readonly string[]) {
  const { io, said } = heardIo();
  const code = await run(argv, io);
  return { code, ...said };
}

const server = 'from fastmcp import FastMCP\nmcp = FastMCP("x")\n@mcp.tool\ndef a(): ...\n\ndef handle_b(): ...\n';

test('the surface of a folder is printed as text or JSON', async () => {
  const root = await aProject({ 'server.py': server });
  expect(await runSurface([root])).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Tools (2):') });
  const { out } = await runSurface([root, '--format', 'json', '--no-heuristics']);
  expect(JSON.parse(out).surface.tools.map((tool: { name: string }) => tool.name)).toEqual(['a']);
});

test('strict fails when something could not be determined', async () => {
  const root = await aProject({ 'server.py': `${server}mcp.tool(name=input())(a)\n` });
  expect((await runSurface([root])).code).toBe(0);
  expect((await runSurface([root, '--strict'])).code).toBe(1);
});

test.each([[[]], [['a', 'b']], [['x', '--format', 'yaml']], [['x', '--nope']]])(
  'wrong arguments %j are reported in one line',
  async (argv) => {
    const { code, err } = await runSurface(argv);
    expect(code).toBe(2);
    expect(err).toMatch(/^toolgate surface: [^\n]+ See toolgate surface --help\n$/);
  },
);

test('a package is read like a folder', async () => {
  const root = await aProject({ 'server.py': server });
  execFileSync('tar', ['czf', 'demo.tgz', 'server.py'], { cwd: root });
  expect(await runSurface([join(root, 'demo.tgz')])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Tools (2):'),
  });
});

test('a missing path is reported without a stack', async () => {
  expect(await runSurface(['/nowhere/at/all'])).toEqual({
    code: 2,
    out: '',
    err: 'toolgate surface: "/nowhere/at/all": no such file or folder\n',
  });
});
