import { expect, test } from 'vitest';
import { aTool } from '../../../test/support/make.js';
import { schema } from '../../config/schema.js';
import { readOnly, worstEffects } from '../../core/tool.js';
import { overridesOf } from './overrides.js';

test('effects that a source states about itself count only if the operator vouches for the source or the tool', () => {
  const honest = { ...readOnly, labels: ['upstream'] };
  const wipe = aTool({
    name: 'up__wipe',
    source: 'up',
    effects: { ...worstEffects, labels: ['upstream'] },
    claimedEffects: honest,
  });
  const of = (given: object) => overridesOf(schema.parse(given));
  const plain = of({});
  expect(plain(wipe).effects).toMatchObject({ writes: true, destroys: true, openWorld: true });
  const trusting = of({ output: { trusted_sources: ['up'] } });
  expect(trusting(wipe).effects).toBe(honest);
  expect(trusting(wipe)).toBe(trusting(wipe));
  const stated = of({ tool: { overrides: { up__wipe: { effects: { writes: false } } } } });
  expect(stated(wipe).effects).toEqual({ ...worstEffects, labels: ['upstream'], writes: false, destroys: false });
  const stricter = of({
    output: { trusted_sources: ['*'] },
    tool: { overrides: { up__wipe: { effects: { destroys: true } } } },
  });
  expect(stricter(wipe).effects).toMatchObject({ writes: false, destroys: true });
});
