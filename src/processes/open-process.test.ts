import { afterAll, expect, test } from 'vitest';
import { aSpec, eventually, oddSleep, processesNamed } from '../../test/support/processes.js';
import { processes, type OpenHandlers, type OpenProcess, type ProcessExit, type ProcessSpec } from './index.js';

const local = processes();
afterAll(() => local.close());

interface Watched {
  readonly process: OpenProcess;
  readonly exit: Promise<ProcessExit>;
  out(): string;
  err(): string;
}

async function opened(spec: ProcessSpec, over: Partial<OpenHandlers> = {}): Promise<Watched> {
  let out = '';
  let err = '';
  let tell: (exit: ProcessExit) => void = () => {};
  const exit = new Promise<ProcessExit>((resolve) => (tell = resolve));
  const process = await local.open(spec, {
    onStdout: (chunk) => void (out += chunk),
    onStderr: (chunk) => void (err += chunk),
    onExit: tell,
    ...over,
  });
  if (process.kind === 'refused') throw new Error(process.message);
  return { process, exit, out: () => out, err: () => err };
}

const tiers = ['prlimit', 'bwrap'] as const;

test.each(tiers)('%s: what is written comes back in order, and the end of input ends it', async (tier) => {
  const cat = await opened({ ...aSpec('', { tier }), file: '/bin/cat', args: [] });
  const lines = Array.from({ length: 500 }, (_, n) => `line ${n}\n`);
  for (const line of lines) expect(await cat.process.write(line)).toBe(true);
  cat.process.endInput();
  expect(await cat.exit).toMatchObject({ code: 0, signal: null });
  expect(cat.out()).toBe(lines.join(''));
  expect(await cat.process.write('late')).toBe(false);
});

test('a child that does not read holds the writer back', async () => {
  const deaf = await opened(aSpec('sleep 600'));
  const writing = deaf.process.write(Buffer.alloc(2 * 1024 * 1024));
  const first = await Promise.race([
    writing.then(() => 'written'),
    opened(aSpec('exit 0'))
      .then(({ exit }) => exit)
      .then(() => 'held'),
  ]);
  expect(first).toBe('held');
  await deaf.process.kill(0);
  expect(await writing).toBe(false);
});

test('a child that closes its input is distinguished from one that is slow', async () => {
  const closed = await opened(aSpec('exec <&-; echo closed; sleep 600'));
  await eventually(closed.out, (out) => out.includes('closed'));
  await eventually(
    () => closed.process.write('hello'),
    (isOpen) => !isOpen,
  );
  await closed.process.kill(0);
});

test('a reader that is busy holds the child back', async () => {
  let heard = 0;
  let release: () => void = () => {};
  const busy = new Promise<void>((resolve) => (release = resolve));
  const loud = await opened(aSpec('head -c 3000000 /dev/zero; echo end >&2'), {
    onStdout: (chunk) => {
      heard += chunk.length;
      return busy;
    },
  });
  await (
    await opened(aSpec('sleep 0.2'))
  ).exit;
  expect(heard).toBeLessThan(1_000_000);
  release();
  await loud.exit;
  expect(heard).toBe(3_000_000);
});

test('a reader that never answers cannot keep a killed process from ending', async () => {
  const loud = await opened(aSpec('exec yes'), { onStdout: () => new Promise(() => {}) });
  await loud.process.kill(0);
  expect(await loud.exit).toMatchObject({ signal: 'SIGKILL' });
});

test.each(tiers)('%s: kill ends the descendants too and resolves when they are gone', async (tier) => {
  const sleep = oddSleep();
  const server = await opened(aSpec(`setsid sleep ${sleep} & echo up; wait`, { tier }));
  await eventually(server.out, (out) => out.includes('up'));
  await server.process.kill(50);
  expect(processesNamed(sleep)).toEqual([]);
});

test('a child that crashes is reported at once, with its last output', async () => {
  const crashed = await opened(aSpec('echo "cannot read config" >&2; exit 9'));
  expect(await crashed.exit).toMatchObject({ code: 9 });
  expect(crashed.err()).toBe('cannot read config\n');
});

test('a program that is not there is refused, not opened', async () => {
  const result = await local.open(
    { ...aSpec(''), file: '/nowhere/server' },
    { onStdout() {}, onStderr() {}, onExit() {} },
  );
  expect(result).toMatchObject({ kind: 'refused', reason: 'not_found' });
});

test('bytes that are not text pass unchanged both ways', async () => {
  const received: Buffer[] = [];
  const cat = await opened(
    { ...aSpec(''), file: '/bin/cat', args: [] },
    { onStdout: (chunk) => void received.push(chunk) },
  );
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * 31) % 256));
  await cat.process.write(bytes);
  cat.process.endInput();
  await cat.exit;
  expect(Buffer.concat(received).equals(bytes)).toBe(true);
});

test('what is said to a program and by it does not take the way through the broker', async () => {
  const cat = await opened({ ...aSpec(''), file: '/bin/cat', args: [] });
  const broker = local.brokerPid ?? 0;
  process.kill(broker, 'SIGSTOP');
  try {
    await cat.process.write('past the broker\n');
    await eventually(cat.out, (out) => out === 'past the broker\n');
  } finally {
    process.kill(broker, 'SIGCONT');
  }
  await cat.process.kill(0);
});

test('no byte is lost of programs that write before a listener is attached', async () => {
  const words = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const quick = await opened({ ...aSpec(''), file: '/bin/echo', args: [`first words of ${n}`] });
      await quick.exit;
      return quick.out();
    }),
  );
  expect(words).toEqual(words.map((_, n) => `first words of ${n}\n`));
});

test('a broker that dies takes its long-lived programs along, and their callers are notified', async () => {
  const own = processes();
  let tell: (exit: ProcessExit) => void = () => {};
  const exit = new Promise<ProcessExit>((resolve) => (tell = resolve));
  const sleep = oddSleep();
  const opening = await own.open(aSpec(`exec sleep ${sleep}`), { onStdout() {}, onStderr() {}, onExit: tell });
  process.kill(own.brokerPid ?? 0, 'SIGKILL');
  expect(await exit).toMatchObject({ lost: { reason: 'broker_lost' } });
  expect(opening.kind === 'open' && (await opening.write('late'))).toBe(false);
  await eventually(
    () => processesNamed(sleep),
    (left) => left.length === 0,
  );
  await own.close();
});
