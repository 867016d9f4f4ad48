import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace } from '../../test/support/toolgate.js';
import { config, type McpConfig } from '../sources/mcp/config.js';
import { locateCode } from './code-location.js';

const configOf = (more: object): McpConfig =>
  config.parse({ kind: 'mcp', ...('package' in more ? {} : { command: 'x' }), ...more });

test.each([
  ['node', ['srv/server.mjs', '--port', '1'], { entry: 'server.mjs', called: 'path:srv/server.mjs' }],
  ['/usr/bin/python3.11', ['-u', 'srv/main.py'], { entry: 'main.py', called: 'path:srv/main.py' }],
  ['python3', ['-m', 'srv.main'], { entry: 'main.py' }],
  ['python3', ['-m', 'json'], { nothing: expect.stringContaining('cannot determine') }],
  ['node', ['-e', 'run()'], { nothing: expect.stringContaining('cannot determine') }],
  ['node', ['gone.mjs'], { nothing: expect.stringContaining('cannot determine') }],
  ['/opt/server', ['srv/server.mjs'], { nothing: expect.stringContaining('the source code of server is unknown') }],
])('%s %s: the code is the folder of the script, or it is said that there is none', async (program, args, found) => {
  const base = aPlace();
  mkdirSync(join(base, 'srv'));
  for (const name of ['server.mjs', 'main.py']) writeFileSync(join(base, 'srv', name), '');
  expect(await locateCode(configOf({}), { program, args }, base)).toMatchObject(found);
});

test('what the configuration names is read instead, and a package by its own folder', async () => {
  const base = aPlace({ 'one.py': '' });
  expect(
    await locateCode(configOf({ scan: { path: 'one.py' } }), { program: '/bin/cat', args: [] }, base),
  ).toMatchObject({
    entry: 'one.py',
  });
  expect(await locateCode(configOf({ scan: { path: 'none' } }), { program: 'node', args: [] }, base)).toEqual({
    nothing: 'none: no such file or folder',
  });
  expect(
    await locateCode(configOf({ runtime: 'npx', package: 'a@1.0.0' }), { program: 'node', args: [], code: base }, base),
  ).toEqual({ root: base, called: 'npm:a@1.0.0' });
});

test('programs that are scripts lead to the package behind them, and modules to those of their environment', async () => {
  const base = aPlace();
  const site = join(base, 'venv/lib/python3.11/site-packages');
  const pack = join(base, 'lib/node_modules/@a/server');
  for (const folder of [join(site, 'a_server'), join(pack, 'dist'), join(base, 'venv/bin')])
    mkdirSync(folder, { recursive: true });
  const script = join(base, 'venv/bin/a-server');
  writeFileSync(script, '#!/x/venv/bin/python\nimport sys\nfrom a_server.cli import main\nsys.exit(main())\n');
  writeFileSync(join(pack, 'dist/index.js'), '#!/usr/bin/env node\n');
  symlinkSync(join(pack, 'dist/index.js'), join(base, 'a-node-server'));
  writeFileSync(join(base, 'binary'), Buffer.from([0x7f, 0x45, 0x4c, 0x46]));
  const found = async (program: string, args: readonly string[] = []) =>
    locateCode(configOf({}), { program, args }, base);
  expect(await found(script)).toMatchObject({ root: join(site, 'a_server') });
  expect(await found(join(base, 'venv/bin/python'), ['-m', 'a_server', '--x'])).toMatchObject({
    root: join(site, 'a_server'),
  });
  expect(await found(join(base, 'venv/bin/python'), ['-m', '../../etc'])).toHaveProperty('nothing');
  expect(await found(join(base, 'a-node-server'))).toMatchObject({ root: pack });
  expect(await found(join(base, 'binary'))).toHaveProperty('nothing');
});
