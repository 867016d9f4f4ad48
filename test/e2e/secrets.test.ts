import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace, serving, toolgate } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';

const value = 'hunter2-Kq9wZ-stored-value';
const source = (env: string): string =>
  `commands: { builtins: false }\nsources:\n  fix: { kind: mcp, command: ${process.execPath}, args: [${serverFile}], env: { ${env} } }\n`;

test('a stored secret reaches the server it is for, and no log, result, audit, approval or process list', async () => {
  const place = aPlace({ 'toolgate.yaml': source('API_TOKEN: "${secret:API_TOKEN}"') });
  const missing = await toolgate(place, ['check']);
  expect(missing.code).toBe(1);
  expect(missing.err + missing.out).toContain('toolgate secret set API_TOKEN');
  expect(await toolgate(place, ['secret', 'set', 'API_TOKEN'], {}, `${value}\n`)).toMatchObject({ code: 0 });
  expect(statSync(join(place, 'home/secrets.json')).mode & 0o777).toBe(0o600);
  expect(await toolgate(place, ['secret', 'list'])).toMatchObject({ code: 0, out: 'API_TOKEN\n' });

  const gate = await serving(place);
  const called = await gate.send('/tools/fix__env/execute', { body: {} });
  expect(called.status).toBe(200);
  expect(called.text).toContain('API_TOKEN');
  const commandLines = readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
  const config = await gate.send('/config');
  const audit = await toolgate(place, ['audit', '--json']);
  await gate.stop();
  for (const text of [called.text, config.text, gate.log(), audit.out, ...commandLines])
    expect(text).not.toContain(value);
  expect(audit.out).toContain('secret_set');
}, 60_000);

test('a changed secret replaces the server that uses it, without a restart of the gateway', async () => {
  const place = aPlace({ 'toolgate.yaml': source('MODE: "${secret:MODE}"') });
  await toolgate(place, ['secret', 'set', 'MODE'], {}, 'first-mode-value');
  const gate = await serving(place);
  const count = async (): Promise<string> => (await gate.send('/tools/fix__count/execute', { body: {} })).json.stdout;
  const first = await count();
  expect(await count()).not.toBe(first);
  await toolgate(place, ['secret', 'set', 'MODE'], {}, 'other-mode-value');
  await gate.logged('config.reloaded');
  expect(await count()).toBe(first);
}, 60_000);

test('values come from a file, from a helper program, or from a variable', async () => {
  const place = aPlace({
    token: 'from-a-file\n',
    'helper.sh': '#!/bin/sh\n[ "$1" = get ] && printf "helped-%s" "$2"\n',
  });
  chmodSync(join(place, 'helper.sh'), 0o755);
  writeFileSync(
    join(place, 'toolgate.yaml'),
    `secrets: { helper: [${join(place, 'helper.sh')}, get] }\n${source(`A: "\${file:${join(place, 'token')}}", B: "\${secret:vault/b}", C: "\${env:C_VALUE}"`)}`,
  );
  expect(await toolgate(place, ['check'], { C_VALUE: 'from-env' })).toMatchObject({ code: 0 });
  writeFileSync(join(place, 'helper.sh'), '#!/bin/sh\necho no entry >&2; exit 3\n');
  const failed = await toolgate(place, ['check'], { C_VALUE: 'from-env' });
  expect(failed.code).toBe(1);
  expect(failed.out + failed.err).toContain('the secret helper failed for vault/b: exit code 3');
}, 30_000);

test.each([
  [['secret', 'set', 'A', 'value'], '', 2, 'never from the command line'],
  [['secret', 'set', '-x y'], '', 2, ''],
  [['secret', 'set', 'A'], '', 1, 'is empty'],
  [['secret', 'set', 'A'], 'x'.repeat(70_000), 1, 'longer than 65536 bytes'],
  [['secret', 'remove', 'A'], '', 1, 'unknown secret A'],
  [['secret', 'sett', 'A'], '', 2, 'did you mean set?'],
] as const)('%j with a bad value or name is refused and stores nothing', async (argv, input, code, message) => {
  const place = aPlace();
  const ended = await toolgate(place, argv, {}, input);
  expect(ended.code).toBe(code);
  expect(ended.err).toContain(message);
  expect((await toolgate(place, ['secret', 'list', '--json'])).out).toBe('{"secrets":[]}\n');
});

test('a store that others can read, or that is damaged, is refused with its path', async () => {
  const place = aPlace();
  await toolgate(place, ['secret', 'set', 'A'], {}, 'value-of-a');
  const file = join(place, 'home/secrets.json');
  chmodSync(file, 0o644);
  expect(await toolgate(place, ['secret', 'list'])).toMatchObject({
    code: 1,
    err: expect.stringContaining(`chmod 600 ${file}`),
  });
  chmodSync(file, 0o600);
  writeFileSync(file, '{');
  expect(await toolgate(place, ['secret', 'set', 'B'], {}, 'b')).toMatchObject({
    code: 1,
    err: expect.stringContaining(file),
  });
  expect(readFileSync(file, 'utf8')).toBe('{');
});
