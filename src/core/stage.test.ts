import { expect, test } from 'vitest';
import { aCall, aTool } from '../../test/support/make.js';
import { compose } from './guard.js';
import { done, refuse } from './outcome.js';
import type { Stage } from './stage.js';
import { stageRecorders } from './stage.js';

const passing = (name: string): Stage => ({ name, guard: (_tool, next) => async (call) => next(call) });
const refusing = (name: string): Stage => ({ name, guard: () => () => Promise.resolve(refuse('busy', 'no')) });
const throwing = (name: string): Stage => ({
  name,
  guard: () => () => {
    throw new Error('bug');
  },
});
const absent: Stage = { name: 'absent', guard: (_tool, next) => next };

const observe = (recorders: ReturnType<typeof stageRecorders>) => {
  const seen: string[] = [];
  const stop = recorders.add({
    begin() {
      const names: string[] = [];
      return {
        entered(position, stage) {
          names[position] = stage;
          seen.push(stage);
        },
        left: (position, outcome, answered) =>
          void seen.push(`${answered ? '!' : '/'}${names[position]} ${outcome?.kind ?? 'threw'}`),
      };
    },
  });
  return { seen, stop };
};

test('the stage that answers without the next one is marked, and only that one', async () => {
  const recorders = stageRecorders();
  const { seen } = observe(recorders);
  const tool = aTool();
  await compose([passing('a'), absent, refusing('b'), passing('c')], tool, tool.run, recorders)(aCall());
  expect(seen).toEqual(['a', 'b', '!b failed', '/a failed']);
});

test('the operation is the stage run, and a stage that throws ends without an outcome', async () => {
  const recorders = stageRecorders();
  const { seen } = observe(recorders);
  const tool = aTool({ run: () => Promise.resolve(done('ok')) });
  await compose([passing('a')], tool, tool.run, recorders)(aCall());
  await compose([passing('a'), throwing('b')], tool, tool.run, recorders)(aCall()).catch(() => undefined);
  expect(seen).toEqual(['a', 'run', '!run done', '/a done', 'a', 'b', '!b threw', '/a threw']);
});

test('without an observer the guards run as if there were no recorder, and observers come and go between calls', async () => {
  const recorders = stageRecorders();
  const tool = aTool({ run: () => Promise.resolve(done('ok')) });
  const call = compose([passing('a')], tool, tool.run, recorders);
  const first = observe(recorders);
  first.stop();
  await call(aCall());
  expect(first.seen).toEqual([]);
  const second = observe(recorders);
  await call(aCall());
  second.stop();
  await call(aCall());
  expect(second.seen).toHaveLength(4);
  expect(recorders.isActive()).toBe(false);
});

test('calls that run at the same time are distinguished by their id, and an observer that throws changes nothing', async () => {
  const recorders = stageRecorders();
  const answered: string[] = [];
  const broken = (): never => {
    throw new Error('observer');
  };
  recorders.add({ begin: broken });
  recorders.add({
    begin(call) {
      const names: string[] = [];
      return {
        entered(position, stage) {
          names[position] = stage;
          broken();
        },
        left(position, _outcome, hasAnswered) {
          if (hasAnswered) answered.push(`${call.id} ${names[position]}`);
          broken();
        },
      };
    },
  });
  const tool = aTool({ run: () => Promise.resolve(done('ok')) });
  const only = (id: string): Stage => ({
    name: 'b',
    guard: (_tool, next) => (call) => (call.id === id ? Promise.resolve(refuse('busy', 'no')) : next(call)),
  });
  const call = compose([passing('a'), only('1')], tool, tool.run, recorders);
  const outcomes = await Promise.all(['1', '2', '3'].map((id) => call(aCall({ id }))));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'done', 'done']);
  expect(answered.toSorted()).toEqual(['1 b', '2 run', '3 run']);
});

test('a stage that returns the promise of the next one leaves with it, from the inside to the outside', async () => {
  const recorders = stageRecorders();
  const { seen } = observe(recorders);
  const forwarding = (name: string): Stage => ({ name, guard: (_tool, next) => (call) => next(call) });
  const tool = aTool({ run: () => Promise.resolve(done('ok')) });
  const call = compose([forwarding('a'), passing('b'), forwarding('c'), forwarding('d')], tool, tool.run, recorders);
  await call(aCall());
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'run', '!run done', '/d done', '/c done', '/b done', '/a done']);
});

test('a call leaves nothing behind: the same id can be recorded again', async () => {
  const recorders = stageRecorders();
  const { seen } = observe(recorders);
  const tool = aTool({ run: () => Promise.resolve(done('ok')) });
  const call = compose([passing('a')], tool, tool.run, recorders);
  await call(aCall());
  const first = [...seen];
  seen.length = 0;
  await call(aCall());
  expect(seen).toEqual(first);
});
