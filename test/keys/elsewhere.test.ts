import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { auditLog } from '../../src/observe/audit/audit-log.js';
import { openApiSource } from '../../src/sources/openapi/source.js';
import { anAssistant, endGates, gatesOf } from '../support/assistant.js';
import { aServer, json } from '../support/functions.js';
import { localEgress } from '../support/gates.js';
import { never } from '../support/make.js';
import { aDocument, oneOperation } from '../support/openapi.js';
import { aPlace, toolgate } from '../support/toolgate.js';

// Proofs of keys that need a process, a time or a service of their own; rows/unseen.ts names them.

test('a gate in the background listens for HTTP if it is configured to, and not otherwise', async () => {
  for (const http of [false, true]) {
    const cwd = aPlace({
      'toolgate.yaml': `server: { background: { http: ${http} } }\ncommands: { builtins: false }\n`,
    });
    endGates(cwd);
    await anAssistant(cwd);
    expect(gatesOf(cwd).map(({ url }) => url !== undefined)).toEqual([http]);
  }
});

test('the local user has the profile of the configuration', async () => {
  const names = async (profile: string): Promise<readonly string[]> => {
    const cwd = aPlace({
      'toolgate.yaml': `access: { profiles: { some: { tools: [ping] } }${profile} }\n`,
    });
    const { out } = await toolgate(cwd, ['tools', '--alone', '--json']);
    return JSON.parse(out).tools.map(({ name }: { name: string }) => name);
  };
  expect((await names('')).length).toBeGreaterThan(1);
  expect(await names(', local_profile: some')).toEqual(['ping']);
});

test('a secret helper that takes too long fails the configuration, one that is given the time does not', async () => {
  const cwd = aPlace();
  const helper = join(cwd, 'helper');
  writeFileSync(helper, '#!/bin/sh\nsleep 0.4\necho value-of-at-least-thirty-two-characters\n');
  chmodSync(helper, 0o700);
  const load = (timeout: number) =>
    loadConfig({
      env: { HOME: cwd, PATH: process.env['PATH'] },
      cwd,
      object: { secrets: { helper: [helper], timeout }, auth: { tokens: [{ name: 'a', token: '${secret:A}' }] } },
    });
  expect(await load(0.1)).toMatchObject({ ok: false });
  expect(await load(20)).toMatchObject({ ok: true });
});

test('a remote document is fetched again after the time of the configuration, and not without one', async () => {
  const server = await aServer(json(oneOperation({})), json(aDocument({})));
  const open = (refreshMs?: number) =>
    openApiSource({
      id: 'api',
      document: `${server.url}api.json`,
      openEgress: () => localEgress(),
      ...(refreshMs !== undefined && { refreshMs }),
    });
  const polled = open(20);
  expect(await polled.list(never)).toHaveLength(1);
  await new Promise<void>((resolve) => polled.onChange?.(resolve));
  expect(await polled.list(never)).toHaveLength(0);
  await polled.close?.();
});

test('the journal is synced to disk as configured, also after a change', async () => {
  const folder = aPlace();
  const synced: string[] = [];
  const opened = auditLog({ folder: join(folder, 'audit'), syncFile: () => void synced.push('sync') });
  if (!opened.ok) throw new Error(opened.problem);
  const { log } = opened;
  const record = { event: 'call', tool: 'x' } as never; // only written
  await log.append(record);
  expect(synced).toEqual([]);
  log.configure({ sync: 'always', maxFileBytes: 1_048_576 });
  await Promise.all([log.append(record), log.append(record)]);
  expect(synced).toEqual(['sync', 'sync']);
  log.configure({ sync: 'batch', maxFileBytes: 1_048_576 });
  await Promise.all([log.append(record), log.append(record)]);
  expect(synced).toEqual(['sync', 'sync', 'sync']);
  log.close();
});

test('a replica has the name of the configuration, and HTTP+SSE needs a sticky balancer', async () => {
  const load = (cluster: object) =>
    loadConfig({
      env: { HOME: aPlace(), A: 'a'.repeat(40) },
      object: {
        server: { transport: 'http', legacy_sse: true },
        cluster: { secret: '${A}', postgres: 'postgres://x@127.0.0.1/x', valkey: 'redis://127.0.0.1', ...cluster },
      },
    });
  expect(await load({ sticky: false })).toMatchObject({ ok: false });
  const loaded = await load({ sticky: true, replica: 'one' });
  expect(loaded).toMatchObject({ ok: true, config: { cluster: { replica: 'one' } } });
});

test('the peer door of a replica needs an address that others can reach', async () => {
  const load = (peer: object | undefined, more: object = {}) =>
    loadConfig({
      env: { HOME: aPlace(), A: 'a'.repeat(40) },
      object: {
        server: { transport: 'http' },
        cluster: {
          secret: '${A}',
          postgres: 'postgres://x@127.0.0.1/x',
          valkey: 'redis://127.0.0.1',
          ...(peer && { peer }),
        },
        ...more,
      },
    });
  const browser = (placement: string) => ({ sources: { browser: { kind: 'mcp', command: 'browser', placement } } });
  expect(await load(undefined, browser('one'))).toMatchObject({ ok: false });
  expect(await load(undefined, browser('each'))).toMatchObject({ ok: true });
  expect(await load({ listen: '10.0.0.5:7070' }, browser('one'))).toMatchObject({ ok: true });
  expect(await load({ listen: '0.0.0.0:7070' })).toMatchObject({ ok: false });
  expect(await load({ listen: '[::]:7070' })).toMatchObject({ ok: false });
  expect(await load({ listen: '7070' })).toMatchObject({ ok: false });
  expect(await load({ listen: '0.0.0.0:7070', advertise: 'https://10.0.0.5' })).toMatchObject({ ok: false });
  expect(await load({ listen: '10.0.0.5:7070' })).toMatchObject({ ok: true });
  expect(await load({ listen: '0.0.0.0:7070', advertise: 'http://10.0.0.5:7070' })).toMatchObject({ ok: true });
  const { openPeers } = await import('../../src/cluster/peer/peers.js');
  const { memoryStore } = await import('../../src/state/memory-store.js');
  const fast = memoryStore();
  const shared = { replica: 'r1', fast, allKeysFor: () => [Buffer.alloc(32)] };
  const opened = await openPeers(shared, { listen: '127.0.0.1:0', advertise: 'http://gate-1.internal:7070' });
  expect((await opened.directory.find('r1'))?.url).toBe('http://gate-1.internal:7070');
  await opened.close();
});
