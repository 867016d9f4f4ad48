import { expect, test } from 'vitest';
import type { Session } from './session.js';
import { sessionSlots, type Slot } from './session-slots.js';

const limits = { idleMs: 100, maxAgeMs: 1_000, maxSessions: 2 };

function aTable() {
  let now = 0;
  const closed: string[] = [];
  const slots = sessionSlots(limits, () => now);
  const open = (owner: string): Slot => {
    const session: Session = {
      peer: { version: '2025-11-25', modern: false, server: { name: 'x', version: '1' }, capabilities: {} },
      end: undefined,
      request: () => Promise.resolve({ result: {} }),
      notify: () => {},
      offerRoots: () => undefined,
      close: async () => void closed.push(owner),
    };
    const slot = slots.add(owner, Promise.resolve(session));
    slot.session = session;
    return slot;
  };
  return { slots, open, closed, pass: (ms: number) => (now += ms) };
}

test('a session without an owner is assigned to the first one, and to no other', () => {
  const { slots, open } = aTable();
  const spare = open('');
  expect(slots.find('a')).toBe(spare);
  expect(slots.find('b')).toBeUndefined();
  expect(slots.find('')).toBe(spare);
});

test('the longest idle session makes room; sessions in use do not', async () => {
  const { slots, open, closed, pass } = aTable();
  open('a');
  pass(10);
  const second = open('b');
  expect(slots.makeRoom()).toBe(true);
  second.leases = 1;
  open('c').leases = 1;
  expect(slots.makeRoom()).toBe(false);
  await slots.closeAll();
  expect(closed).toEqual(['a', 'b', 'c']);
});

test('idle and old sessions are closed; a leased one closes with its last lease', async () => {
  const { slots, open, closed, pass } = aTable();
  const leased = open('a');
  leased.leases = 1;
  open('b');
  pass(101);
  slots.sweep();
  expect(slots.size()).toBe(1);
  slots.retire(leased);
  await Promise.resolve();
  expect(closed).toEqual(['b']);
  slots.release(leased);
  await slots.closeAll();
  expect(closed).toEqual(['b', 'a']);
});
