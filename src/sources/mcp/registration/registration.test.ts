import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aPlace } from '../../../../test/support/toolgate.js';
import { config as shape } from '../config.js';
import { fromClientFile, toClientFile } from './client-files.js';
import { parseManifest } from './manifest.js';
import { schemaValidator } from '../../../lib/schema.js';
import { manifestSchema } from './manifest-schema.js';
import { fromRegistration } from './registration.js';

const seed = {
  name: 'weather',
  version: '1.0.0',
  description: 'Tells the weather',
  packages: [
    {
      name: 'weather',
      transport_type: 'stdio',
      runtime: 'node',
      command: ['node', 'server.js'],
      environment_variables: [{ name: 'API_KEY', required: true, secret: true }, { name: 'UNIT' }],
    },
  ],
};
const registry = {
  name: 'io.github.x/weather',
  version: '1.0.0',
  packages: [
    {
      registryType: 'npm',
      identifier: '@x/weather',
      version: '1.2.3',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'named', name: '--unit', value: 'C' }],
      environmentVariables: [{ name: 'API_KEY', isRequired: true, isSecret: true }],
    },
  ],
};

test('manifests of both shapes are understood [S3.12]', () => {
  expect(parseManifest(seed)).toMatchObject({
    name: 'weather',
    version: '1.0.0',
    transport: 'stdio',
    runtime: 'node',
    command: ['node', 'server.js'],
    variables: [
      { name: 'API_KEY', required: true, secret: true },
      { name: 'UNIT', required: false, secret: false },
    ],
  });
  expect(parseManifest(registry)).toMatchObject({
    transport: 'stdio',
    runtime: 'npx',
    package: '@x/weather@1.2.3',
    command: ['--unit', 'C'],
    variables: [{ name: 'API_KEY', required: true, secret: true }],
  });
  expect(
    parseManifest({ name: 'r', remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp' }] }),
  ).toMatchObject({ transport: 'streamable_http', url: 'https://a.example/mcp' });
});

test('the published schema takes what is read and refuses what is not [S3.12]', () => {
  const fits = schemaValidator(manifestSchema);
  for (const good of [
    seed,
    registry,
    { name: 'r', remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp' }] },
  ])
    expect(fits(good)).toEqual([]);
  for (const bad of [
    [],
    {},
    { name: 'x', packages: [] },
    { name: 'x', packages: [{}] },
    { name: 'x', packages: [{ transport_type: 'carrier pigeon', command: ['a'] }] },
  ])
    expect(fits(bad)).not.toEqual([]);
});

test.each([
  [[], 'the manifest must be an object'],
  [{}, 'name must be a non-empty string'],
  [{ name: 'x', packages: [] }, 'packages must hold at least one package'],
  [
    { name: 'x', packages: [{ transport_type: 'carrier pigeon', command: ['a'] }] },
    'packages[0].transport_type must be stdio, sse or streamable_http',
  ],
  [{ name: 'x', packages: [{}] }, 'packages[0] needs a command or a runtime'],
])('%j is no manifest: %s', (given, problem) => {
  expect(parseManifest(given)).toEqual({ problems: expect.arrayContaining([problem]) });
});

function aFolder(files: Readonly<Record<string, unknown>>): string {
  const place = aPlace();
  mkdirSync(join(place, 'plugin'));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(place, 'plugin', name), JSON.stringify(content));
  return place;
}
const plugin = { name: 'weather', url: 'mcp://weather', source_type: 'mcp', mcp_plugin_dir: 'plugin' };

describe('a registration', () => {
  test('of a plugin becomes an entry the configuration takes [S3.2] [S3.3] [S3.5] [S3.6] [S3.9] [S3.26] [S3.27]', () => {
    const place = aFolder({ 'plugin.json': seed });
    const made = fromRegistration(
      { ...plugin, mcp_args: ['--fast'], mcp_env_vars: { UNIT: 'C', API_KEY: 'env:WEATHER_KEY' } },
      place,
    );
    if ('problems' in made) throw new Error(made.problems.join());
    expect(made).toEqual({
      id: 'weather',
      entry: {
        kind: 'mcp',
        runtime: 'node',
        args: ['server.js', '--fast'],
        cwd: join(place, 'plugin'),
        lifecycle: 'singleton',
        required_env: ['API_KEY'],
        env: { UNIT: 'C', API_KEY: '${WEATHER_KEY}' },
      },
    });
    expect(shape.safeParse(made.entry).success).toBe(true);
  });

  test('takes server.json where there is no plugin.json, and its own command [S3.3] [S3.8]', () => {
    const place = aFolder({ 'server.json': registry });
    expect(fromRegistration(plugin, place)).toMatchObject({
      entry: { runtime: 'npx', package: '@x/weather@1.2.3', args: ['--unit', 'C'] },
    });
    expect(
      fromRegistration({ ...plugin, mcp_command: '/opt/weather', mcp_lifecycle_mode: 'transient' }, place),
    ).toMatchObject({ entry: { command: '/opt/weather', lifecycle: 'transient' } });
  });

  test('of a remote server becomes an entry with headers by reference [S3.4] [S3.15]', () => {
    const made = fromRegistration(
      {
        name: 'far',
        source_type: 'mcp',
        mcp_server_url: 'https://far.example/mcp',
        mcp_env_vars: { MCP_HEADER_X_API_KEY: 'env:FAR_KEY' },
      },
      '/',
    );
    expect(made).toEqual({
      id: 'far',
      entry: {
        kind: 'mcp',
        url: 'https://far.example/mcp',
        transport: 'streamable_http',
        headers: { 'X-API-KEY': '${FAR_KEY}' },
      },
    });
  });

  test.each([
    ['neither manifest', {}, 'the plugin folder contains neither plugin.json nor server.json'],
    [
      'no folder and no address',
      { mcp_plugin_dir: undefined },
      'either mcp_plugin_dir (a plugin) or mcp_server_url (a remote server) is needed',
    ],
    ['another type of source', { source_type: 'openapi' }, 'source_type must be "mcp"'],
    ['a name that is a path', { name: '../x' }, 'name must be 1 to 64 letters, digits, _ or -'],
    ['sse for a plugin', { mcp_transport_type: 'sse' }, 'sse is for remote servers only'],
    [
      'an unknown transport',
      { mcp_transport_type: 'http3' },
      'mcp_transport_type must be stdio, sse or streamable_http',
    ],
    ['an unknown life', { mcp_lifecycle_mode: 'eternal' }, 'mcp_lifecycle_mode must be transient or singleton'],
    [
      'a secret written out',
      { mcp_env_vars: { API_KEY: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' } },
      'API_KEY looks like a literal secret; write env:API_KEY and set the variable',
    ],
  ])('with %s is refused in words [S3.3] [S3.7]', (_, over, problem) => {
    expect(fromRegistration({ ...plugin, ...over }, aFolder({}))).toEqual({
      problems: expect.arrayContaining([problem]),
    });
  });
});

test("the servers of a client's file are taken over; what has no version is not [S2.24] [S3.29]", () => {
  const read = fromClientFile({
    mcpServers: {
      files: { command: 'npx', args: ['-y', '@x/files@1.2.3', '/data'], env: { MODE: 'ro' } },
      time: { command: 'uvx', args: ['mcp-server-time==1.0.0'] },
      'my server': { command: '/opt/server', args: ['--x'], disabled: true },
      far: { type: 'sse', url: 'https://far.example/sse', headers: { Authorization: '${TOKEN}' } },
      loose: { command: 'npx', args: ['-y', '@x/loose'] },
      latest: { command: 'npx', args: ['@x/loose@latest'] },
    },
  });
  expect(read.sources).toEqual([
    {
      id: 'files',
      entry: { kind: 'mcp', runtime: 'npx', package: '@x/files@1.2.3', args: ['/data'], env: { MODE: 'ro' } },
    },
    { id: 'time', entry: { kind: 'mcp', runtime: 'uvx', package: 'mcp-server-time==1.0.0', args: [] } },
    { id: 'my-server', entry: { kind: 'mcp', command: '/opt/server', args: ['--x'], enabled: false } },
    {
      id: 'far',
      entry: { kind: 'mcp', url: 'https://far.example/sse', transport: 'sse', headers: { Authorization: '${TOKEN}' } },
    },
  ]);
  expect(read.problems).toEqual([
    'loose: @x/loose has no version: write @x/loose@1.2.3',
    'latest: @x/loose@latest has no version: write @x/loose@1.2.3',
  ]);
  for (const { entry } of read.sources) expect(shape.safeParse(entry).success).toBe(true);
  expect(fromClientFile(toClientFile('gate', '/opt/toolgate', ['serve'])).sources).toEqual([
    { id: 'gate', entry: { kind: 'mcp', command: '/opt/toolgate', args: ['serve'] } },
  ]);
});

test.each([
  ['no server at all', {}],
  ['two servers at once', { command: 'a', url: 'https://a.example/' }],
  ['npx without a package', { runtime: 'npx', args: ['x'] }],
  ['a package without a version', { runtime: 'npx', package: '@x/files' }],
  ['a package of latest', { runtime: 'npx', package: '@x/files@latest' }],
  ['a remote without TLS', { url: 'http://far.example/mcp' }],
  ['a misspelt key', { command: 'a', arguments: [] }],
])('an entry with %s is refused [S3.28] [S3.29]', (_, entry) => {
  expect(shape.safeParse({ kind: 'mcp', ...entry }).success).toBe(false);
});
