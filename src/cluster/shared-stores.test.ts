import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { missingEngines, startPostgres, startValkey } from '../../test/support/engines.mjs';
import { localEgress } from '../../test/support/gates.js';
import { sharedKeys } from '../access/identity/shared-keys.js';
import { definitionAdmission } from '../admission/definitions.js';
import { sharedPins } from '../admission/pins/shared-pins.js';
import type { McpConfig } from '../sources/mcp/config.js';
import { tokenKeeper } from '../sources/mcp/oauth/credentials.js';
import { sealedGrants } from '../sources/mcp/oauth/sealed-grants.js';
import type { Grant } from '../sources/mcp/oauth/tokens.js';
import { EngineDown } from '../state/engine.js';
import { openShared, type SharedState } from '../state/shared.js';
import { sharedSwitches } from '../state/shared-switches.js';

const missing = missingEngines();

describe.skipIf(missing.length > 0)('what replicas share', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let fast: Awaited<ReturnType<typeof startValkey>>;
  let fleet: readonly SharedState[] = [];
  const replica = (at: number): SharedState => {
    const found = fleet[at];
    if (!found) throw new Error('no such replica');
    return found;
  };

  beforeAll(async () => {
    [server, fast] = await Promise.all([startPostgres(), startValkey()]);
    fleet = await Promise.all(
      [0, 1, 2].map((at) =>
        openShared({
          secrets: ['s'.repeat(40)],
          postgres: server.url,
          valkey: fast.url,
          replica: `r${at}`,
          limitsOnFailure: () => 'share',
          maxKeys: () => 100,
        }),
      ),
    );
  }, 60_000);
  afterAll(async () => {
    await Promise.all(fleet.map((each) => each.close()));
    await Promise.all([server?.end(), fast?.end()]);
  });

  /** Runs while PostgreSQL does not answer, and waits until it does again. */
  const withoutPostgres = async (work: () => Promise<void>): Promise<void> => {
    server.signal('SIGSTOP');
    try {
      await Promise.allSettled(fleet.map(async ({ store }) => store.get('x', 'x')));
      await work();
    } finally {
      server.signal('SIGCONT');
      await expect
        .poll(() => fleet.every(({ engines }) => engines.every((each) => each.downForMs() === undefined)), {
          timeout: 10_000,
        })
        .toBe(true);
    }
  };

  test('a key works on every replica, is rejected everywhere within a second of its revocation, and exists once', async () => {
    const maxStaleMs = () => 300_000;
    const [one, two] = await Promise.all(
      [0, 1].map(async (at) => sharedKeys(await replica(at).copies.open('keys'), { maxStaleMs })),
    );
    const made = await Promise.all([one, two].map((keys) => keys?.create({ name: 'ada', roles: ['user'] })));
    const [key = ''] = made.filter((each) => each !== undefined);
    expect(made.filter((each) => each !== undefined)).toHaveLength(1);
    await expect.poll(() => two?.find(key)).toMatchObject({ id: 'key:ada' });
    await expect.poll(() => one?.find(key)).toMatchObject({ id: 'key:ada' });
    expect(await one?.revoke('ada')).toBe(true);
    expect(one?.find(key)).toBeUndefined();
    await expect.poll(() => two?.find(key), { timeout: 1_000 }).toBeUndefined();
    expect(await two?.revoke('ada')).toBe(false);
    expect(JSON.stringify(await replica(0).store.list('keys'))).not.toContain(key);
  });

  test('keys of a copy that is too old are rejected, and a change fails instead of being lost', async () => {
    let maxStaleMs = 300_000;
    const keys = sharedKeys(await replica(0).copies.open('keys'), { maxStaleMs: () => maxStaleMs });
    const key = (await keys.create({ name: 'bob', roles: [] })) ?? '';
    await withoutPostgres(async () => {
      expect(keys.find(key)).toMatchObject({ id: 'key:bob' });
      maxStaleMs = 0;
      await expect.poll(() => keys.find(key)).toBeUndefined();
      expect(keys.problem()).toContain('rejected until PostgreSQL answers');
      await expect(Promise.resolve(keys.revoke('bob'))).rejects.toThrow(EngineDown);
    });
  });

  test('of two replicas that see different definitions at once one pins, the other withholds; nothing is pinned in an outage', async () => {
    const stores = await Promise.all([0, 1].map(async (at) => sharedPins(await replica(at).copies.open('pins'))));
    const admit = stores.map((files) => definitionAdmission({ files, onEvent: () => {} }));
    const config = { kind: 'mcp', url: 'http://127.0.0.1:1/mcp', admission: 'pin' } as unknown as McpConfig;
    const item = (name: string, description: string) =>
      ({ kind: 'tool', name, definition: { name, description } }) as unknown as Parameters<
        ReturnType<(typeof admit)[number]>
      >[0][number];
    const identity = { name: 's', version: '1' } as Parameters<ReturnType<(typeof admit)[number]>>[1];
    const withheld = await Promise.all(
      admit.map((decide, at) => decide('far', config)([item('read', `version ${at}`)], identity)),
    );
    expect(withheld?.map((items) => items.rejected.size).toSorted()).toEqual([0, 1]);
    const pinned = item('read', `version ${withheld?.findIndex((items) => items.rejected.size === 0)}`);
    const listed: string[] = [];
    stores[0]?.watch((source) => listed.push(source));
    await withoutPostgres(async () => {
      const late = item('write', 'new');
      const held = await admit[0]?.('far', config)([pinned, late], identity);
      expect([...(held?.rejected ?? [])].map(([each]) => each)).toEqual([late]);
    });
    stores[0]?.retry();
    expect(listed).toContain('far');
  });

  test('three replicas refresh an expired grant with one request, and the database holds no token [I8]', async () => {
    const used: string[] = [];
    const far = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk) => (body += chunk));
      req.on('end', () => {
        used.push(new URLSearchParams(body).get('refresh_token') ?? '');
        // Long enough for the others to ask meanwhile.
        setTimeout(
          () =>
            res
              .writeHead(200, { 'content-type': 'application/json' })
              .end(JSON.stringify({ access_token: 'fresh', token_type: 'bearer', refresh_token: 'second' })),
          100,
        );
      });
    });
    await new Promise<void>((resolve) => far.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void far.close().closeAllConnections());
    const origin = `http://127.0.0.1:${(far.address() as AddressInfo).port}`;
    const grant: Grant = {
      issuer: origin,
      principal: 'ada',
      resource: `${origin}/mcp`,
      client: { id: 'c' },
      tokenEndpoint: `${origin}/token`,
      accessToken: 'old-access-token',
      refreshToken: 'first-refresh-token',
      expiresAt: 0,
      scopes: [],
    };
    const stores = fleet.map((each) => sealedGrants(each.locked('grants'), each.keysFor('grants')));
    await stores[0]?.write('far', [grant]);
    const egress = localEgress();
    onTestFinished(() => egress.close());
    const keepers = stores.map((grants) =>
      tokenKeeper({
        source: 'far',
        url: `${origin}/mcp`,
        egress,
        grants,
        grant: 'authorization_code',
        scopes: [],
      }).of('ada'),
    );
    const headers = await Promise.all(keepers.map((keeper) => keeper.headers()));
    for (const each of headers) expect(each).toEqual({ headers: { authorization: 'Bearer fresh' } });
    expect(used).toEqual(['first-refresh-token']);

    const stored = (await replica(0).store.get('grants', 'far')) ?? '';
    expect(stored).not.toMatch(/token|ada|127/);
    // A row that is moved to another source, or altered, opens nothing.
    await replica(0).store.put('grants', 'other', stored);
    await expect(Promise.resolve(stores[1]?.read('other'))).rejects.toThrow('another secret');

    await withoutPostgres(async () => {
      expect(await keepers[0]?.headers()).toEqual({ headers: { authorization: 'Bearer fresh' } });
    });
    await stores[0]?.write('far', [{ ...grant, refreshToken: 'second' }]);
    await withoutPostgres(async () => {
      expect(await keepers[0]?.headers()).toMatchObject({ problem: expect.stringContaining('cannot be used') });
      expect(used).toHaveLength(1);
    });
  });

  test('a lock ends with the replica that holds it', async () => {
    const order: string[] = [];
    const [one, two] = [replica(0).locked('t'), replica(1).locked('t')];
    let finish = (): void => {};
    const first = one.exclusively('k', async () => {
      order.push('first');
      await new Promise<void>((resolve) => (finish = resolve));
      order.push('first ends');
    });
    await expect.poll(() => order).toEqual(['first']);
    const second = two.exclusively('k', async () => void order.push('second'));
    await one.exclusively('other', async () => void order.push('other'));
    finish();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'other', 'first ends', 'second']);
  });

  test('a switch holds on all replicas, and on this one alone during an outage', async () => {
    const copies = await Promise.all([0, 1].map((at) => replica(at).copies.open('switches')));
    const seen: Record<string, boolean>[] = [{}, {}];
    const problems: unknown[] = [];
    const [one] = copies.map((copy, at) =>
      sharedSwitches(copy, {
        apply: (name, isOn) => void (seen[at] = { ...seen[at], [name]: isOn }),
        onProblem: (_name, error) => problems.push(error),
      }),
    );
    one?.set('ping', false);
    await expect.poll(() => seen[1]).toEqual({ ping: false });
    one?.set('ping', true);
    await expect.poll(() => seen[1]).toEqual({ ping: true });
    await withoutPostgres(async () => {
      one?.set('ping', false);
      await expect.poll(() => problems).toHaveLength(1);
    });
    expect(seen[1]).toEqual({ ping: true });
  });
});
