import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuditRecord } from '../../guards/audit.js';
import { GENESIS, hasValidSeal, seal, unseal } from './audit-entry.js';

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\u2028', '\ud800', ''));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Records with their fields in the order of the journal. */
const records = fc
  .tuple(
    fc.constantFrom('begin', 'end', 'refused', 'admin'),
    fc.tuple(text, text, text, text, text, text, text, text),
    fc.tuple(maybe(text), maybe(text), maybe(text), maybe(text)),
    fc.tuple(maybe(fc.jsonValue()), maybe(fc.double()), maybe(fc.dictionary(text, fc.jsonValue()))),
  )
  .map(
    ([
      event,
      [at, call, correlationId, principal, via, tool, definition, argsDigest],
      [traceparent, peer, message, listedAs],
      [args, durationMs, detail],
    ]) =>
      // Arbitrary JSON stands for the arguments and the detail of any caller.
      ({
        event,
        at,
        call,
        correlationId,
        traceparent,
        principal,
        via,
        peer,
        tool,
        listedAs,
        definition,
        argsDigest,
        args,
        decision: 'allowed',
        code: undefined,
        message,
        durationMs,
        detail,
      }) as AuditRecord,
  );

test('a line is what JSON.stringify writes, and its seal is valid', () => {
  fc.assert(
    fc.property(records, (record) => {
      const { line } = seal(7, record, GENESIS);
      expect(line).toBe(`{"seq":7,${JSON.stringify(record).slice(1, -1)},"hash":"${line.slice(-66, -2)}"}`);
      expect(hasValidSeal(line, GENESIS)).toBe(true);
      expect(unseal(line)).toMatchObject({ seq: 7 });
    }),
    { numRuns: 1_000 },
  );
});
