import { expect, test } from 'vitest';
import { eventBus, type GatewayEvent } from './events.js';

/** A receiver that takes so many events before it wants to rest. */
function receiver(takes = Infinity) {
  const got: GatewayEvent[] = [];
  return {
    got,
    types: () => got.map((event) => `${event.type}${event.data['n'] ?? event.data['count'] ?? ''}`),
    deliver: (event: GatewayEvent) => (got.push(event), got.length % takes !== 0),
  };
}

test('every subscriber gets every event, numbered in order', () => {
  const bus = eventBus({ lingerMs: 0, firstId: 0 });
  const [a, b] = [receiver(), receiver()];
  bus.subscribe(a);
  bus.subscribe(b);
  bus.publish('call', { n: 1 });
  bus.publish('breaker', { n: 2 });
  expect(a.got).toMatchObject([
    { id: 1, type: 'call', data: { n: 1 } },
    { id: 2, type: 'breaker' },
  ]);
  expect(b.types()).toEqual(a.types());
});

test('a subscriber sees only what it may', () => {
  const bus = eventBus({ lingerMs: 0, firstId: 0 });
  const { got, deliver } = receiver();
  bus.subscribe({ deliver, wants: (event) => event.data['principal'] === 'ada' });
  bus.publish('call', { principal: 'bob' });
  bus.publish('call', { principal: 'ada' });
  expect(got).toMatchObject([{ data: { principal: 'ada' } }]);
});

test('a slow subscriber loses its oldest events, learns how many, and delays no other', () => {
  const bus = eventBus({ lingerMs: 0, firstId: 0, queue: 3 });
  const slow = receiver(1);
  const quick = receiver();
  const subscription = bus.subscribe(slow);
  bus.subscribe(quick);
  for (let n = 1; n <= 10; n++) bus.publish('call', { n });
  expect(slow.types()).toEqual(['call1']);
  expect(quick.got).toHaveLength(10);
  for (let round = 0; round < 5; round++) subscription?.resume();
  expect(slow.types()).toEqual(['call1', 'dropped6', 'call8', 'call9', 'call10']);
});

test('after it has caught up, a subscriber gets events as they come', () => {
  const bus = eventBus({ lingerMs: 0, firstId: 0, queue: 3 });
  const { deliver, types } = receiver(2);
  const subscription = bus.subscribe({ deliver });
  for (let n = 1; n <= 3; n++) bus.publish('call', { n });
  subscription?.resume();
  bus.publish('call', { n: 4 });
  expect(types()).toEqual(['call1', 'call2', 'call3', 'call4']);
});

test('a subscriber that throws is dropped, and the others still receive events', () => {
  const bus = eventBus({ lingerMs: 0, firstId: 0 });
  const good = receiver();
  let asked = 0;
  bus.subscribe({
    deliver: () => {
      asked++;
      throw new Error('broken pipe');
    },
  });
  bus.subscribe(good);
  bus.publish('call', {});
  bus.publish('call', {});
  expect(asked).toBe(1);
  expect(good.got).toHaveLength(2);
});

test('the number of subscribers is bounded, and a closed one makes room', () => {
  const bus = eventBus({ maxSubscribers: 1 });
  const first = bus.subscribe(receiver());
  expect(bus.subscribe(receiver())).toBeUndefined();
  first?.close();
  expect(bus.subscribe(receiver())).toBeDefined();
});

test('a closed subscriber gets nothing, not even what waited', () => {
  const bus = eventBus({ lingerMs: 0, firstId: 0 });
  const { got, deliver } = receiver(1);
  const subscription = bus.subscribe({ deliver });
  bus.publish('call', {});
  bus.publish('call', {});
  subscription?.close();
  subscription?.resume();
  bus.publish('call', {});
  expect(got).toHaveLength(1);
  expect(bus.hasSubscribers()).toBe(false);
});

test('a subscriber that returns gets what it missed, or a reset if that is no longer kept', () => {
  const bus = eventBus({ firstId: 0, replay: 2 });
  const first = receiver();
  const subscription = bus.subscribe(first);
  bus.publish('call', { n: 1 });
  subscription?.close();
  bus.publish('call', { n: 2 });
  bus.publish('call', { n: 3 });
  const again = receiver();
  bus.subscribe({ deliver: again.deliver, after: 1 });
  expect(again.types()).toEqual(['call2', 'call3']);
  for (let n = 4; n < 10; n += 1) bus.publish('call', { n });
  const late = receiver();
  bus.subscribe({ deliver: late.deliver, after: 1 });
  expect(late.types()).toEqual(['reset']);
  const ofAnEarlierRun = receiver();
  bus.subscribe({ deliver: ofAnEarlierRun.deliver, after: 99 });
  expect(ofAnEarlierRun.types()).toEqual(['reset']);
});
