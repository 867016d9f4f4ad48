import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromTraceparent, toTraceparent, traceContext } from './trace-context.js';

const T = '4bf92f3577b34da6a3ce929d0e0e4736';
const S = '00f067aa0ba902b7';
const good = `00-${T}-${S}-01`;

test('a traceparent is read and written again', () => {
  expect(fromTraceparent(good)).toEqual({ traceId: T, spanId: S, sampled: true });
  expect(fromTraceparent(`00-${T}-${S}-00`)).toMatchObject({ sampled: false });
  expect(toTraceparent({ traceId: T, spanId: S, sampled: true })).toBe(good);
});

test('a later version with more fields is read as far as it is known, and written as the known one', () => {
  expect(traceContext(`cc-${T}-${S}-01-what-the-future-brings`)).toEqual({ traceparent: good });
  expect(traceContext(`cc-${T}-${S}-01`)).toEqual({ traceparent: good });
});

test.each([
  '',
  '00',
  good.toUpperCase(),
  ` ${good}`,
  `${good} `,
  `${good}\n`,
  `${good}-`,
  `${good}-more`,
  `${good}x`,
  `ff-${T}-${S}-01`,
  `cc-${T}-${S}-01x`,
  `00-${'0'.repeat(32)}-${S}-01`,
  `00-${T}-${'0'.repeat(16)}-01`,
  `00-${T.slice(1)}-${S}-01`,
  `00-${T}-${S}-1`,
  `00-${T}-${S}-0x`,
  `00_${T}_${S}_01`,
  `0-${T}-${S}-01`,
  `00-${T}-${S}`,
  `cc-${T}-${S}-01-${'x'.repeat(1000)}`,
  `00-${T}-${S}-01\r\nX-Injected: 1`,
])('%j is no traceparent', (header) => {
  expect(fromTraceparent(header)).toBeUndefined();
  expect(traceContext(header, 'a=b')).toBeUndefined();
});

test.each<[string, string | undefined]>([
  ['a=b', 'a=b'],
  ['rojo=00f067aa0ba902b7, congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
  ['tenant@vendor=value with space', 'tenant@vendor=value with space'],
  ['a=1,,b=2', 'a=1,b=2'],
  ['', undefined],
  ['a=1,a=2', undefined],
  ['A=1', undefined],
  ['a', undefined],
  ['a=', undefined],
  ['a=b=c', undefined],
  ['a=\u00e9', undefined],
  ['a=1\r\nX: 1', undefined],
  [Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(','), undefined],
  [`a=${'x'.repeat(600)}`, undefined],
])('a tracestate %j goes on as %j', (given, expected) => {
  expect(traceContext(good, given)).toEqual({
    traceparent: good,
    ...(expected !== undefined && { tracestate: expected }),
  });
});

test('whatever is read is written as a header that reads the same', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.{0,5})?$/)),
      (header) => {
        const parent = fromTraceparent(header);
        if (parent) expect(fromTraceparent(toTraceparent(parent))).toEqual(parent);
      },
    ),
  );
});
