import { expect, test } from 'vitest';
import * as toolgate from '../src/index.js';

test('the public API is this and nothing else', () => {
  expect(Object.keys(toolgate).sort()).toEqual([
    'commandSource',
    'createGate',
    'defaultLimits',
    'defineCommand',
    'defineGuard',
    'defineRoute',
    'defineSource',
    'done',
    'errors',
    'failed',
    'homeOf',
    'load',
    'log',
    'openGate',
    'readOnly',
    'refuse',
    'schemaContract',
    'serve',
    'version',
  ]);
});
