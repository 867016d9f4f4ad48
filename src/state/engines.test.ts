import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingEngines, startPostgres, startValkey } from '../../test/support/engines.mjs';
import { monotonic } from '../lib/clock.js';
import { EngineDown } from './engine.js';
import { openPostgres, type PostgresEngine } from './postgres/open-postgres.js';
import { postgresStore } from './postgres/postgres-store.js';
import { openShared } from './shared.js';
import { checkStore } from '../../test/support/store-contract.js';
import { openValkey, type ValkeyEngine } from './valkey/open-valkey.js';
import { valkeyBus } from './valkey/valkey-bus.js';
import { valkeyCounters } from './valkey/valkey-counters.js';
import { valkeyLabels } from './valkey/valkey-labels.js';
import { valkeyStore } from './valkey/valkey-store.js';

const missing = missingEngines();
if (missing.length > 0) console.warn(`Tests of shared state are skipped; install ${missing.join(' and ')}`);

describe.skipIf(missing.length > 0)('shared state', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let fast: Awaited<ReturnType<typeof startValkey>>;
  let postgres: PostgresEngine;
  let valkey: ValkeyEngine;
  const secret = 's'.repeat(40);
  const options = (more: Partial<Parameters<typeof openShared>[0]> = {}): Parameters<typeof openShared>[0] => ({
    secrets: [secret],
    postgres: server.url,
    valkey: fast.url,
    replica: 'auto',
    limitsOnFailure: () => 'share',
    maxKeys: () => 1_000,
    ...more,
  });

  beforeAll(async () => {
    [server, fast] = await Promise.all([startPostgres(), startValkey()]);
    // Replicas that start at once migrate once.
    const opened = await Promise.all(
      Array.from({ length: 4 }, () => openPostgres(server.url, { max: 2, timeoutMs: 2_000 })),
    );
    const [first, ...others] = opened;
    if (first) postgres = first;
    await Promise.all(others.map((other) => other.close()));
    valkey = await openValkey(fast.url);
  }, 60_000);
  afterAll(async () => {
    valkey?.close();
    await postgres?.close();
    await Promise.all([server?.end(), fast?.end()]);
  });

  checkStore(
    'postgres',
    (now) => Promise.resolve(postgresStore(postgres.sql, postgres.engine, now)),
    async () => {
      await postgres.sql`DELETE FROM toolgate_kept`;
    },
  );

  test('a database of a newer version is refused', async () => {
    await postgres.sql`INSERT INTO toolgate_schema VALUES (99)`;
    await expect(openPostgres(server.url)).rejects.toThrow('newer than this version');
    await postgres.sql`DELETE FROM toolgate_schema WHERE version = 99`;
  });

  test('one of many replicas uses a nonce, and one takes a code', async () => {
    const store = valkeyStore(valkey);
    const expiresAt = Date.now() + 60_000;
    const used = await Promise.all(Array.from({ length: 50 }, () => store.add('consent', 'n1', '1', { expiresAt })));
    expect(used.filter(Boolean)).toHaveLength(1);
    const taken = await Promise.all(Array.from({ length: 20 }, () => store.take('consent', 'n1')));
    expect(taken.filter(Boolean)).toEqual(['1']);
    await store.put('placement', 'k', 'gone', { expiresAt });
    const swapped = await Promise.all(
      ['a', 'b', 'c'].map((to) => store.swap('placement', 'k', 'gone', to, { expiresAt })),
    );
    expect(swapped.filter(Boolean)).toHaveLength(1);
    expect(await store.swap('placement', 'missing', '', 'a', { expiresAt })).toBe(false);
    expect(await store.get('placement', 'missing')).toBeUndefined();
  });

  test('a name that a caller chooses reaches no other space, and no statement', async () => {
    const store = valkeyStore(valkey);
    const expiresAt = Date.now() + 60_000;
    await store.put('a', 'b:c', 'one', { expiresAt });
    expect(await store.get('a:b', 'c')).toBeUndefined();
    await store.put('x\r\nFLUSHALL\r\n', "'; DROP TABLE toolgate_kept; --", 'two', { expiresAt });
    expect(await store.get('a', 'b:c')).toBe('one');
    const rows = postgresStore(postgres.sql, postgres.engine);
    await rows.put("'; DROP TABLE toolgate_kept; --", '$1', 'v');
    expect(await rows.get("'; DROP TABLE toolgate_kept; --", '$1')).toBe('v');
  });

  const counters = (count = 3) =>
    Array.from({ length: count }, () =>
      valkeyCounters(valkey, { replicas: () => count, onFailure: () => 'share', maxKeys: () => 100 }),
    );

  test('replicas together allow no more than the burst, and charge nothing if one limit refuses', async () => {
    const key = randomUUID();
    const rate = { kind: 'rate', key, perMinute: 1, burst: 10 } as const;
    const results = await Promise.all(
      counters().flatMap((each) => Array.from({ length: 20 }, () => each.spend([rate]))),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(10);
    expect(results.find(({ ok }) => !ok)).toMatchObject({ index: 0, retryAfterMs: expect.any(Number) });
    const other = { kind: 'rate', key: randomUUID(), perMinute: 1, burst: 1 } as const;
    const [one] = counters(1);
    expect(await one?.spend([other, rate])).toMatchObject({ ok: false, index: 1 });
    expect(await one?.spend([other])).toEqual({ ok: true });
  });

  test('replicas together never exceed a budget, and strand at most a block each', async () => {
    const budget = { kind: 'budget', key: randomUUID(), perDay: 500 } as const;
    const replicas = counters();
    let allowed = 0;
    await Promise.all(
      replicas.map(async (each) => {
        for (let at = 0; at < 400; at += 1) if ((await each.spend([budget])).ok) allowed += 1;
      }),
    );
    expect(allowed).toBeLessThanOrEqual(500);
    expect(allowed).toBeGreaterThanOrEqual(500 - 3 * 10);
  });

  test('labels that one replica recorded are there for the next look of another', async () => {
    const [one, two] = [valkeyLabels(valkey), valkeyLabels(valkey)];
    await one.add('conversation', ['private'], 60_000);
    expect(await two.of('conversation')).toEqual(['private']);
    expect(await two.of('other')).toEqual([]);
  });

  test('the bus delivers to all or to one, and drops what was signed with another secret', async () => {
    const connections = await Promise.all([openValkey(fast.url), openValkey(fast.url), openValkey(fast.url)]);
    const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const buses = await Promise.all(
      connections.map((each, at) => valkeyBus(each, { replica: `r${at}`, key: keys[at] ?? Buffer.alloc(32) })),
    );
    const heard: unknown[] = [];
    buses[1]?.subscribe('t', (message, from) => heard.push([message, from]));
    buses[2]?.publish('t', 'forged');
    buses[0]?.publish('t', 'all');
    buses[0]?.publish('t', 'one', 'r1');
    buses[0]?.publish('t', 'other', 'r2');
    await expect
      .poll(() => heard)
      .toEqual([
        ['all', 'r0'],
        ['one', 'r0'],
      ]);
    expect(buses[1]?.replicas()).not.toContain('r2');
    for (const bus of buses) bus.close();
    for (const each of connections) each.close();
  });

  test('a replica with another secret is refused; a rotation with the former one is not', async () => {
    const first = await openShared(options());
    await expect(openShared(options({ secrets: ['t'.repeat(40)] }))).rejects.toThrow('cluster.secret: differs');
    const rotated = await openShared(options({ secrets: ['t'.repeat(40), secret] }));
    expect(rotated.keysFor('session').find(first.keysFor('session').current.id)).toBeDefined();
    await rotated.close();
    await first.close();
  });

  test('an engine that cannot be reached is named at the start', async () => {
    await expect(openShared(options({ postgres: 'postgres://gate@127.0.0.1:1/postgres' }))).rejects.toThrow(
      'cluster.postgres: cannot connect',
    );
  });

  test('a stopped engine costs a call less than 150 ms, then nothing, and is used again when it continues', async () => {
    const store = valkeyStore(valkey);
    let at = 0;
    const share = valkeyCounters(valkey, {
      replicas: () => 3,
      onFailure: () => 'share',
      maxKeys: () => 100,
      clock: () => at,
    });
    const rate = { kind: 'rate', key: randomUUID(), perMinute: 3, burst: 4 } as const;
    for (let call = 0; call < 4; call += 1) expect(await share.spend([rate])).toEqual({ ok: true });
    fast.signal('SIGSTOP');
    await expect(store.get('a', 'b')).rejects.toThrow(EngineDown);
    await expect(store.get('a', 'b')).rejects.toThrow('does not answer');
    // The burst is spent: an engine that stops answering must not bring a second one.
    const alone = await Promise.all(Array.from({ length: 8 }, () => share.spend([rate])));
    expect(alone.filter(({ ok }) => ok)).toHaveLength(0);
    at = 60_000;
    expect(await share.spend([rate])).toEqual({ ok: true });
    expect(await share.spend([rate])).toMatchObject({ ok: false, retryAfterMs: 60_000 });
    const fresh = { ...rate, key: randomUUID(), burst: 1 };
    expect(await share.spend([fresh])).toEqual({ ok: true });
    expect(await share.spend([{ kind: 'budget', key: 'day', perDay: 100 }])).toMatchObject({
      ok: false,
      unavailable: true,
    });
    fast.signal('SIGCONT');
    await expect
      .poll(() => Promise.resolve(store.get('a', 'b')).catch(() => 'down'), { timeout: 5_000 })
      .toBeUndefined();
    // What was allowed during the outage counts afterwards, on every replica.
    const [other] = counters(1);
    expect(await other?.spend([fresh])).toMatchObject({ ok: false });
  });

  test('a replica that receives nothing from the others keeps their number, so that its share does not grow', async () => {
    const connections = await Promise.all([openValkey(fast.url), openValkey(fast.url)]);
    const [one, two] = await Promise.all(
      connections.map((each, at) => valkeyBus(each, { replica: `n${at}`, key: Buffer.alloc(32, 7) })),
    );
    await expect.poll(() => [one?.replicas().length, two?.replicas().length]).toEqual([2, 2]);
    fast.signal('SIGSTOP');
    const down = connections[0]?.engine;
    await expect(down?.run(() => connections[0]?.client.ping() ?? Promise.resolve(''))).rejects.toThrow(EngineDown);
    const later = monotonic() + 60_000;
    expect(one?.replicas(later)).toHaveLength(2);
    fast.signal('SIGCONT');
    await expect.poll(() => down?.downForMs(), { timeout: 5_000 }).toBeUndefined();
    expect(one?.replicas()).toHaveLength(2);
    expect(one?.replicas(later)).toHaveLength(1);
    one?.close();
    two?.close();
    for (const each of connections) each.close();
  });

  test('a restarted PostgreSQL is used again, with everything that was stored', async () => {
    const store = postgresStore(postgres.sql, postgres.engine);
    await store.put('kept', 'k', 'v');
    await server.stop('SIGKILL');
    await expect(Promise.resolve(store.get('kept', 'k'))).rejects.toThrow(EngineDown);
    await server.start();
    await expect
      .poll(async () => Promise.resolve(store.get('kept', 'k')).catch(() => 'down'), { timeout: 10_000 })
      .toBe('v');
  }, 30_000);
});
