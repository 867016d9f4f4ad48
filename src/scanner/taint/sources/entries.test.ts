import { expect, test } from 'vitest';
import { aProject } from '../../../../test/support/scan.js';
import { scriptServer } from '../../rules/cases.js';
import { scan } from '../../scan.js';

const server = scriptServer(
  'import { execSync } from "node:child_process";',
  "server.registerTool('ping', { inputSchema: { host: z.string() } }, async ({ host }) => ({ content: [{ type: 'text', text: execSync(`ping ${host}`).toString() }] }));",
);
const manifest = '{ "name": "x", "version": "1.0.0", "main": "build/index.js" }';

test('a vulnerability that is shipped as source and as what was built from it is reported once, where it is started', async () => {
  const root = await aProject({ 'package.json': manifest, 'build/index.js': server, 'src/index.ts': server });
  const { findings } = await scan(root);
  expect(findings.filter(({ rule }) => rule === 'TG-TAINT-CMD').map(({ location }) => location.file)).toEqual([
    'build/index.js',
  ]);
});

test('servers in separate folders are each reported', async () => {
  const root = await aProject({ 'one/index.ts': server, 'two/index.ts': server });
  const { findings } = await scan(root);
  expect(findings.filter(({ rule }) => rule === 'TG-TAINT-CMD').map(({ location }) => location.file)).toEqual([
    'one/index.ts',
    'two/index.ts',
  ]);
});
