import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { eventually, zombiesOf } from '../../../test/support/processes.js';
import { maxInstance, toRttimeLimit } from './process-marker.js';
import { killAll, findMarked, sendSignal } from './process-sweep.js';

const instance = maxInstance - process.pid;
const limit = toRttimeLimit({ instance, serial: 5 });
const isOurs = (mark: { readonly instance: number }): boolean => mark.instance === instance;

test('a zombie is not taken for a survivor, which would make a sweep wait for ever', async () => {
  // The shell's child ends after the shell became a sleep, which never reaps it.
  const parent = spawn(
    '/usr/bin/prlimit',
    [`--rttime=${limit}:${limit}`, '--', '/bin/sh', '-c', 'sleep 0.05 & exec sleep 600'],
    { stdio: 'ignore' },
  );
  await eventually(
    () => zombiesOf(parent.pid!),
    (zombies) => zombies.length === 1,
  );
  expect(findMarked(isOurs)).toEqual([parent.pid]);
  expect(await killAll(isOurs)).toBe(0);
  expect(findMarked(isOurs)).toEqual([]);
});

test('only processes with the asked mark are found', () => {
  expect(findMarked(isOurs)).toEqual([]);
  expect(findMarked(() => true)).not.toContain(process.pid);
});

test.each([0, -0, 1, -1, Number.NaN, Infinity])(
  'the number %d names no single process and is never signalled',
  (pid) => {
    expect(sendSignal(pid, 'SIGCONT')).toBe(false);
  },
);
