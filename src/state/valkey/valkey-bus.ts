import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Json } from '../../core/json.js';
import { monotonic } from '../../lib/clock.js';
import type { Bus } from '../bus.js';
import type { ValkeyEngine } from './open-valkey.js';

const allChannel = 'tg:bus';
const beatMs = 2_000;
const goneMs = 8_000;
const maxMessageChars = 262_144;

interface Envelope {
  readonly from: string;
  readonly topic: string;
  readonly message: Json;
}

/**
 * Bus over pub/sub: one channel for all replicas and one for each. Messages are authenticated with a key of the cluster secret: a
 * program that can only reach Valkey cannot cancel calls or answer questions.
 */
export async function valkeyBus(
  { client, subscriber, engine }: ValkeyEngine,
  { replica, key }: { readonly replica: string; readonly key: Buffer },
): Promise<Bus & { close(): void }> {
  const listeners = new Map<string, Set<(message: Json, from: string) => void>>();
  const seen = new Map<string, number>();
  const macOf = (body: string): string => createHmac('sha256', key).update(body).digest('base64url');

  const publish = (topic: string, message: Json, to?: string): void => {
    const body = JSON.stringify({ from: replica, topic, message } satisfies Envelope);
    if (body.length > maxMessageChars) return;
    // Lost messages are found by polling; a rejected promise must not end the process.
    void engine
      .run(() => client.publish(to === undefined ? allChannel : `${allChannel}:${to}`, `${macOf(body)}.${body}`))
      .catch(() => {});
  };
  const receive = (text: string): void => {
    const dot = text.indexOf('.');
    const body = text.slice(dot + 1);
    const [given, expected] = [Buffer.from(text.slice(0, dot)), Buffer.from(macOf(body))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return;
    const { from, topic, message } = JSON.parse(body) as Envelope; // authenticated, so written by `publish`
    if (from === replica) return;
    const isNew = !seen.has(from);
    seen.set(from, monotonic());
    // A replica that has just started learns of the others at once: its share of limits depends on their number.
    if (isNew) publish('beat', null, from);
    for (const listener of listeners.get(topic) ?? []) listener(message, from);
  };
  subscriber.on('message', (_channel: string, text: string) => receive(text));
  await subscriber.subscribe(allChannel, `${allChannel}:${replica}`);
  const beat = (): void => publish('beat', null);
  beat();
  const timer = setInterval(beat, beatMs).unref();
  // Silence during an outage of the bus proves nothing about the others. Without this every replica would soon count itself as the
  // only one and allow the whole limit.
  engine.onChange((isUp) => {
    if (!isUp) return;
    for (const id of seen.keys()) seen.set(id, monotonic());
    beat();
  });

  return {
    replica,
    publish,
    subscribe(topic, listener) {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all.add(listener));
    },
    replicas(now = monotonic()) {
      const isUp = engine.downForMs() === undefined;
      for (const [id, at] of isUp ? seen : []) if (now - at > goneMs) seen.delete(id);
      return [replica, ...seen.keys()];
    },
    close: () => clearInterval(timer),
  };
}
