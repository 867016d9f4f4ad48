import { existsSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { aRun, aSpec, eventually, finished, oddSleep, processesNamed } from '../../test/support/processes.js';
import { processes } from './index.js';

const local = processes();
afterAll(() => local.close());

const run = async (...[spec, options = aRun()]: [ReturnType<typeof aSpec>, ReturnType<typeof aRun>?]) =>
  finished(await local.run(spec, options));
const tiers = ['prlimit', 'bwrap'] as const;

test.each(tiers)('%s: output, error output and exit code come back as they were', async (tier) => {
  const result = await run(aSpec('printf out; printf err >&2; exit 3', { tier }));
  expect({ ...result, stdout: String(result.stdout), stderr: String(result.stderr) }).toMatchObject({
    code: 3,
    signal: null,
    stdout: 'out',
    stderr: 'err',
    truncatedStdout: false,
    truncatedStderr: false,
    timedOut: false,
    cancelled: false,
    tier,
  });
});

test.each(tiers)('%s: a secret of the gateway is not in the environment of a program [S0.57]', async (tier) => {
  process.env['TOOLGATE_TEST_SECRET'] = 'hunter2';
  const { stdout } = await run({
    ...aSpec('', { tier }),
    file: '/usr/bin/env',
    args: [],
    env: { LANG: 'C.UTF-8', ONLY: 'this' },
  });
  const names = String(stdout)
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('PWD=')); // bwrap tells where it went
  expect(names.sort()).toEqual(['LANG=C.UTF-8', 'ONLY=this']);
});

test.each(tiers)('%s: a program leads its own session, away from the gateway [S0.58]', async (tier) => {
  const sessionOf = (stat: string): string | undefined => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3];
  const [first, second] = await Promise.all(
    [1, 2].map(() => run({ ...aSpec('', { tier }), file: '/bin/cat', args: ['/proc/self/stat'] })),
  );
  const stat = String(first!.stdout);
  const [, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  expect(group).toBe(session);
  expect(session).not.toBe(sessionOf(readFileSync('/proc/self/stat', 'latin1')));
  if (tier === 'prlimit') expect(session).not.toBe(sessionOf(String(second!.stdout))); // each namespace counts from 1
});

test.each(tiers)('%s: every limit is found again inside the program [S0.59] [S0.60] [S0.61] [S0.62]', async (tier) => {
  const limits = { cpuSeconds: 9, memoryBytes: 300 * 1024 * 1024, openFiles: 77, fileBytes: 4096 };
  const { stdout } = await run({
    ...aSpec('', { tier, limits }),
    file: '/bin/cat',
    args: ['/proc/self/limits', '/proc/self/status'],
  });
  const text = String(stdout);
  expect(text).toMatch(/Max cpu time\s+9\s+14\s/);
  expect(text).toMatch(/Max address space\s+314572800\s+314572800\s/);
  expect(text).toMatch(/Max open files\s+77\s+77\s/);
  expect(text).toMatch(/Max core file size\s+0\s+0\s/);
  expect(text).toMatch(/Max file size\s+4096\s+4096\s/);
  expect(text).toMatch(/NoNewPrivs:\s+1/);
  expect(text).toMatch(/CapEff:\s+0+\n/);
});

test('a program over its file size ends by signal, one over its memory fails', async () => {
  const big = await run({
    ...aSpec(''),
    file: '/bin/dd',
    args: ['if=/dev/zero', 'of=/tmp/toolgate-too-big', 'bs=1M', 'count=3'],
    tier: 'bwrap',
  });
  expect(big.code).toBe(128 + 25); // SIGXFSZ, as bwrap tells it
  const hungry = await run({
    ...aSpec(''),
    file: '/bin/dd',
    args: ['if=/dev/zero', 'of=/dev/null', 'bs=600M', 'count=1'],
  });
  expect(hungry.code).not.toBe(0);
});

test.each(tiers)('%s: the number of processes is held, root or not, or the run is refused', async (tier) => {
  const spec = aSpec('for n in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.5 & done; wait; echo done', {
    tier,
    limits: { processes: 6 },
  });
  const { processLimit } = await local.tiers();
  const result = await local.run(spec, aRun());
  if (!processLimit.available) return expect(result).toMatchObject({ kind: 'refused', reason: 'sandbox_unavailable' });
  expect(String(finished(result).stderr)).toMatch(/fork/i);
});

