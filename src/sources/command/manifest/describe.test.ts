import { expect, test } from 'vitest';
import { describeManifest } from './describe.js';
import { builtins } from '../pack/index.js';

test('every built-in command documents each of its arguments and flags', () => {
  for (const { name, manifest } of builtins(() => {})) {
    const text = describeManifest(name, manifest);
    expect(text).toContain(`## ${name}`);
    for (const [argument, { flag }] of Object.entries(manifest.flags))
      for (const word of [argument, ...flag]) expect(text).toContain(`\`${word}\``);
  }
});

test('the description of ping lists what it takes, adds and how long it runs', () => {
  const ping = builtins(() => {})[0]!;
  const text = describeManifest(ping.name, ping.manifest);
  expect(text).toContain(
    '| `count` | `-c` | a whole number from 1 to 10, such as 4 | `4` | Number of requests to send |',
  );
  expect(text).toContain('Always added: `-w 30 -n`.');
  expect(text).toContain('Times out after 30 s by default, 60 s at most.');
});
