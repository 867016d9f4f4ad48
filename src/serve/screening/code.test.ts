import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace } from '../../../test/support/toolgate.js';
import { schema } from '../../config/schema.js';
import type { McpConfig } from '../mcp-sources.js';
import { codeOf } from './code.js';

const configOf = (more: object): McpConfig => {
  const source = schema.parse({ sources: { a: { kind: 'mcp', ...('package' in more ? {} : { command: 'x' }), ...more } } }).sources['a'];
  if (source?.kind !== 'mcp') throw new Error('not an mcp source');
  return source;
};

test.each([
  ['node', ['srv/server.mjs', '--port', '1'], { entry: 'server.mjs', called: 'path:srv/server.mjs' }],
  ['/usr/bin/python3.11', ['-u', 'srv/main.py'], { entry: 'main.py', called: 'path:srv/main.py' }],
  ['python3', ['-m', 'srv.main'], { entry: 'main.py' }],
  ['python3', ['-m', 'json'], { nothing: expect.stringContaining('cannot be told') }],
  ['node', ['-e', 'run()'], { nothing: expect.stringContaining('cannot be told') }],
  ['node', ['gone.mjs'], { nothing: expect.stringContaining('cannot be told') }],
  ['/opt/server', ['srv/server.mjs'], { nothing: expect.stringContaining('server is a program whose source is not known') }],
])('%s %s: the code is the folder of the script, or it is said that there is none', async (program, args, found) => {
  const base = aPlace();
  mkdirSync(join(base, 'srv'));
  for (const name of ['server.mjs', 'main.py']) writeFileSync(join(base, 'srv', name), '');
  expect(await codeOf(configOf({}), { program, args }, base)).toMatchObject(found);
});

test('what the configuration names is read instead, and a package by its own folder', async () => {
  const base = aPlace({ 'one.py': '' });
  expect(await codeOf(configOf({ scan: { path: 'one.py' } }), { program: '/bin/cat', args: [] }, base)).toMatchObject({ entry: 'one.py' });
  expect(await codeOf(configOf({ scan: { path: 'none' } }), { program: 'node', args: [] }, base)).toEqual({ nothing: 'there is no none to read' });
  expect(await codeOf(configOf({ runtime: 'npx', package: 'a@1.0.0' }), { program: 'node', args: [], code: base }, base)).toEqual({ root: base, called: 'npm:a@1.0.0' });
});