test.each(tiers)('%s: a run within its number of processes does not notice it', async (tier) => {
  if (!(await local.tiers()).processLimit.available || process.getuid?.() !== 0) return; // per user elsewhere: others count too
  const { code, stderr } = await run(
    aSpec('sleep 0.01 & sleep 0.01 & wait; echo done', { tier, limits: { processes: 3 } }),
  );
  expect({ code, stderr: String(stderr) }).toEqual({ code: 0, stderr: '' });
});

test.skipIf(!existsSync('/usr/bin/ping'))(
  'a program that lives by its privileges gets them where declared',
  async () => {
    const spec = { ...aSpec('', { newPrivileges: true }), file: '/usr/bin/ping', args: ['-c', '1', '127.0.0.1'] };
    expect(await run(spec)).toMatchObject({ code: 0 });
  },
);

test('a limit that a launcher cannot set refuses the run [S0.63]', async () => {
  const result = await local.run(aSpec('echo ran', { limits: { openFiles: 2 ** 40 } }), aRun());
  expect(result).toMatchObject({ kind: 'refused', reason: 'sandbox_unavailable' });
});

test.each([
  ['one argument longer than the kernel takes', ['x'.repeat(200_000)]],
  ['more arguments than a frame takes', Array.from({ length: 40_000 }, () => 'y'.repeat(60))],
])('%s is refused and harms no one else', async (_, args) => {
  const broker = local.brokerPid;
  expect(await local.run({ ...aSpec(''), file: '/bin/true', args }, aRun())).toMatchObject({
    kind: 'refused',
    reason: 'spawn_failed',
  });
  expect(local.brokerPid).toBe(broker);
});

test('a plan shows the command that a run would start, and starts nothing', async () => {
  const plan = await local.plan(aSpec('echo hello'));
  expect(plan).toMatchObject({
    kind: 'launch',
    tier: 'prlimit',
    argv: expect.arrayContaining(['/bin/sh', '-c', 'echo hello']),
  });
  expect(await local.plan(aSpec('true', { file: '/nowhere' }))).toMatchObject({ kind: 'refused', reason: 'not_found' });
});

test('a program that the kernel will not execute is said to have failed, not to have run', async () => {
  const result = await local.run({ ...aSpec(''), file: '/bin/sh', args: [], cwd: '/nowhere' }, aRun());
  expect(result).toMatchObject({ kind: 'refused', reason: 'spawn_failed' });
});

test('bwrap: no home, no accounts, no network, a private and writable /tmp, nothing else writable', async () => {
  const { stdout } = await run(
    aSpec(
      [
        'ls /root /home /etc/passwd /etc/shadow /var >/dev/null 2>&1 && echo seen',
        'echo x > /tmp/file && cat /tmp/file',
        'for place in / /usr /etc /dev /bin; do (echo x > $place/toolgate-probe) 2>/dev/null && echo wrote $place; done',
        'cut -d: -f1 /proc/net/dev | tail -n +3',
        'ls /proc | grep -c "^[0-9]"',
      ].join('; '),
      { tier: 'bwrap', network: 'none' },
    ),
  );
  const [file, network, visible] = String(stdout).trim().split(/\s+/);
  expect(file).toBe('x');
  expect(network).toBe('lo');
  expect(Number(visible)).toBeLessThan(10);
});

test('bwrap: only declared paths are there, writable only where declared', async () => {
  const spec = aSpec(
    'ls /work 2>/dev/null; test -r /etc/passwd && echo readable; (echo x >> /etc/passwd) 2>/dev/null && echo written',
    { tier: 'bwrap', readable: ['/etc/passwd'] },
  );
  expect(String((await run(spec)).stdout).trim()).toBe('readable');
});

test.each(tiers)('%s: no descriptor of broker or gateway reaches a program', async (tier) => {
  const { stdout } = await run({ ...aSpec('', { tier }), file: '/bin/ls', args: ['/proc/self/fd'] });
  expect(String(stdout).trim().split(/\s+/)).toEqual(['0', '1', '2', '3']); // 3 is the listing itself
});

