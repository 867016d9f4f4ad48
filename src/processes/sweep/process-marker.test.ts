import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokerSerial, parseMarker, maxInstance, runSerial, toRttimeLimit } from './process-marker.js';

const limitsText = (value: string): string =>
  `Max realtime priority     0                    0                    \nMax realtime timeout      ${value} ${value} us        \n`;

test('a mark survives its way through the text of /proc/<pid>/limits', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: maxInstance }),
      fc.integer({ min: 0, max: brokerSerial }),
      (instance, serial) => {
        expect(parseMarker(limitsText(String(toRttimeLimit({ instance, serial }))))).toEqual({ instance, serial });
      },
    ),
  );
});

test('every run stands below its broker, since a limit can only be lowered', () => {
  for (const n of [0, 1, 1_000, brokerSerial - 1, brokerSerial, brokerSerial * 3 + 5]) {
    expect(toRttimeLimit({ instance: 5, serial: runSerial(n) })).toBeLessThan(
      toRttimeLimit({ instance: 5, serial: brokerSerial }),
    );
    expect(runSerial(n)).toBeGreaterThanOrEqual(0);
  }
});

test.each(['unlimited', '0', '1000000', '18446744073709551615', ''])(
  'a process with the limit "%s" is not ours',
  (value) => {
    expect(parseMarker(limitsText(value))).toBeUndefined();
  },
);
