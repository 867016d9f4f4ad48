import { describe, expect, test } from 'vitest';
import { deadlinePassed } from '../../core/call.js';
import { aCall, bob, never } from '../../../test/support/make.js';
import { aPlugin, callTool, said, someProcesses } from '../../../test/support/upstream.js';
import { eventually } from '../../../test/support/processes.js';

test.each([
  ['at its start', 'start', /ended with exit code 3.*cannot start: no disk/s],
  ['when greeted', 'greeting', /ended with exit code 5.*hello from/s],
  ['while it lists', 'list', /ended with exit code 4/],
])('a server that dies %s is reported at once with its last words [S3.24]', async (_, fail, words) => {
  const source = aPlugin({ args: ['--fail', fail] });
  await expect(source.list(never)).rejects.toThrow(words);
  expect(source.health?.()).toMatchObject({ status: 'unhealthy' });
  expect(source.processes.active()).toBe(0);
});

test('a crash fails every waiting call at once with the tail of stderr, secrets masked, and the next call restarts it [S3.25]', async () => {
  const source = aPlugin({ plugin: { env: () => ({ values: {}, secrets: ['hunter2-secret-value'], missing: [] }) } });
  const first = said(await callTool(source, 'fix__pid'));
  // Whoever waited for the clock would wait longer than this test may take.
  const patient = { timeoutMs: 600_000 };
  const hanging = callTool(source, 'fix__hang', {}, patient);
  const crashed = await callTool(source, 'fix__crash', {}, patient);
  expect(crashed).toMatchObject({ kind: 'failed', error: { code: 'crashed' } });
  const message = crashed.kind === 'failed' ? crashed.error.message : '';
  expect(message).toContain('fix ended with exit code 7');
  expect(message).toContain('about to crash: token [redacted');
  expect(await hanging).toMatchObject({ error: { code: 'crashed' } });
  const second = await eventually(
    async () => callTool(source, 'fix__pid'),
    (outcome) => outcome.kind === 'done',
  );
  expect(said(second)).not.toBe(first);
});

test('a server that keeps crashing is left alone for a while, and that is reported [S3.25]', async () => {
  const source = aPlugin({ source: { pool: { crashLimit: 3, restMs: 60_000 } } });
  const tools = await source.list(never);
  const crash = tools.find(({ name }) => name === 'fix__crash');
  let last = await crash?.run(aCall({ timeoutMs: 15_000 }));
  for (let tries = 0; tries < 200 && !JSON.stringify(last).includes('in a row'); tries += 1) {
    last = await crash?.run(aCall({ timeoutMs: 15_000 }));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(last).toMatchObject({
    error: { code: 'crashed', message: expect.stringContaining('3 times in a row'), retryAfterMs: expect.any(Number) },
  });
  expect(source.health?.()).toMatchObject({ status: 'unhealthy' });
  expect(source.processes.active()).toBe(0);
});

test('a call past its time is cancelled at the server and is a timeout [S3.25]', async () => {
  const source = aPlugin();
  await source.list(never);
  const late = new AbortController();
  const waiting = callTool(source, 'fix__hang', {}, { signal: late.signal });
  await callTool(source, 'fix__echo', { text: 'a' });
  late.abort(deadlinePassed);
  expect(await waiting).toMatchObject({ error: { code: 'timeout' } });
  expect(said(await callTool(source, 'fix__cancelled'))).toBe('1');
});

test('an answer that comes after the cancel reaches no caller', async () => {
  const source = aPlugin();
  await source.list(never);
  const stop = new AbortController();
  const waiting = callTool(source, 'fix__late', {}, { signal: stop.signal });
  await callTool(source, 'fix__pid');
  stop.abort();
  expect(await waiting).toMatchObject({ error: { code: 'cancelled' } });
  // The fixture sends the late answer right before this one, while this one is waited for.
  expect(said(await callTool(source, 'fix__echo', { text: 'mine' }))).toBe('mine');
});

test('a server that hangs blocks only its own callers, and start-up not longer than its budget', async () => {
  const processes = someProcesses();
  const silent = aPlugin({
    processes,
    args: ['--fail', 'silent'],
    source: { id: 'silent', startupMs: 50, connectMs: 60_000 },
  });
  const fine = aPlugin({ processes });
  const [none, tools] = await Promise.all([silent.list(never), fine.list(never)]);
  expect(none).toEqual([]);
  expect(silent.withheld?.()).toEqual([{ what: 'silent', why: 'is still starting after 0.05 s' }]);
  expect(tools.length).toBeGreaterThan(0);
});

describe('floods', () => {
  test('five thousand notifications are one change', async () => {
    const source = aPlugin();
    await source.list(never);
    let changes = 0;
    source.onChange?.(() => (changes += 1));
    expect(said(await callTool(source, 'fix__flood'))).toBe('flooded');
    await eventually(
      () => changes,
      (count) => count > 0,
    );
    expect(changes).toBeLessThan(5);
  });

  test('a line of a megabyte arrives; for one over the limit its caller gets an error at once, and the next call is served', async () => {
    const source = aPlugin({ plugin: { maxLineBytes: 2_000_000 } });
    expect(said(await callTool(source, 'fix__big', { bytes: 1_000_000 })).length).toBe(1_000_000);
    const small = aPlugin({ plugin: { maxLineBytes: 100_000 } });
    expect(await callTool(small, 'fix__big', { bytes: 1_000_000 })).toMatchObject({
      error: { message: expect.stringContaining('a line over 100000 bytes was skipped') },
    });
    expect(said(await callTool(small, 'fix__echo', { text: 'well' }))).toBe('well');
  });
});

test('a question of a shared server that could be for two callers reaches neither', async () => {
  const source = aPlugin({ source: { sharing: 'all' } });
  await source.list(never);
  const back = { capabilities: { elicitation: {} } };
  const stop = new AbortController();
  const other = callTool(source, 'fix__hang', {}, { principal: bob, back, signal: stop.signal });
  await callTool(source, 'fix__echo', { text: 'a' });
  expect(said(await callTool(source, 'fix__ask', {}, { back }))).toContain('cannot be attributed');
  stop.abort();
  await other;
});

test('twenty sources of fifty tools and more are listed side by side, and a list that changes while it is called does no harm', async () => {
  const processes = someProcesses();
  const sources = Array.from({ length: 20 }, (_, at) =>
    aPlugin({ processes, args: ['--tools', '50'], source: { id: `s${at}`, prefix: `s${at}` } }),
  );
  const lists = await Promise.all(sources.map((source) => source.list(never)));
  expect(new Set(lists.flat().map(({ name }) => name)).size).toBe(20 * 71);
  const [source] = sources;
  const [tools = []] = lists;
  const tool = (name: string) => tools.find((each) => each.name === name);
  const calls = Array.from({ length: 30 }, (_, at) =>
    tool(at % 3 === 0 ? 's0__change' : 's0__echo')?.run(aCall({ args: { text: 'x' }, timeoutMs: 15_000 })),
  );
  const relisted = source?.list(never);
  expect((await Promise.all(calls)).every((outcome) => outcome?.kind === 'done')).toBe(true);
  expect((await relisted)?.length).toBeGreaterThanOrEqual(71);
}, 90_000);
