import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { resolveProgram } from './programs.js';

// Not under /tmp, which every user can write: there nothing is ever safe.
const root = mkdtempSync(join(homedir(), '.toolgate-programs-'));
afterAll(() => rmSync(root, { recursive: true }));

function aProgram(folder: string, mode = 0o755, folderMode = 0o755): string {
  mkdirSync(join(root, folder));
  const file = join(root, folder, 'tool');
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, mode);
  chmodSync(join(root, folder), folderMode);
  return file;
}

test('a program is found on the fixed path only, whatever PATH contains [S0.56]', async () => {
  aProgram('mine');
  process.env['PATH'] = `${join(root, 'mine')}:${process.env['PATH']}`;
  expect(await resolveProgram('tool')).toMatchObject({ kind: 'problem', reason: 'not_found' });
  expect(await resolveProgram('tool', join(root, 'mine'))).toMatchObject({
    kind: 'program',
    path: join(root, 'mine/tool'),
  });
});

test('its hash is that of the real file [S0.56]', async () => {
  const sh = await resolveProgram('sh');
  if (sh.kind !== 'program') throw new Error(sh.message);
  expect(await sh.sha256()).toBe(createHash('sha256').update(readFileSync(sh.path)).digest('hex'));
});

test('a program that any user could replace is refused, also behind a link', async () => {
  const open = aProgram('open', 0o757);
  aProgram('swappable', 0o755, 0o777);
  mkdirSync(join(root, 'linked'));
  symlinkSync(open, join(root, 'linked/tool'));
  for (const folder of ['open', 'swappable', 'linked']) {
    expect(await resolveProgram('tool', join(root, folder))).toMatchObject({ kind: 'problem', reason: 'unsafe' });
  }
});

test.each(['', 'no-such-program-here', '../bin/sh', './sh', 'bin/sh', 'a\0b', '/nowhere/sh', '/usr'])(
  '%j leads to no program',
  async (name) => {
    expect(await resolveProgram(name)).toMatchObject({ kind: 'problem', reason: 'not_found' });
  },
);
