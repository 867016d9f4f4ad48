import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkedSet } from './linked-set.js';
import type { LinkedNode } from './linked-set.js';

test('members are visited in insertion order, whatever was removed in between', () => {
  const people = linkedSet<string>();
  const [ann, bob, cid] = ['ann', 'bob', 'cid'].map((name) => people.add(name));
  if (!ann || !bob || !cid) throw new Error('three came');
  people.remove(bob);
  people.remove(bob);
  expect([[...people], people.size, people.first]).toEqual([['ann', 'cid'], 2, ann]);
  people.moveToEnd(ann);
  expect([...people]).toEqual(['cid', 'ann']);
  people.clear();
  expect([[...people], people.size, people.first]).toEqual([[], 0, undefined]);
});

test('a removed node references no other, so that old garbage keeps no new things alive', () => {
  const people = linkedSet<string>();
  const gone = people.add('gone');
  people.add('here');
  people.remove(gone);
  expect([gone.previous, gone.next]).toEqual([undefined, undefined]);
});

test('a member removed during iteration is not visited, and the rest are', () => {
  const people = linkedSet<string>();
  const places = ['ann', 'bob', 'cid'].map((name) => people.add(name));
  const called: string[] = [];
  for (const name of people) {
    called.push(name);
    for (const place of places.slice(0, 2)) people.remove(place);
  }
  expect(called).toEqual(['ann', 'cid']);
});

test('a crowd is what a list with the same comings and goings is', () => {
  const step = fc.record({ what: fc.constantFrom('enter', 'leave', 'toEnd'), at: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const people = linkedSet<number>();
      const all: LinkedNode<number>[] = [];
      let expected: number[] = [];
      for (const [index, { what, at }] of steps.entries()) {
        const place = all[at % Math.max(1, all.length)];
        if (what === 'enter' || place === undefined) {
          all.push(people.add(index));
          expected.push(index);
          continue;
        }
        const wasHere = expected.includes(place.item);
        expected = expected.filter((each) => each !== place.item);
        if (what === 'leave') people.remove(place);
        else {
          people.moveToEnd(place);
          if (wasHere) expected.push(place.item);
        }
      }
      expect([...people]).toEqual(expected);
      expect([people.size, people.first?.item]).toEqual([expected.length, expected[0]]);
    }),
  );
});
