import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameReader, maxPayloadBytes, toCountFrame, toFrame } from './frames.js';

interface Seen {
  readonly kind: number;
  readonly id: number;
  readonly payload: string;
}

function reading(): { readonly seen: Seen[]; readonly read: (chunk: Buffer) => boolean } {
  const seen: Seen[] = [];
  const read = frameReader((kind, id, payload) => seen.push({ kind, id, payload: payload.toString('hex') }));
  return { seen, read };
}

const frames = fc.array(
  fc.record({
    kind: fc.integer({ min: 0, max: 255 }),
    id: fc.integer({ min: 0, max: 0xffff_ffff }),
    payload: fc.uint8Array({ maxLength: 300 }),
  }),
  { maxLength: 20 },
);

test('frames arrive whole and in order however the pipe cuts them', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1 }), (sent, cuts) => {
      const stream = Buffer.concat(sent.map(({ kind, id, payload }) => toFrame(kind, id, Buffer.from(payload))));
      const { seen, read } = reading();
      for (let at = 0, turn = 0; at < stream.length; turn += 1) {
        const size = cuts[turn % cuts.length]!;
        expect(read(stream.subarray(at, at + size))).toBe(true);
        at += size;
      }
      expect(seen).toEqual(
        sent.map(({ kind, id, payload }) => ({ kind, id, payload: Buffer.from(payload).toString('hex') })),
      );
    }),
  );
});

test('a frame longer than any honest one breaks the stream for good', () => {
  const { seen, read } = reading();
  const header = Buffer.alloc(9);
  header.writeUInt32LE(maxPayloadBytes + 1, 0);
  expect(read(header)).toBe(false);
  expect(read(toFrame(1, 1))).toBe(false);
  expect(seen).toEqual([]);
});

test('a count travels as four bytes', () => {
  const { seen, read } = reading();
  read(toCountFrame(6, 7, 65_536));
  expect(seen).toEqual([{ kind: 6, id: 7, payload: '00000100' }]);
});
