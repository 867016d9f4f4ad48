import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findUv } from './find-uv.js';

function uvIn(mode: number): string {
  const folder = mkdtempSync('/var/lib/toolgate-uv-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/uv'), '#!/bin/sh\n', { mode: 0o755 });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'bin'), mode);
  return join(folder, 'bin');
}

// Only root can make a folder whose parents no other user can write, outside of a home.
test.skipIf(process.getuid?.() !== 0)('uv is found on PATH, as venv, pyenv and Homebrew install it', async () => {
  const folder = uvIn(0o755);
  expect(await findUv({}, `relative:/nonexistent:${folder}`)).toMatchObject({
    kind: 'program',
    found: expect.stringMatching(/\/uv$/),
  });
  expect(await findUv({ UV: join(folder, 'uv') })).toMatchObject({ kind: 'program', found: join(folder, 'uv') });
});

test.skipIf(process.getuid?.() !== 0)('a uv that others can replace is refused with the reason', async () => {
  const folder = uvIn(0o777);
  for (const [env, path] of [
    [{}, folder],
    [{ UV: join(folder, 'uv') }, ''],
  ] as const) {
    const found = await findUv(env, path);
    // The system may have another one, which is used instead.
    if (found.kind === 'problem') expect(found.message).toContain(`${folder} is writable by every user`);
    else expect(found.found.startsWith(folder)).toBe(false);
  }
});
