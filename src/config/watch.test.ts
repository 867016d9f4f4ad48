import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary.js';
import { loadConfig, type LoadResult } from './load.js';
import { problemLine } from './problem.js';
import type { Config } from './schema.js';
import { changedKeys, watchConfig, type ConfigWatcher } from './watch.js';

const open: ConfigWatcher[] = [];
afterEach(() => {
  for (const watching of open.splice(0)) watching.close();
});

/** A watched file; `told` is what the watch said, in order, and `next()` waits for the next word. */
async function watched(
  text: string,
  {
    debounceMs = 60_000,
    pollMs = 60_000,
    settleMs = 100,
    file = 'toolgate.yaml',
    prepare,
    refuses,
  }: {
    debounceMs?: number;
    pollMs?: number;
    settleMs?: number;
    file?: string;
    prepare?: (folder: string) => Promise<void>;
    refuses?: (config: Config) => boolean;
  } = {},
) {
  const folder = temporaryFolder('watch');
  await prepare?.(folder);
  const path = join(folder, file);
  if (file === 'toolgate.yaml') await writeFile(path, text);
  const told: (readonly string[])[] = [];
  let wake = (): void => {};
  let said = new Promise<void>((resolve) => (wake = resolve));
  const say = (what: readonly string[]): void => {
    told.push(what);
    wake();
    said = new Promise<void>((resolve) => (wake = resolve));
  };
  const again = (): Promise<LoadResult> => loadConfig({ env: {}, cwd: folder, argv: ['--config', path] });
  const first = await again();
  if (!first.ok) throw new Error(first.problems.map(problemLine).join('\n'));
  let config: Config = first.config;
  const watching = watchConfig(path, {
    current: first.config,
    load: again,
    onChange: (next, changed) => {
      if (refuses?.(next) === true) throw new Error(`port ${next.server.port} is taken`);
      config = next;
      say(changed);
    },
    onRejected: (bad) => {
      say(['bad', ...bad.map((one) => one.message)]);
    },
    debounceMs,
    pollMs,
    settleMs,
  });
  open.push(watching);
  return { folder, path, told, watching, next: () => said, config: () => config };
}

test('a new content is reported once, with the keys that differ', async () => {
  const file = await watched('server: { port: 1 }');
  await writeFile(file.path, 'server: { port: 2 }\nlog: { level: debug }');
  await file.watching.check();
  await file.watching.check();
  expect(file.told).toEqual([['server.port', 'log.level']]);
  expect(file.config().server.port).toBe(2);
});

test('a file that is being written in place is not taken before it is complete', async () => {
  const file = await watched('server: { port: 1 }\ntool: { exclude: [a, b] }\n', { settleMs: 2_000 });
  // Truncated, then the beginning, then all of it: the first two would be valid, too.
  await writeFile(file.path, '');
  const checked = file.watching.check();
  await writeFile(file.path, 'server: { port: 2 }\n');
  await writeFile(file.path, 'server: { port: 2 }\ntool: { exclude: [a, b] }\n');
  await checked;
  await file.watching.check();
  expect(file.told).toEqual([['server.port']]);
  expect(file.config().tool.exclude).toEqual(['a', 'b']);
});

test('a bad file keeps the last good configuration and is reported; the next good one is taken [S0.29]', async () => {
  const file = await watched('server: { port: 1 }');
  await writeFile(file.path, 'server: { prot: 2 }');
  await file.watching.check();
  expect(file.config().server.port).toBe(1);
  await writeFile(file.path, 'server: { port: 3 }');
  await file.watching.check();
  expect(file.told).toEqual([['bad', 'is not a known key'], ['server.port']]);
});

test('a bad file is reported once, not at every poll', async () => {
  const file = await watched('server: { port: 1 }');
  await writeFile(file.path, 'server: 5');
  await file.watching.check();
  await file.watching.check();
  expect(file.told).toEqual([['bad', 'must be a mapping, not a number']]);
});

test('a configuration that cannot be applied is reported as bad, and the next change is compared with the active one', async () => {
  const file = await watched('server: { port: 1 }', { refuses: (config) => config.server.port === 2 });
  await writeFile(file.path, 'server: { port: 2 }');
  await file.watching.check();
  await writeFile(file.path, 'server: { port: 2 }\nlog: { level: debug }');
  await file.watching.check();
  await writeFile(file.path, 'server: { port: 3 }');
  await file.watching.check();
  expect(file.told).toEqual([
    ['bad', 'cannot be applied: port 2 is taken'],
    ['bad', 'cannot be applied: port 2 is taken'],
    ['server.port'],
  ]);
});

test('a file that is gone keeps the last good configuration and is reported', async () => {
  const file = await watched('server: { port: 1 }');
  await rm(file.path);
  await file.watching.check();
  expect(file.told).toEqual([['bad', 'no such file']]);
  expect(file.config().server.port).toBe(1);
});

test('a touched file and a changed comment are not reported', async () => {
  const file = await watched('server: { port: 1 }');
  await utimes(file.path, 1, 1);
  await file.watching.check();
  await writeFile(file.path, '# hello\nserver: { port: 1 }');
  await file.watching.check();
  expect(file.told).toEqual([]);
});

test('a changed policy flag is named, so that what depends on it can be made anew [S0.30]', async () => {
  const file = await watched('{}');
  await writeFile(file.path, 'security: { allow_intrusive: true }');
  await file.watching.check();
  expect(file.told).toEqual([['security.allow_intrusive']]);
});

test('an editor that replaces the file is noticed by the event of the folder', async () => {
  const file = await watched('server: { port: 1 }', { debounceMs: 5 });
  const told = file.next();
  await writeFile(join(file.folder, 'new'), 'server: { port: 2 }');
  await rename(join(file.folder, 'new'), file.path);
  await told;
  const again = file.next();
  await writeFile(join(file.folder, 'new'), 'server: { port: 3 }');
  await rename(join(file.folder, 'new'), file.path);
  await again;
  expect(file.config().server.port).toBe(3);
});

test('a link swapped in another folder is noticed by looking now and then', async () => {
  const file = await watched('', {
    pollMs: 10,
    file: 'link.yaml',
    prepare: async (folder) => {
      for (const [name, port] of [
        ['one', 1],
        ['two', 2],
      ] as const) {
        await mkdir(join(folder, name));
        await writeFile(join(folder, name, 'c.yaml'), `server: { port: ${port} }`);
      }
      await mkdir(join(folder, 'elsewhere'));
      await symlink('../one', join(folder, 'elsewhere/data'));
      await symlink('elsewhere/data/c.yaml', join(folder, 'link.yaml'));
    },
  });
  const told = file.next();
  await symlink('../two', join(file.folder, 'elsewhere/data2'));
  await rename(join(file.folder, 'elsewhere/data2'), join(file.folder, 'elsewhere/data'));
  await told;
  expect(file.config().server.port).toBe(2);
});

test('after close nothing is reported', async () => {
  const file = await watched('server: { port: 1 }');
  file.watching.close();
  await writeFile(file.path, 'server: { port: 2 }');
  await file.watching.check();
  expect(file.told).toEqual([]);
});

test.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: { b: 1, c: 2 } }, { a: { b: 2, c: 2 } }, ['a.b']],
  [{ a: [1, { b: 1 }] }, { a: [1, { b: 2 }] }, ['a']],
  [{ a: [1] }, { a: [1, 2] }, ['a']],
  [{}, { a: { b: 1 } }, ['a']],
])('from %j to %j the keys %j changed', (before, after, keys) => {
  expect(changedKeys(before, after)).toEqual(keys);
});
