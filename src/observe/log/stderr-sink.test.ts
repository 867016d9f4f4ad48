import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { aProgram } from '../../../test/support/program.js';
import { stderrSink } from './stderr-sink.js';

const fullPipe = (): Error => Object.assign(new Error('full'), { code: 'EAGAIN' });

/** A sink whose turns of the event loop are ended by hand. */
function manual(accept: (data: Uint8Array, offset: number) => number) {
  const scheduled: (() => void)[] = [];
  const sink = stderrSink({ write: accept, schedule: (flush) => void scheduled.push(flush) });
  return { sink, endTurn: () => scheduled.splice(0).forEach((flush) => flush()) };
}

function recorder() {
  const writes: string[] = [];
  return {
    writes,
    write: (data: Uint8Array, offset: number) =>
      writes.push(Buffer.from(data.subarray(offset)).toString()) && data.length - offset,
  };
}

test('lines of one turn are written together, in order', () => {
  const { writes, write } = recorder();
  const { sink, endTurn } = manual(write);
  for (let n = 0; n < 5; n += 1) sink(`line ${n}\n`, false);
  expect(writes).toEqual([]);
  endTurn();
  expect(writes).toEqual(['line 0\nline 1\nline 2\nline 3\nline 4\n']);
  sink('next\n', false);
  endTurn();
  expect(writes).toHaveLength(2);
});

test('an urgent line is written at once, behind the lines before it', () => {
  const { writes, write } = recorder();
  const { sink, endTurn } = manual(write);
  sink('info\n', false);
  sink('error\n', true);
  expect(writes).toEqual(['info\nerror\n']);
  endTurn();
  expect(writes).toHaveLength(1);
});

test('a long turn does not grow the buffer without bound', () => {
  const { writes, write } = recorder();
  const { sink } = manual(write);
  for (let n = 0; n < 200; n += 1) sink(`${'x'.repeat(999)}\n`, false);
  expect(writes.length).toBeGreaterThan(1);
  expect(writes.join('').length).toBeGreaterThan(100_000);
});

test('a full pipe keeps its lines, whole and in order, until it accepts them', () => {
  const taken: string[] = [];
  let room = 3;
  const { sink, endTurn } = manual((data, offset) => {
    if (room === 0) throw fullPipe();
    const part = data.subarray(offset, offset + room);
    room -= part.length;
    taken.push(Buffer.from(part).toString());
    return part.length;
  });
  sink('first\n', false);
  endTurn();
  sink('second\n', false);
  endTurn();
  expect(taken.join('')).toBe('fir');
  room = 1_000;
  sink.flush();
  expect(taken.join('')).toBe('first\nsecond\n');
});

test('a reader that has stopped costs a bounded buffer', () => {
  let largest = 0;
  const { sink, endTurn } = manual((data, offset) => {
    largest = Math.max(largest, data.length - offset);
    throw fullPipe();
  });
  for (let n = 0; n < 5_000; n += 1) {
    sink(`${'x'.repeat(999)}\n`, false);
    endTurn();
  }
  sink.flush();
  expect(largest).toBeLessThanOrEqual(1_048_576);
});

const endings: readonly [string, string][] = [
  ['the event loop runs empty', ''],
  ['process.exit is called', 'process.exit(3);'],
  ['an exception is not caught', `throw new Error('bug');`],
  ['a rejection is not handled', `await Promise.reject(new Error('bug'));`],
  ['a timer throws', `setTimeout(() => { to.event('tool.end', { n: 'late' }); throw new Error('bug'); }, 1);`],
  [
    'SIGTERM is handled as serve does',
    `process.once('SIGTERM', () => process.exit(0)); process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60_000);`,
  ],
  [
    'SIGINT is handled as serve does',
    `process.once('SIGINT', () => process.exit(0)); process.kill(process.pid, 'SIGINT'); setTimeout(() => {}, 60_000);`,
  ],
];

test.each(endings)('no line is lost when %s', (_, end) => {
  const program = aProgram(
    `import { log } from './src/observe/log/log.js';
     const to = log();
     for (let n = 0; n < 500; n += 1) to.event('tool.start', { n });
     ${end}`,
  );
  const { stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.filter((line) => line.includes('"tool.start"')).map((line) => JSON.parse(line).n)).toEqual(
    Array.from({ length: 500 }, (_each, n) => n),
  );
  if (end.includes('late')) expect(stderr).toContain('"n":"late"');
});

test('a warning is on disk before the process is killed', () => {
  const program = aProgram(
    `import { log } from './src/observe/log/log.js';
     const to = log();
     to.event('tool.start', { n: 1 });
     to.event('tool.refused', { n: 2 });
     process.kill(process.pid, 'SIGKILL');`,
  );
  const { stderr, signal } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  expect(signal).toBe('SIGKILL');
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
});
