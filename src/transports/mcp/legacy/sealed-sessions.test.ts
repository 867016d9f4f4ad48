import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { aTool } from '../../../../test/support/make.js';
import { aDoor, sourceOf } from '../../../../test/support/mcp.js';
import { keyRing } from '../../../lib/key-ring.js';
import { memoryStore } from '../../../state/memory-store.js';
import { sealableCapabilities, sessionVault } from './session-vault.js';

const keys = keyRing([randomBytes(32)]);
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** Doors that share a key and a store, as a gateway before and after a restart or two replicas do. */
function aFleet(options: { now?: () => number } = {}) {
  const store = memoryStore(options);
  return () => aDoor([sourceOf([aTool()])], { mcp: { vault: sessionVault({ keys, open: () => store, ...options }) } });
}

test('a session continues in another process with the same key, without initialize', async () => {
  const next = aFleet();
  const before = await next();
  const { headers } = await before.session();
  const after = await next();
  const answered = await after.raw('POST', headers, list);
  expect([answered.status, answered.json.result.tools[0].name]).toEqual([200, 'echo']);
  expect(after.endpoint.stats().sessions).toBe(1);
});

test('a session that its client deleted works nowhere any more', async () => {
  const next = aFleet();
  const [one, two] = [await next(), await next()];
  const { headers } = await one.session();
  expect((await two.raw('DELETE', headers)).status).toBe(200);
  const third = await next();
  expect((await third.raw('POST', headers, list)).status).toBe(404);
  expect((await two.raw('POST', headers, list)).status).toBe(404);
});

test('a restored session belongs to the principal that opened it; a foreign id is answered like an unknown one', async () => {
  const next = aFleet();
  const { headers } = await (await next()).session();
  const other = await next();
  const stolen = await other.raw('POST', { ...headers, authorization: 'Bearer bob-token' }, list);
  const unknown = await other.raw('POST', { ...headers, 'mcp-session-id': 'no-such' }, list);
  expect([stolen.status, stolen.text]).toEqual([404, unknown.text]);
  expect(other.endpoint.stats().sessions).toBe(0);
});

test('a forged or altered id is unknown: every byte of it is authenticated', async () => {
  const door = await aFleet()();
  const { headers } = await door.session();
  const id = headers['mcp-session-id'] ?? '';
  const flip = (at: number): string => id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1);
  const forged = [
    ...Array.from(id, (_, at) => flip(at)),
    id.slice(0, -1),
    `${id}A`,
    `${id}=`,
    id.replace('.', '..'),
    's1.',
    's1..',
    '',
    'x'.repeat(9_000),
    id.replace(/^s1\.[^.]+/, 's1.AAAAAA'),
  ];
  const vault = sessionVault({ keys });
  expect(vault.open(id)).toBeDefined();
  expect(forged.filter((each) => vault.open(each) !== undefined)).toEqual([]);
  expect((await door.raw('POST', { ...headers, 'mcp-session-id': flip(40) }, list)).status).toBe(404);
});

test('a session ends at its hard age, however busy it is', async () => {
  let now = Date.now();
  const door = await aFleet({ now: () => now })();
  const { headers } = await door.session();
  now += 86_399_000;
  expect((await door.raw('POST', headers, list)).status).toBe(200);
  now += 2_000;
  expect((await door.raw('POST', headers, list)).status).toBe(404);
});

test('a rotated key still opens the sessions it sealed; a removed key does not', () => {
  const [old, current] = [randomBytes(32), randomBytes(32)];
  const session = { id: 'a', rights: 'r', version: '2025-11-25', capabilities: {} };
  const id = sessionVault({ keys: keyRing([old]) }).seal(session);
  expect(sessionVault({ keys: keyRing([current, old]) }).open(id)).toMatchObject(session);
  expect(sessionVault({ keys: keyRing([current]) }).open(id)).toBeUndefined();
});

test('the log level of a session and its watched resources survive the move', async () => {
  const store = memoryStore();
  const vault = sessionVault({ keys, open: () => store });
  const door = await aDoor([sourceOf([aTool()])], { mcp: { vault } });
  const { headers } = await door.session();
  const level = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: 'error' } });
  expect((await door.raw('POST', headers, level)).status).toBe(200);
  const sealed = vault.open(headers['mcp-session-id'] ?? '');
  expect(sealed && (await vault.recall(sealed))).toEqual({ logLevel: 'error', watches: [] });
});

test('capabilities that do not fit into an id are reduced to those the gateway acts on', () => {
  const large = {
    elicitation: { form: {} },
    sampling: { note: 'x'.repeat(500) },
    experimental: { x: 'y'.repeat(5_000) },
  };
  expect(sealableCapabilities(large)).toEqual({ elicitation: { form: {} }, sampling: {} });
  const id = sessionVault({ keys }).seal({ id: 'a', rights: 'r', version: '2025-11-25', capabilities: large });
  expect(id.length).toBeLessThan(2_000);
});
