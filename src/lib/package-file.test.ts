import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageFile } from './package-file.js';

test('paths are relative to the root of this package', () => {
  expect(JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))).toMatchObject({ name: 'toolgate' });
});
