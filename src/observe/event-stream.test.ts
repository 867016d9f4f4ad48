import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventStream, type EventStreamOptions } from './event-stream.js';
import { eventBus } from './events.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function aStream(over: Partial<EventStreamOptions> = {}) {
  const bus = eventBus({ lingerMs: 0 });
  const stream = eventStream({ bus, health: () => ({ status: 'healthy' }), metrics: () => ({ active: 0 }), ...over });
  return { bus, stream };
}

function aReceiver() {
  const state = { text: '', open: true, ended: 0 };
  return {
    state,
    write: (chunk: string) => {
      state.text += chunk;
      return state.open;
    },
    end: () => void state.ended++,
    events: () => [...state.text.matchAll(/^event: (\w+)$/gm)].map((match) => match[1]),
  };
}

test('health and then metrics are sent at once and every five seconds [S0.109]', () => {
  const { stream } = aStream();
  const receiver = aReceiver();
  stream.subscribe(receiver);
  expect(receiver.events()).toEqual(['health', 'metrics']);
  vi.advanceTimersByTime(4_999);
  expect(receiver.events()).toHaveLength(2);
  vi.advanceTimersByTime(5_001);
  expect(receiver.events()).toEqual(['health', 'metrics', 'health', 'metrics', 'health', 'metrics']);
});

test('an event has an id, a name and one line of JSON [S0.109]', () => {
  const { stream, bus } = aStream();
  const receiver = aReceiver();
  stream.subscribe(receiver);
  receiver.state.text = '';
  bus.publish('call', { tool: 'ping\n\nevent: forged\ndata: x' });
  const [id, event, data, ...rest] = receiver.state.text.split('\n');
  expect(id).toMatch(/^id: \d+$/);
  expect(event).toBe('event: call');
  expect(JSON.parse(data!.slice('data: '.length))).toMatchObject({
    type: 'call',
    data: { tool: 'ping\n\nevent: forged\ndata: x' },
  });
  expect(rest).toEqual(['', '']);
});

test('a receiver that reconnects before its first event gets what it missed', () => {
  const { stream, bus } = aStream({ everyMs: 1e9 });
  const keepsWatching = aReceiver();
  stream.subscribe(keepsWatching);
  const receiver = aReceiver();
  stream.subscribe(receiver)?.close();
  const after = Number(/^id: (\d+)$/m.exec(receiver.state.text)?.[1]);
  bus.publish('approval', { id: 'missed' });
  const again = aReceiver();
  stream.subscribe({ ...again, after });
  expect(again.events()).toEqual(['approval']);
});

test('a silent stream shows that it lives', () => {
  const { stream } = aStream({ everyMs: 1e9, heartbeatMs: 1_000 });
  const receiver = aReceiver();
  stream.subscribe(receiver);
  receiver.state.text = '';
  vi.advanceTimersByTime(3_000);
  expect(receiver.state.text).toBe(': heartbeat\n\n'.repeat(3));
});

test('nothing runs without subscribers, and it stops when the last one leaves [S0.109]', () => {
  let asked = 0;
  const { stream } = aStream({ health: () => ({ asked: asked++ }) });
  expect(vi.getTimerCount()).toBe(0);
  const [a, b] = [stream.subscribe(aReceiver()), stream.subscribe(aReceiver())];
  a?.close();
  a?.close();
  expect(vi.getTimerCount()).toBe(2);
  b?.close();
  expect(vi.getTimerCount()).toBe(0);
  expect(asked).toBe(1);
});

test('a receiver that is full gets what waited when it can take more', () => {
  const { stream, bus } = aStream({ everyMs: 1e9 });
  const receiver = aReceiver();
  const subscribed = stream.subscribe(receiver);
  receiver.state.open = false;
  bus.publish('call', { n: 1 });
  bus.publish('call', { n: 2 });
  expect(receiver.events()).toEqual(['health', 'metrics', 'call']);
  receiver.state.open = true;
  subscribed?.resume();
  expect(receiver.events()).toEqual(['health', 'metrics', 'call', 'call']);
});

test('a receiver that takes nothing for a minute is dropped', () => {
  const { stream, bus } = aStream();
  const receiver = aReceiver();
  stream.subscribe(receiver);
  receiver.state.open = false;
  bus.publish('call', {});
  const size = receiver.state.text.length;
  vi.advanceTimersByTime(55_000);
  expect(receiver.state.ended).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(receiver.state.ended).toBe(1);
  expect(receiver.state.text.length).toBe(size);
  expect(bus.hasSubscribers()).toBe(false);
});

test('closing ends every stream once', () => {
  const { stream } = aStream();
  const receivers = [aReceiver(), aReceiver()];
  for (const receiver of receivers) stream.subscribe(receiver);
  stream.close();
  stream.close();
  expect(receivers.map((receiver) => receiver.state.ended)).toEqual([1, 1]);
  expect(vi.getTimerCount()).toBe(0);
});
