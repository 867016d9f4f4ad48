import { expect, test } from 'vitest';
import { limitProblem, possibleLimits, prlimitFlags } from './limits.js';

const own = [
  'Limit                     Soft Limit           Hard Limit           Units     ',
  'Max cpu time              unlimited            100                  seconds   ',
  'Max open files            1024                 4096                 files     ',
  'Max address space         unlimited            unlimited            bytes     ',
].join('\n');

test('CPU time ends five seconds after its soft limit, core dumps are always off, and the mark is set [S0.59] [S0.62]', () => {
  expect(prlimitFlags({ cpuSeconds: 30, memoryBytes: 1024 }, 77n)).toEqual([
    '--cpu=30:35',
    '--as=1024:1024',
    '--core=0:0',
    '--rttime=77:77',
  ]);
});

test.each([
  [{ openFiles: 5000 }, 'nofile'],
  [{ cpuSeconds: 98 }, 'cpu'],
  [{ memoryBytes: -1 }, 'as'],
  [{ memoryBytes: 1.5 }, 'as'],
  [{ fileBytes: Number.NaN }, 'fsize'],
])('an impossible limit is named: %j [S0.63]', (limits, name) => {
  expect(limitProblem(limits, own, 1000)).toContain(name);
});

test('limits within the hard ones are fine, and root may raise them', () => {
  expect(limitProblem({ openFiles: 4096, cpuSeconds: 95, memoryBytes: 2 ** 40 }, own, 1000)).toBeUndefined();
  expect(limitProblem({ openFiles: 5000 }, own, 0)).toBeUndefined();
});

test('a process count is promised to root only with a cgroup, since the kernel does not hold root to the limit', () => {
  expect(limitProblem({ processes: 10 }, own, 0)).toContain('nproc');
  expect(limitProblem({ processes: 10 }, own, 0, true)).toBeUndefined();
  expect(limitProblem({ processes: 10 }, own, 1000)).toBeUndefined();
});

test('best effort cuts limits down to what can be had', () => {
  expect(possibleLimits({ openFiles: 5000, cpuSeconds: 98, memoryBytes: 10 }, own, 1000)).toEqual({
    openFiles: 4096,
    cpuSeconds: 95,
    memoryBytes: 10,
  });
  expect(possibleLimits({ processes: 10, openFiles: 5000 }, own, 0)).toEqual({ openFiles: 5000 });
});
