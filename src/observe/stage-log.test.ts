import { expect, test } from 'vitest';
import { aCall, handClock } from '../../test/support/make.js';
import { done, refuse } from '../core/outcome.js';
import { stageLog } from './stage-log.js';

test('each stage has its entry, its whole time and its own time without the stages inside of it', () => {
  const clock = handClock();
  const log = stageLog(clock);
  const call = log.begin(aCall({ id: 'c1' }));
  call.entered(0, 'audit', aCall());
  clock.advance(2);
  call.entered(1, 'run', aCall());
  clock.advance(5);
  call.left(1, refuse('busy', 'no'), true);
  clock.advance(1);
  expect(log.stagesOf('c1')).toMatchObject([{ total_ms: null, own_ms: null }, { total_ms: 5 }]);
  call.left(0, done('ok'), false);
  expect(log.stagesOf('c1')).toEqual([
    { stage: 'audit', at_ms: 0, total_ms: 8, own_ms: 3, answered: false },
    { stage: 'run', at_ms: 2, total_ms: 5, own_ms: 5, answered: true, code: 'busy' },
  ]);
});

test('the stages of the newest calls are kept, and of no others', () => {
  const log = stageLog(() => 0);
  for (let n = 0; n <= 1_000; n += 1) log.begin(aCall({ id: `c${n}` }));
  expect(log.stagesOf('c0')).toBeUndefined();
  expect(log.stagesOf('c1')).toEqual([]);
  expect(log.stagesOf('never')).toBeUndefined();
});
