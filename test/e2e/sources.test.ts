import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace, toolgate } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';

const start = '# mine\ncommands: { builtins: false } # none\n';

test('a source is added, tested, listed and removed; the rest of the file stays as it was', async () => {
  const place = aPlace({ 'toolgate.yaml': start });
  const file = (): string => readFileSync(join(place, 'toolgate.yaml'), 'utf8');
  expect(
    await toolgate(place, ['sources', 'add', 'fix', '--command', process.execPath, '--', serverFile]),
  ).toMatchObject({ code: 0, out: 'added      fix\n' });
  expect(file()).toContain(start.trim());
  const tested = await toolgate(place, ['sources', 'test', 'fix']);
  expect(tested).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^fix +healthy +21 tools\n {2}sandbox +bwrap guarded, host network\n {2}admission +allow, 24 tools in its code\n {2}fix__ask\n/,
    ),
  });
  expect((await toolgate(place, ['sources', 'add', 'fix', '--url', 'https://a.example/'])).err).toContain(
    'source "fix" already exists',
  );
  expect(await toolgate(place, ['sources', 'remove', 'fix'])).toMatchObject({ code: 0 });
  expect(file()).not.toContain('fix');
  expect((await toolgate(place, ['pins', 'list'])).out).toContain('fix ');
});

test.each([
  ['--package', '@x/files'],
  ['--url', 'http://far.example/mcp'],
])('%s %s is refused and the file is not written', async (flag, value) => {
  const place = aPlace({ 'toolgate.yaml': start });
  expect(await toolgate(place, ['sources', 'add', 'x', flag, value])).toMatchObject({ code: 1, out: '' });
  expect(readFileSync(join(place, 'toolgate.yaml'), 'utf8')).toBe(start);
});

test("a client's file is imported, and a broken server in it is reported by test [S2.24]", async () => {
  const place = aPlace({ 'toolgate.yaml': start });
  writeFileSync(
    join(place, 'client.json'),
    JSON.stringify({
      mcpServers: {
        dead: { command: process.execPath, args: [serverFile, '--fail', 'start'] },
        loose: { command: 'npx', args: ['-y', 'pkg'] },
      },
    }),
  );
  const added = await toolgate(place, ['sources', 'add', '--from', 'client.json']);
  expect(added).toMatchObject({
    code: 1,
    out: 'added      dead\n',
    err: expect.stringContaining('loose: pkg has no version'),
  });
  const tested = await toolgate(place, ['sources', 'test', 'dead']);
  expect(tested).toMatchObject({ code: 1, out: expect.stringContaining('cannot start: no disk') });
});
