import { expect, test } from 'vitest';
import { ada, aCall, aTool, bob } from '../../test/support/make.js';
import { twoReplicas } from '../../test/support/peers.js';
import type { Principal } from '../core/principal.js';
import type { Tool } from '../core/tool.js';
import { standIn } from '../core/stand-in.js';
import { refuse } from '../core/outcome.js';
import { storedResults } from './stored-results.js';

const part = { body: 'whole text', mimeType: 'text/plain', isBinary: false };

/** Stored results of two replicas whose catalogues hold these tools. */
async function aFleet(tools: readonly Tool[]) {
  const stores = (await twoReplicas()).map((network) =>
    storedResults({
      ttlMs: () => 60_000,
      peers: { network, toolNamed: (name) => tools.find((tool) => tool.name === name) },
    }),
  );
  const [a, b] = stores;
  if (!a || !b) throw new Error('two replicas');
  const template = async (of: typeof a) => {
    const [first] = (await of.source.templates?.(AbortSignal.abort())) ?? [];
    if (!first?.stored) throw new Error('no template');
    return { ...first, stored: first.stored };
  };
  return {
    a,
    b,
    originAt: async (of: typeof a, uri: string, principal: Principal = ada) =>
      (await template(of)).stored.originOf(uri, { principal }),
    readAt: async (of: typeof a, uri: string, principal: Principal = ada) => {
      const { read } = await template(of);
      if (typeof read !== 'function') throw new Error('not readable');
      return (read as (call: unknown) => Promise<unknown>)(aCall({ principal, args: { uri } }));
    },
  };
}

test('the rest of a result is read on any replica, by its caller only', async () => {
  const tool = aTool();
  const { a, b, originAt, readAt } = await aFleet([tool]);
  const uri = a.keepWhole({ principal: ada }, tool, part)?.uri ?? '';
  const [rest] = a.keepRest(aCall(), tool, 'the rest');
  expect(uri).toMatch(/^toolgate:\/\/results\/a\./);
  for (const at of [a, b]) {
    expect(await originAt(at, uri)).toBe(tool);
    expect(await readAt(at, uri)).toMatchObject({ kind: 'done', data: { contents: [{ uri, text: 'whole text' }] } });
    expect(await readAt(at, rest?.uri ?? '')).toMatchObject({ data: { contents: [{ text: 'the rest' }] } });
    expect(await originAt(at, uri, bob)).toBeUndefined();
    expect(await readAt(at, uri, bob)).toMatchObject({ error: { code: 'not_found' } });
  }
});

test('a link grants nothing on a replica whose tool of that name is another one', async () => {
  const { a, b, originAt } = await aFleet([aTool({ source: 'another' })]);
  const uri = a.keepWhole({ principal: ada }, aTool(), part)?.uri ?? '';
  expect(await originAt(b, uri)).toBeUndefined();
});

test('the rest of a resource keeps the source and the labels of the resource', async () => {
  const never = () => Promise.resolve(refuse('internal', ''));
  const origin = standIn('resources/read', { source: 'files', openWorld: true }, never);
  const { a, b, originAt } = await aFleet([]);
  const uri = a.keepWhole({ principal: ada }, origin, part)?.uri ?? '';
  const found = await originAt(b, uri);
  expect(found).toMatchObject({ name: 'resources/read', source: 'files', effects: { openWorld: true } });
  expect(await originAt(b, uri)).toBe(found);
});

test.each([
  'toolgate://results/gone.1',
  'toolgate://results/x:y*\r\nDEL.1',
  "toolgate://results/a'; DROP TABLE x; --.1",
  `toolgate://results/${'a'.repeat(5_000)}.1`,
  'toolgate://results/../b.1',
  'toolgate://rest/b.1/1',
])('a link that names no stored result is not found: %s', async (uri) => {
  const { a, originAt, readAt } = await aFleet([aTool()]);
  expect(await originAt(a, uri)).toBeUndefined();
  expect(await readAt(a, uri)).toMatchObject({ error: { code: 'not_found' } });
});
