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
  ).toMatchObject({ code: 0, out: expect.stringMatching(/^added {6}fix \(.*\) to .*\ntools {6}fix__ask, /) });
  expect(file()).toContain(start.trim());
  const tested = await toolgate(place, ['sources', 'test', 'fix']);
  expect(tested).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^fix +ready +21 tools\n {2}sandbox +bwrap guarded, host network\n {2}admission +allow, 24 tools in its code\n {2}fix__ask\n/,
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
  [['--package', './files'], 'is not a package of the npm registry'],
  [['--url', 'http://far.example/mcp'], 'must be https unless the server is on this machine'],
  [['--command', '/nowhere/server'], '/nowhere/server: no such file'],
  [['--command', process.execPath, '--', serverFile, '--fail', 'start'], 'cannot start: no disk'],
  [['--url', 'http://127.0.0.1:9/mcp'], 'cannot be reached'],
])('%j is refused and the file is not written', async (argv, problem) => {
  const place = aPlace({ 'toolgate.yaml': start });
  const added = await toolgate(place, ['sources', 'add', 'x', ...argv]);
  expect(added).toMatchObject({ code: 1, out: '', err: expect.stringContaining(problem) });
  expect(readFileSync(join(place, 'toolgate.yaml'), 'utf8')).toBe(start);
});

test("a client's file is imported; a server in it that does not start is not written [S2.24]", async () => {
  const place = aPlace({ 'toolgate.yaml': start });
  const servers = {
    dead: { command: process.execPath, args: [serverFile, '--fail', 'start'] },
    'my server': { command: process.execPath, args: [serverFile] },
  };
  writeFileSync(join(place, 'client.json'), `{ // mine\n "mcpServers": ${JSON.stringify(servers)},\n}`);
  const added = await toolgate(place, ['sources', 'add', '--from', 'client.json']);
  expect(added).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^added {6}my-server /),
    err: expect.stringContaining('cannot start: no disk'),
  });
  const written = readFileSync(join(place, 'toolgate.yaml'), 'utf8');
  expect([written.includes('my-server:'), written.includes('dead')]).toEqual([true, false]);
});

test('a source is added although a variable of another one is not set, and without a start if asked', async () => {
  const place = aPlace({
    'toolgate.yaml': 'sources:\n  other: { kind: mcp, url: https://a.example/, headers: { X-Key: "${UNSET_HERE}" } }\n',
  });
  const argv = ['sources', 'add', 'x', '--no-test', '--command', '/nowhere/server'];
  expect(await toolgate(place, argv)).toMatchObject({ code: 0, out: expect.stringContaining('added      x') });
});
