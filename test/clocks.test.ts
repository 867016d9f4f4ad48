import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Wall time that is compared with a time from elsewhere: a header, a file, an expiry that outlives the process. */
const wallTimes: Readonly<Record<string, string>> = {
  'src/access/configured/key-access.ts': 'expiry of a key, kept on disk',
  'src/config/watch.ts': 'modification time of a file',
  'src/lib/lock-file.ts': 'modification time of a file',
};
const arithmetic =
  /Date\.now\(\)\s*[-+<>]|[-+<>]=?\s*Date\.now\(\)|(?:start|since|until|deadline)\w*\s*=\s*Date\.now\(\)/;

// Browser code has its own clock, and deadlines of the scanner are shared by threads, whose monotonic clocks differ.
const sources = (readdirSync('src', { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/^(?:console|scanner)\b/.test(file))
  .map((file) => join('src', file));

test('durations and deadlines use a monotonic clock: a stepped wall clock must end nothing early', () => {
  const found = sources.filter((file) => arithmetic.test(readFileSync(file, 'utf8')));
  expect(found.toSorted()).toEqual(Object.keys(wallTimes).toSorted());
});