test('a timeout beyond what a timer holds is a long one, not an instant one', async () => {
  expect(await run(aSpec('sleep 0.05; echo ok'), aRun({ timeoutMs: 2 ** 40 }))).toMatchObject({
    code: 0,
    timedOut: false,
  });
});

test('stdin is empty, so a program that reads ends', async () => {
  expect(await run(aSpec('cat; echo end'))).toMatchObject({ code: 0, stdout: Buffer.from('end\n') });
});

test.each(tiers)('%s: a timeout returns what was captured and leaves nothing running [S0.65]', async (tier) => {
  const sleep = oddSleep();
  const result = await run(aSpec(`echo first; sleep ${sleep}`, { tier }), aRun({ timeoutMs: 2_500, graceMs: 5_000 }));
  expect(result).toMatchObject({ timedOut: true, cancelled: false, stdout: Buffer.from('first\n') });
  expect(processesNamed(sleep)).toEqual([]);
});

test.each(tiers)('%s: a program has its grace to say a last word', async (tier) => {
  const hangUp = new AbortController();
  const result = await run(
    aSpec('trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.05; done', { tier }),
    aRun({ graceMs: 15_000, signal: hangUp.signal, onOutput: () => hangUp.abort() }),
  );
  expect(result).toMatchObject({ cancelled: true, code: 7, stdout: Buffer.from('up\nbye\n') });
});

test('at the cap the tree is killed and exactly the cap is kept [S0.67]', async () => {
  const result = await run({ ...aSpec(''), file: '/usr/bin/yes', args: [] }, aRun({ maxStdoutBytes: 100_001 }));
  expect(result).toMatchObject({ truncatedStdout: true, truncatedStderr: false, signal: 'SIGKILL', timedOut: false });
  expect(result.stdout.length).toBe(100_001);
});

test('a drained program runs to its end and its other stream is whole', async () => {
  const result = await run(
    aSpec('head -c 5000000 /dev/zero; echo done >&2; exit 4'),
    aRun({ maxStdoutBytes: 10, onCap: 'drain' }),
  );
  expect(result).toMatchObject({ code: 4, truncatedStdout: true, stderr: Buffer.from('done\n') });
  expect(result.stdout.length).toBe(10);
});

test('output far beyond every window arrives whole', async () => {
  const result = await run(aSpec('head -c 9000000 /dev/zero'), aRun({ maxStdoutBytes: 10_000_000 }));
  expect(result.stdout.length).toBe(9_000_000);
  expect(result.truncatedStdout).toBe(false);
});

test('output is reported while it comes', async () => {
  const told: string[] = [];
  await run(aSpec('echo a; echo b >&2'), aRun({ onOutput: (stream, chunk) => told.push(`${stream}:${chunk}`) }));
  expect(told.sort()).toEqual(['stderr:b\n', 'stdout:a\n']);
});

test('a caller who hangs up ends the tree, before or after the start', async () => {
  expect(await run(aSpec('sleep 60'), aRun({ signal: AbortSignal.abort() }))).toMatchObject({
    cancelled: true,
    timedOut: false,
  });
  const hangUp = new AbortController();
  const sleep = oddSleep();
  const running = run(
    aSpec(`echo up; sleep ${sleep}`),
    aRun({ signal: hangUp.signal, onOutput: () => hangUp.abort() }),
  );
  expect(await running).toMatchObject({ cancelled: true, stdout: Buffer.from('up\n') });
  expect(processesNamed(sleep)).toEqual([]);
});

test('an escaped child that holds the pipe neither delays the result nor survives', async () => {
  const sleep = oddSleep();
  const result = await run(aSpec(`setsid sleep ${sleep} & echo done`));
  expect(result).toMatchObject({ code: 0, timedOut: false, stdout: Buffer.from('done\n') });
  await eventually(
    () => processesNamed(sleep),
    (left) => left.length === 0,
  );
});

test('a hundred runs at once all answer, each with its own words', async () => {
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, n) => run({ ...aSpec(''), file: '/bin/echo', args: [String(n)] })),
  );
  expect(results.map(({ stdout }) => Number(String(stdout)))).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(local.active()).toBe(0);
});
