import { expect, test } from 'vitest';
import type { McpConfig } from '../sources/mcp/config.js';
import { extraReasons } from './extra-reasons.js';

const given = (admission: McpConfig['admission'], unlisted: McpConfig['scan']['unlisted']) =>
  // Only the two fields below are read.
  ({ admission, scan: { unlisted }, registry_name: 'io.x/y' }) as unknown as McpConfig;

test.each([
  ['strict', 'allow', 'surface abc', 1],
  ['pin', 'allow', '', 0],
  ['pin', 'deny', 'unlisted io.x/y', 1],
] as const)('%s with unlisted %s', (admission, unlisted, mark, count) => {
  const reasons = extraReasons(given(admission, unlisted), {
    movedTo: 'abc',
    registry: { verdict: 'not listed' },
  });
  expect([reasons.length, reasons[0]?.mark ?? '']).toEqual([count, mark]);
});
