import { signal } from '@preact/signals';
import { send } from './api.js';
import { session } from './session.js';

/** An event of the gateway. */
interface GateEvent {
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type Listener = (events: readonly GateEvent[]) => void;

/** State of the event stream; `lost` until the first event arrives again. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'off'>('off');
/** Time of the last sign of life. */
export const lastSeen = signal(0);
/** Grows when events may have been missed, also before the stream was first open: data must be requested again. */
export const epoch = signal(0);

const listeners = new Map<string, Set<Listener>>();
let queue: GateEvent[] = [];
/** Id of the last event, sent as `last-event-id` so that the gateway replays what a broken connection missed. */
let lastId: string | undefined;
let running: AbortController | undefined;
let openTypes = '';
let restarting: ReturnType<typeof setTimeout> | undefined;
/** Exponential back-off, reset by a successful connection. */
let retryMs = 500;

/** Events are delivered in batches, ten times a second at most: a busy gateway must not redraw the page for every call. */
const batchMs = 100;
let flushing: ReturnType<typeof setTimeout> | undefined;
/** Backpressure bound: a hidden tab with throttled timers must not collect events without limit. */
const maxQueued = 5_000;

/** Subscribes to a type of events; the stream carries only types that something on the page needs. */
export function onEvents(type: string, listener: Listener): () => void {
  const known = listeners.get(type);
  if (known) known.add(listener);
  else listeners.set(type, new Set([listener]));
  if (known === undefined) restart();
  return () => {
    const set = listeners.get(type);
    set?.delete(listener);
    if (set?.size === 0) {
      listeners.delete(type);
      restart();
    }
  };
}

/** Opens the stream again soon, with the types needed then. */
function restart(): void {
  // Debounced: several components that mount in one frame cause a single connection.
  clearTimeout(restarting);
  restarting = setTimeout(() => {
    // A component that is drawn again leaves and returns within this time; its stream goes on.
    if (running === undefined || connection.value !== 'live' || neededTypes() !== openTypes) void open();
  }, 20);
}

const neededTypes = (): string => [...listeners.keys()].toSorted().join(',');

export function stopEvents(): void {
  clearTimeout(restarting);
  running?.abort();
  running = undefined;
  // The next login may be another principal, who must not get a replay of this one's events.
  lastId = undefined;
  connection.value = 'off';
}

async function open(): Promise<void> {
  // At most one stream per tab: browsers allow only six connections to an origin over HTTP/1.1.
  running?.abort();
  running = undefined;
  if (session.value === undefined || listeners.size === 0) return;
  const controller = new AbortController();
  running = controller;
  openTypes = neededTypes();
  if (connection.value === 'off') connection.value = 'connecting';
  try {
    // A fetch rather than an EventSource, which cannot send an authorization header.
    const answer = await send(`/events?types=${openTypes}`, {
      signal: controller.signal,
      ...(lastId !== undefined && { headers: { 'last-event-id': lastId } }),
    });
    if (!answer.ok || answer.body === null) throw new Error(`status ${answer.status}`);
    retryMs = 500;
    connection.value = 'live';
    // Without an id nothing is replayed: what happened between the first requests and now has no event.
    if (lastId === undefined) epoch.value += 1;
    await readStream(answer.body);
  } catch {
    // Reported below: a stream that ends and one that cannot be opened are the same to the page.
  }
  // Superseded by a newer stream or stopped on purpose: only the current one may schedule a reconnect.
  if (running !== controller) return;
  connection.value = 'lost';
  restarting = setTimeout(() => void open(), retryMs);
  retryMs = Math.min(retryMs * 2, 10_000);
}

async function readStream(body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    lastSeen.value = Date.now();
    // Streaming decode: a chunk may end inside a multi-byte UTF-8 sequence.
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    // The last block may be incomplete and waits for the next chunk.
    text = blocks.pop() ?? '';
    for (const block of blocks) readBlock(block);
  }
}

function readBlock(block: string): void {
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) lastId = line.slice(4);
    else if (line.startsWith('data: ')) data += line.slice(6);
  }
  // Heartbeats have no data; they only refresh `lastSeen`.
  if (data === '') return;
  const event = JSON.parse(data) as GateEvent; // only the gateway writes to this stream
  if (event.type === 'reset' || event.type === 'dropped') epoch.value += 1;
  // Events beyond the bound are dropped, and the new epoch makes every list load itself again instead.
  if (queue.length < maxQueued) queue.push(event);
  else epoch.value += 1;
  flushing ??= setTimeout(flush, batchMs);
}

function flush(): void {
  flushing = undefined;
  const batch = queue;
  // Swapped before delivery: a listener that throws must not deliver the batch twice.
  queue = [];
  for (const [type, set] of listeners) {
    const events = batch.filter((event) => event.type === type);
    if (events.length > 0) for (const listener of set) listener(events);
  }
}
