import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace } from '../../../test/support/toolgate.js';
import { findSkippedFolders } from './skipped-folders.js';

test('a folder that scans skip is reported, unless it is an expected one', async () => {
  const place = aPlace({ 'index.js': '' });
  for (const folder of ['lib/.cache', 'venv', 'node_modules/a/.cache', '__pycache__', 'src'])
    mkdirSync(join(place, folder), { recursive: true });
  expect((await findSkippedFolders(place)).map(({ file }) => file).sort()).toEqual(['lib/.cache', 'venv']);
  expect(await findSkippedFolders(join(place, 'nowhere'))).toEqual([]);
});
