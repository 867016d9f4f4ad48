import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { aTool } from '../../test/support/make.js';
import { temporaryFolder } from '../../test/support/temporary.js';
import { loadConfig } from '../config/load.js';
import { schema, type Config } from '../config/schema.js';
import { secretField } from '../lib/config-fields.js';
import type { SecretText } from '../lib/text/secret-text.js';
import { originBreakers } from './http/breakers.js';
import { sourceKinds } from './index.js';
import type { SourceKind, SourceServices } from './kind.js';
import { planSources } from './plan.js';

interface ToyConfig {
  readonly kind: 'toy';
  readonly words: readonly string[];
  readonly key?: SecretText;
  readonly network: string;
}

/** A whole kind of source: this object, and one more item in the list of kinds. */
const toy: SourceKind<ToyConfig, 'networks'> = {
  kind: 'toy',
  config: () =>
    Promise.resolve(
      z.strictObject({
        kind: z.literal('toy'),
        words: z.array(z.string()).min(1),
        key: z.exactOptional(secretField),
        network: z.string().default('public'),
      }),
    ),
  reads: ['networks'],
  describedBy: 'operator',
  prefix: (id) => `${id}__`,
  open: (id, { words }, { settings }) =>
    Promise.resolve({
      id,
      list: () =>
        Promise.resolve(
          words.map((word) => aTool({ name: `${id}__${word}`, source: id, description: Object.keys(settings).join() })),
        ),
    }),
  listsOffline: () => true,
  references: ({ network }) => ({ policies: { network } }),
};
const kinds = [...sourceKinds, toy];

const services = (env: NodeJS.ProcessEnv = {}): SourceServices => ({
  base: '/',
  env,
  // Opening a source starts nothing; these tests list the toy source only.
  processes: undefined as unknown as SourceServices['processes'],
  packages: '/nowhere',
  grants: '/nowhere',
  client: { name: 'test', version: '1' },
  origins: originBreakers(),
  onEvent() {},
});

async function load(text: string, env: NodeJS.ProcessEnv = {}) {
  const file = join(temporaryFolder('kinds'), 'toolgate.yaml');
  writeFileSync(file, text);
  return loadConfig({ argv: ['--config', file], env, kinds });
}

test('a new kind of source is one object: its entries load, are checked and bring tools', async () => {
  const loaded = await load('sources: { t: { kind: toy, words: [a, b] } }');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const planned = planSources(loaded.config, services(), { kinds, sections: [] });
  expect(planned.map(({ id }) => id)).toEqual(['t']);
  const source = await planned[0]?.open();
  const tools = await source?.list(new AbortController().signal);
  // Of all settings it gets only those it declares to read.
  expect(tools?.map(({ name, description }) => [name, description])).toEqual([
    ['t__a', 'networks'],
    ['t__b', 'networks'],
  ]);
});

test.each([
  ['a key that the kind does not have', '{ kind: toy, words: [a], wrods: [b] }', 'sources.t.wrods', 'not a known key'],
  [
    'an unknown network policy',
    '{ kind: toy, words: [a], network: lab }',
    'sources.t.network',
    'unknown network policy',
  ],
  ['an unset variable', '{ kind: toy, words: [a], key: "${NOPE}" }', 'sources.t.key', 'not set'],
])('the entry of a new kind with %s is rejected', async (_, entry, path, message) => {
  expect(await load(`sources: { t: ${entry} }`)).toMatchObject({
    ok: false,
    problems: [{ path, message: expect.stringContaining(message) as string }],
  });
});

test('without its kind, the same entry is rejected', async () => {
  const file = join(temporaryFolder('kinds'), 'toolgate.yaml');
  writeFileSync(file, 'sources: { t: { kind: toy, words: [a] } }');
  expect(await loadConfig({ argv: ['--config', file], env: {} })).toMatchObject({ ok: false });
});

test('an entry must not take the id of a section, which rules and pins would confuse', async () => {
  expect(await load('sources: { command: { kind: toy, words: [a] } }')).toMatchObject({
    ok: false,
    problems: [{ path: 'sources.command' }],
  });
});

const upstream = { up: { kind: 'mcp', command: 'node', env: { KEY: '${KEY}' } } };
const base = { sources: upstream, security: { network_policies: { lab: { cidrs: ['10.1.0.0/16'] } } } };
const fingerprint = (config: object, env: NodeJS.ProcessEnv = { KEY: 'a' }): string | undefined =>
  planSources(schema.parse(config) as Config, services(env)).find(({ id }) => id === 'up')?.fingerprint;

test.each([
  ['the log level', { log: { level: 'debug' } }],
  ['limits of tools', { tool: { overrides: { up__x: { timeout: 9 } }, queue_length: 3 }, rate_limit: { requests: 7 } }],
  ['another source', { sources: { ...upstream, other: { kind: 'mcp', command: 'x' } } }],
  ['a setting of commands', { security: { ...base.security, allow_intrusive: true } }],
  ['rules', { policy: { rules: [{ id: 'r', action: 'deny', tools: ['x'] }] } }],
])('a change of %s keeps the fingerprint of an upstream server', (_, change) => {
  expect(fingerprint({ ...base, ...change })).toBe(fingerprint(base));
});

test.each([
  ['its entry', { ...base, sources: { up: { ...upstream.up, args: ['x'] } } }, { KEY: 'a' }],
  ['a secret', base, { KEY: 'b' }],
  ['a network policy', { ...base, security: { network_policies: { lab: { cidrs: ['10.2.0.0/16'] } } } }, { KEY: 'a' }],
])('a change of %s changes the fingerprint of an upstream server', (_, config, env) => {
  expect(fingerprint(config, env)).not.toBe(fingerprint(base));
});
