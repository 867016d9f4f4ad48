import { expect, test } from 'vitest';
import { lazyController, lightController } from './light-signal.js';

test.each([
  ['light', lightController],
  ['lazy', lazyController],
] as const)('a %s signal notifies its listeners once, with the reason', (_name, make) => {
  const controller = make();
  const heard: unknown[] = [];
  controller.signal.addEventListener('abort', () => heard.push(controller.signal.reason), { once: true });
  const gone = (): void => void heard.push('never');
  controller.signal.addEventListener('abort', gone);
  controller.signal.removeEventListener('abort', gone);
  controller.abort('why');
  controller.abort('again');
  expect(heard).toEqual(['why']);
  expect(controller.signal.aborted).toBe(true);
  expect(() => controller.signal.throwIfAborted()).toThrow('why');
});

test('a lazy signal that is asked for after the end is at its end, and is a native one', () => {
  const controller = lazyController();
  controller.abort('why');
  expect([controller.signal.aborted, controller.signal.reason, controller.signal instanceof AbortSignal]).toEqual([
    true,
    'why',
    true,
  ]);
});

test('a reason is given where none is, as native signals do', () => {
  const controller = lightController();
  controller.abort();
  expect(controller.signal.reason).toMatchObject({ name: 'AbortError' });
});
