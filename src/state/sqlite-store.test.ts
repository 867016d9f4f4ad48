import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aFolder, aProgram } from '../../test/support/program.js';
import { lazyState } from './lazy-state.js';
import { sqliteStore } from './sqlite-store.js';
import type { LocalStore } from './store.js';

async function opened(home: string): Promise<{ readonly store: LocalStore; readonly setAside?: string }> {
  const result = await sqliteStore({ home });
  if (!result.ok) throw new Error(result.problem);
  return result;
}

test('what was put is there after closing and opening again', async () => {
  const home = aFolder();
  const { store } = await opened(home);
  store.put('s', 'k', 'v');
  store.close();
  store.close();
  const again = await opened(home);
  expect(again.store.get('s', 'k')).toBe('v');
  again.store.close();
});

test('only the owner can read the file', async () => {
  const home = join(aFolder(), 'home');
  const { store } = await opened(home);
  store.put('s', 'k', 'v');
  expect(statSync(home).mode & 0o777).toBe(0o700);
  for (const name of ['state.db', 'state.db-wal']) expect(statSync(join(home, name)).mode & 0o777).toBe(0o600);
  store.close();
});

test('a file that others could read is closed to them', async () => {
  const home = aFolder();
  (await opened(home)).store.close();
  chmodSync(join(home, 'state.db'), 0o644);
  const { store } = await opened(home);
  expect(statSync(join(home, 'state.db')).mode & 0o777).toBe(0o600);
  store.close();
});

test('a second gateway on the same home is refused with the owner of the lock and what to do', async () => {
  const home = aFolder();
  const { store } = await opened(home);
  expect(await sqliteStore({ home })).toEqual({
    ok: false,
    problem: expect.stringMatching(new RegExp(`in use by process ${process.pid}; .*TOOLGATE_HOME`)),
  });
  store.close();
  (await opened(home)).store.close();
});

test.each<[string, (good: Buffer) => Buffer]>([
  ['garbage', () => Buffer.from('garbage'.repeat(1000))],
  [
    'a good header with a damaged body',
    (good) => Buffer.concat([good.subarray(0, 100), Buffer.alloc(good.length - 100, 0x5a)]),
  ],
  [
    'damaged in one page that opening does not look at',
    (good) => Buffer.concat([good.subarray(0, -8192), Buffer.alloc(4096, 0x5a), good.subarray(-4096)]),
  ],
  ['the first half of itself', (good) => good.subarray(0, 4096 + 100)],
])('a file that is %s is set aside, and a new one made', async (_, damage) => {
  const home = aFolder();
  const { store } = await opened(home);
  for (let at = 0; at < 500; at++) store.put('s', `k${at}`, 'v'.repeat(100));
  store.close();
  const damaged = damage(readFileSync(join(home, 'state.db')));
  writeFileSync(join(home, 'state.db'), damaged);
  const again = await opened(home);
  expect(again.setAside).toMatch(/^state\.db\.damaged-/);
  expect(readFileSync(join(home, again.setAside!)).equals(damaged)).toBe(true);
  again.store.put('s', 'k', 'v');
  expect(again.store.get('s', 'k')).toBe('v');
  again.store.close();
});

test('a home that is a file is a problem in a sentence', async () => {
  const home = join(aFolder(), 'file');
  writeFileSync(home, '');
  expect(await sqliteStore({ home })).toEqual({
    ok: false,
    problem: expect.stringMatching(/^Cannot open the state database: E/),
  });
});

