import { randomBytes } from 'node:crypto';
import type { Bus } from './bus.js';
import type { Counters, SharedLabels } from './counters.js';
import { connectError, openDurable, type DurableOptions, type DurableState } from './durable.js';
import type { Engine } from './engine.js';
import type { SharedCopies } from './shared-copy.js';
import { openValkey } from './valkey/open-valkey.js';
import { valkeyBus } from './valkey/valkey-bus.js';
import { valkeyCounters } from './valkey/valkey-counters.js';
import { valkeyLabels } from './valkey/valkey-labels.js';
import { valkeyStore, type FastStore } from './valkey/valkey-store.js';

/** State that several replicas share. */
export interface SharedState extends Omit<DurableState, 'copies' | 'backgroundEngine'> {
  readonly replica: string;
  readonly copies: SharedCopies;
  /** What may expire, in Valkey. */
  readonly fast: FastStore;
  readonly counters: Counters;
  readonly labels: SharedLabels;
  readonly bus: Bus;
  /** One per engine, in the state that calls see. */
  readonly engines: readonly Engine[];
  /** Milliseconds since an engine stopped answering, for calls or in the background, with its name. */
  down(): readonly { readonly name: string; readonly forMs: number }[];
}

interface SharedStateOptions extends DurableOptions {
  readonly valkey: string;
  readonly replica: string;
  readonly limitsOnFailure: () => 'share' | 'refuse';
  readonly maxKeys: () => number;
}

const sweepMs = 60_000;

/** Connects to both engines; the error names the engine and the reason. */
export async function openShared(options: SharedStateOptions): Promise<SharedState> {
  // A random name per start: replicas of a deployment often share one configuration.
  const replica = options.replica === 'auto' ? randomBytes(5).toString('hex') : options.replica;
  const { backgroundEngine, ...durable } = await openDurable(options);
  try {
    const { store, background } = durable;
    const valkey = await openValkey(options.valkey).catch((error: unknown) => connectError('cluster.valkey', error));
    const bus = await valkeyBus(valkey, { replica, key: durable.keyFor('bus') });
    const sweeper = setInterval(
      // A failed sweep is repeated by the next one.
      () => void Promise.resolve(background.sweep(Date.now())).catch(() => {}),
      sweepMs,
    ).unref();
    return {
      ...durable,
      replica,
      store,
      copies: durable.copies(bus),
      fast: valkeyStore(valkey),
      counters: valkeyCounters(valkey, {
        replicas: () => bus.replicas().length,
        onFailure: options.limitsOnFailure,
        maxKeys: options.maxKeys,
      }),
      labels: valkeyLabels(valkey),
      bus,
      engines: [durable.postgres.engine, valkey.engine],
      down() {
        const since = new Map<string, number>();
        // The background connection has its own pool, so it can fail alone.
        for (const each of [durable.postgres.engine, backgroundEngine, valkey.engine]) {
          const forMs = each.downForMs();
          if (forMs !== undefined) since.set(each.name, Math.max(forMs, since.get(each.name) ?? 0));
        }
        return [...since].map(([name, forMs]) => ({ name, forMs }));
      },
      async close() {
        clearInterval(sweeper);
        bus.close();
        valkey.close();
        await durable.close();
      },
    };
  } catch (error) {
    // What was opened first must be closed if the second engine is unreachable.
    await durable.close();
    throw error;
  }
}
