import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { discoverManifests } from '../../src/sources/command/manifest/discovery.js';
import { lessons } from '../lessons.js';
import { aPlace, serving } from '../support/toolgate.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

test('every lesson is cited by a test, or has a reason why it cannot happen', () => {
  const tests = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => readFileSync(join(root, folder, file), 'utf8')),
  );
  const uncited = lessons.filter(
    ({ id, because }) => because === undefined && !tests.some((text) => text.includes(`[${id}]`)),
  );
  expect(uncited.map(({ id }) => id)).toEqual([]);
});

test('nothing we serve is a page: text of a hostile tool stays text, and a browser must not guess its type [CVE-2025-58444]', async () => {
  const markup = '<script>alert(1)</script>';
  const gate = await serving(
    aPlace({
      'shout.tool.yaml': `name: shout\ncommand: echo\ndescription: "${markup}"\ntarget: { kind: none }\nflags: {}\nalways: ["${markup}"]\n`,
      'toolgate.yaml': 'commands: { directories: [.] }\n',
    }),
  );
  for (const [path, body] of [
    ['/tools', undefined],
    ['/tools/shout', undefined],
    ['/tools/shout/execute', {}],
    ['/nothing', undefined],
    ['/openapi.json', undefined],
  ] as const) {
    const { headers } = await gate.send(path, body === undefined ? {} : { body });
    expect([path, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
      path,
      'application/json',
      'nosniff',
    ]);
  }
});

test('what administrators change at run time may narrow, never widen: the routes that change something switch what is configured [ferro ai-gateway 1.5.3]', async () => {
  const gate = await serving(aPlace());
  const { paths } = (await gate.send('/openapi.json')).json as { paths: Record<string, Record<string, unknown>> };
  const changing = Object.entries(paths)
    .filter(([, methods]) => Object.keys(methods).some((method) => method !== 'get'))
    .map(([path]) => path);
  // They read a list again, start the same program again, and admit or reject a definition that is withheld; none names a program.
  const switching = [
    '/sources/{id}/refresh',
    '/sources/{id}/restart',
    '/sources/{id}/pins/approve',
    '/sources/{id}/pins/reject',
  ];
  expect(
    changing.filter((path) => !switching.includes(path) && /source|command|config|install|register|add/i.test(path)),
  ).toEqual([]);
  for (const method of ['PUT', 'PATCH', 'POST', 'DELETE'])
    expect((await gate.send('/config', { method })).status).toBe(405);
});

test.each(['../../etc/cron.d/x', '..', '/etc/passwd', 'a/b', 'a\\b', '.hidden/../x', 'x\u0000y'])(
  'a manifest named %j stays where it is: it is refused [GHSA-p3h2-2j4p-p83g]',
  async (name) => {
    const folder = aPlace({
      'x.tool.yaml': `name: ${JSON.stringify(name)}\ncommand: wc\ndescription: Counts\nflags: {}\ntarget: { kind: none }\n`,
    });
    const found = await discoverManifests(folder);
    expect(found.definitions).toEqual([]);
    expect(found.withheld.map(({ what }) => what)).toEqual(['x.tool.yaml']);
  },
);
