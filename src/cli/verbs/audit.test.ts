import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aJournal, aJournalOf, aRecord } from '../../../test/support/audit.js';
import { aFolder } from '../../../test/support/program.js';
import { run } from './audit.js';
import type { Io } from '../io.js';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function ran(home: string, argv: readonly string[], over: Partial<Io> = {}): Promise<Ran> {
  let [out, err] = ['', ''];
  const io: Io = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    env: { TOOLGATE_HOME: home },
    isTTY: false,
    showsProgress: false,
    signal: new AbortController().signal,
    ...over,
  };
  const code = await run(argv, io);
  return { code, out, err };
}

async function aHome(): Promise<string> {
  const home = aFolder();
  const journal = aJournal({ folder: join(home, 'audit', '1') });
  await journal.append(aRecord({ call: '1', tool: 'ping', principal: 'ada', at: '2020-01-01T00:00:00.000Z' }));
  await journal.append(
    aRecord({
      call: '2',
      tool: 'dig',
      event: 'refused',
      decision: 'refused',
      code: 'rate_limited',
      message: 'too fast\x1b[2J\nforged line',
      at: new Date().toISOString(),
    }),
  );
  journal.close();
  return home;
}

test('records are listed, one line each, with nothing a terminal would obey', async () => {
  const { code, out } = await ran(await aHome(), []);
  expect(code).toBe(0);
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toBe('2020-01-01T00:00:00.000Z  allowed  ping by ada via rest 12.0 ms k1');
  expect(lines[1]).toMatch(
    /refused  dig by local via rest 12\.0 ms k1 {2}rate_limited: too fast\\u001b\[2J\\u000aforged line$/,
  );
});

test('colour is for terminals', async () => {
  expect((await ran(await aHome(), ['list'], { isTTY: true })).out).toContain('\x1b[32mallowed');
});

test.each<[readonly string[], readonly string[]]>([
  [['--tool', 'ping'], ['1']],
  [['list', '--principal', 'ada'], ['1']],
  [['--code', 'rate_limited'], ['2']],
  [['--decision', 'refused'], ['2']],
  [['--tool', 'dig', '--since', '1h'], ['2']],
  [['--tool', 'ping', '--since', '1h'], []],
  [['--tool', 'ping', '--until', '2020-01-02'], ['1']],
  [['--limit', '1'], ['2']],
])('the options %j choose the calls %j', async (argv, calls) => {
  const { code, out } = await ran(await aHome(), [...argv, '--json']);
  expect(code).toBe(0);
  expect(
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).call),
  ).toEqual(calls);
});

test.each([
  ['--limit', 'many'],
  ['--limit', '-1'],
  ['--limit', '1.5'],
  ['--since', 'yesterday'],
  ['--since', '5w'],
  ['--code', 'nonsense'],
  ['--code', 'toString'],
  ['--decision', 'maybe'],
  ['--colour'],
  ['delete'],
  ['list', 'more'],
  ['verify', 'more'],
])('%j %j is wrong use, said on stderr', async (...argv) => {
  const { code, out, err } = await ran(
    aFolder(),
    argv.filter((word) => typeof word === 'string'),
  );
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toContain('toolgate audit --help');
});

test('a home without records is reported as such', async () => {
  expect(await ran(aFolder(), [])).toEqual({ code: 0, out: '', err: 'No matching records.\n' });
});

test('a whole record verifies, with the hashes to note down', async () => {
  const { code, out } = await ran(await aHome(), ['verify']);
  expect(code).toBe(0);
  expect(out).toMatch(/^Intact: 3 records in 1 journal\n {2}journal 1 ends at record 3 with hash [0-9a-f]{64}\n$/);
});

test('a changed record is found and located, and the exit code shows it', async () => {
  const home = await aHome();
  const path = join(home, 'audit', '1', '000001.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"ada"', '"eve"'));
  const { code, out } = await ran(home, ['verify']);
  expect(code).toBe(1);
  expect(out).toContain('1/000001.jsonl:2 record 2 does not match its hash');
  const json = await ran(home, ['verify', '--json']);
  expect(JSON.parse(json.out)).toMatchObject({
    intact: false,
    journals: [{ journal: 1, findings: [{ kind: 'changed', seq: 2 }] }],
  });
});

test('a hash that was noted must still be there', async () => {
  const home = await aHome();
  const noted = /[0-9a-f]{64}/.exec((await ran(home, ['verify'])).out)?.[0] ?? '';
  expect((await ran(home, ['verify', '--contains', noted])).code).toBe(0);
  expect((await ran(home, ['verify', '--contains', 'f'.repeat(64)])).code).toBe(1);
});

test('an audit journal that cannot be read is reported in one line', async () => {
  const home = aFolder();
  writeFileSync(join(home, 'audit'), '');
  expect(await ran(home, [])).toEqual({
    code: 1,
    out: '',
    err: 'toolgate audit: cannot read the audit journal: a part of the path is not a folder\n',
  });
});

test('--home goes before the environment', async () => {
  expect((await ran(aFolder(), ['verify', '--home', await aHome()])).out).toContain('3 records');
});

test('the configuration names the folder where the environment does not', async () => {
  const home = await aHome();
  const file = join(aFolder(), 'toolgate.yaml');
  writeFileSync(file, `state:\n  directory: ${home}\n`);
  expect((await ran('', ['verify', '--config', file], { env: {} })).out).toContain('3 records');
  writeFileSync(file, 'nonsense: true\n');
  expect(await ran('', ['verify', '--config', file], { env: {} })).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('nonsense'),
  });
  expect((await ran(home, ['verify', '--config', file])).out).toContain('3 records');
});

test('following shows new records until stopped', async () => {
  const home = await aHome();
  const stop = new AbortController();
  let seen = '';
  const out = (text: string): void => {
    seen += text;
    if (text.includes('"call":"c2"')) stop.abort();
    if (text.includes('"call":"2"')) void aJournalOf(join(home, 'audit', '2'), 2);
  };
  const { code } = await ran(home, ['--follow', '--json'], { out, signal: stop.signal });
  expect(code).toBe(0);
  expect(seen.match(/"call":"\w+"/g)).toEqual(['"call":"1"', '"call":"2"', '"call":"c1"', '"call":"c2"']);
});
