import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputCap } from './output-cap.js';

test('never a byte more than the cap passes, and the first byte too many is reported once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), fc.array(fc.integer({ min: 0, max: 20 })), (maxBytes, sizes) => {
      let passed = 0;
      let told = 0;
      const { take, truncated } = outputCap(
        maxBytes,
        (chunk) => (passed += chunk.length),
        () => (told += 1),
      );
      for (const size of sizes) take(Buffer.alloc(size));
      const offered = sizes.reduce((sum, size) => sum + size, 0);
      expect(passed).toBe(Math.min(offered, maxBytes));
      expect(truncated()).toBe(offered > maxBytes);
      expect(told).toBe(offered > maxBytes ? 1 : 0);
    }),
  );
});