test('kill -9 while writing loses nothing that was put, and the next start takes over', async () => {
  const home = aFolder();
  const program = aProgram(
    `import { sqliteStore } from './src/state/sqlite-store.js';
     import { writeSync } from 'node:fs';
     const { store } = await sqliteStore({ home: process.argv[2] });
     for (let at = 0; ; at++) {
       store.put('s', 'k' + at, 'v'.repeat(at % 3000));
       if (at % 2) store.delete('s', 'k' + (at - 1));
       writeSync(1, at + '\\n');
     }`,
  );
  const child = spawn(process.execPath, [program, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.length > 3000) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const last = Number(said.trimEnd().split('\n').at(-1));
  expect(readdirSync(home)).toContain('state.db.lock');
  const { store, setAside } = await opened(home);
  expect(setAside).toBeUndefined();
  for (let at = 0; at < last; at++) expect(store.get('s', `k${at}`)?.length).toBe(at % 2 ? at % 3000 : undefined);
  store.close();
});

test('the write-ahead file does not grow for ever', async () => {
  const home = aFolder();
  const { store } = await opened(home);
  for (let at = 0; at < 2_000; at++) {
    store.put('s', `k${at % 10}`, 'v'.repeat(8_000));
    store.get('s', 'k1');
    store.list('s', { limit: 1 });
  }
  expect(statSync(join(home, 'state.db-wal')).size).toBeLessThan(8_000_000);
  store.close();
});

test('SQLite is not loaded until a store is opened', () => {
  const program = aProgram(
    `import { sqliteStore } from './src/state/sqlite-store.js';
     import { createRequire } from 'node:module';
     const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('sqlite3'));
     const before = loaded();
     await sqliteStore({ home: process.argv[2] });
     console.log(before, loaded());`,
  );
  expect(spawnSync(process.execPath, [program, aFolder()], { encoding: 'utf8' }).stdout).toBe('false true\n');
});

test('a sweep gives the space of expired values back to the file system', async () => {
  const home = aFolder();
  const { store } = await opened(home);
  for (let at = 0; at < 40; at++) store.put('tasks', `k${at}`, 'v'.repeat(200_000), { expiresAt: 1 });
  store.put('tasks', 'stays', 'v');
  const bytes = (): number => statSync(join(home, 'state.db')).size + statSync(join(home, 'state.db-wal')).size;
  expect(bytes()).toBeGreaterThan(4_000_000);
  expect(store.sweep(Date.now())).toBe(40);
  expect(bytes()).toBeLessThan(1_000_000);
  expect(store.get('tasks', 'stays')).toBe('v');
  store.close();
});

test('the state removes expired values when it is opened and then on a timer', async () => {
  const home = aFolder();
  const { store } = await opened(home);
  store.put('s', 'old', 'v', { expiresAt: 1 });
  store.close();
  let at = 1_000;
  const state = lazyState(home, () => {}, { sweepEveryMs: 5, now: () => at });
  const again = await state.open();
  expect(again.sweep(at)).toBe(0);
  again.put('s', 'later', 'v', { expiresAt: 2_000 });
  // Before its expiry a value is listed unless a sweep removed it.
  await expect
    .poll(async () => {
      at = 2_000;
      await new Promise((resolve) => setTimeout(resolve, 10));
      at = 1_500;
      return again.list('s');
    })
    .toEqual([]);
  await state.close();
});

test('a database of a newer format is left alone, and the problem is reported', async () => {
  const home = aFolder();
  const { store } = await opened(home);
  store.put('s', 'k', 'v');
  store.close();
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const database = new sqlite.Database(join(home, 'state.db'));
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  database.exec('PRAGMA user_version = 99');
  database.close();
  const problems: string[] = [];
  const state = lazyState(home, (problem) => problems.push(problem));
  expect((await state.open()).get('s', 'k')).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining('format 99 is newer')]);
  expect(state.problem()).toBe(problems[0]);
  await state.close();
});

test('a database of the first format is converted, and keeps its values', async () => {
  const home = aFolder();
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const database = new sqlite.Database(join(home, 'state.db'));
  database.exec(
    'CREATE TABLE kept (space BLOB, key BLOB, value BLOB NOT NULL, expires_at REAL, PRIMARY KEY (space, key)) WITHOUT ROWID',
  );
  database.run('INSERT INTO kept VALUES (?, ?, ?, ?)', [Buffer.from('s'), Buffer.from('k'), Buffer.from('old'), null]);
  database.close();
  const { store } = await opened(home);
  expect(store.get('s', 'k')).toBe('old');
  store.close();
});
