import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aPlace } from '../../../../test/support/toolgate.js';
import { config as shape } from '../config.js';
import { parseManifest } from './manifest.js';
import { schemaValidator } from '../../../lib/json/schema.js';
import { manifestSchema } from './manifest-schema.js';
import { fromRegistration } from './registration.js';
import { parseJsonWithComments } from './json-with-comments.js';
import { toReference } from './value-references.js';
import type { JsonObject } from '../../../core/json.js';

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
    command: ['@x/weather@1.2.3', '--unit', 'C'],
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

/** The structure and values that a user would paste from the founding document. */
const pasted = {
  name: 'GitHub MCP',
  url: 'mcp://github-plugin',
  source_type: 'mcp',
  mcp_plugin_dir: 'plugin',
  mcp_transport_type: 'stdio',
  mcp_runtime_hint: 'uvx',
  mcp_lifecycle_mode: 'transient',
  mcp_env_vars: { GITHUB_TOKEN: 'ghp_xxx...' },
};
const pastedManifest = {
  name: '@modelcontextprotocol/github',
  version: '1.0.0',
  description: 'Works with repositories',
  packages: [
    {
      name: 'default',
      transport_type: 'stdio',
      runtime: 'uvx',
      command: ['mcp-server-github'],
      environment_variables: [{ name: 'GITHUB_TOKEN', description: 'A token', required: true, secret: true }],
    },
  ],
};
const needsNothing = (runtime: string | undefined, command: unknown): object => ({
  name: 'x',
  packages: [{ ...(runtime !== undefined && { runtime }), command }],
});
const register = (over: object, manifest: unknown = pastedManifest) =>
  fromRegistration({ ...pasted, ...over } as JsonObject, aFolder({ 'plugin.json': manifest }));
const bare = { mcp_runtime_hint: undefined, mcp_env_vars: {} };

describe('a registration', () => {
  test('of a plugin is read as the founding document writes it [S3.2] [S3.5] [S3.6] [S3.26] [S3.27]', () => {
    const made = register({});
    if ('problems' in made) throw new Error(made.problems.join());
    expect(made).toMatchObject({
      id: 'GitHub-MCP',
      wanted: { kind: 'package', registry: 'pypi', name: 'mcp-server-github', args: [] },
      env: { GITHUB_TOKEN: 'ghp_xxx...' },
      keys: { description: 'GitHub MCP', lifecycle: 'transient', required_env: ['GITHUB_TOKEN'] },
    });
    expect([...made.secretNames]).toEqual(['GITHUB_TOKEN']);
  });

  test.each([
    ['uvx', ['mcp-server-time==2025.9.25'], { kind: 'package', registry: 'pypi', version: '==2025.9.25' }],
    ['uvx', ['uvx', 'mcp-server-time'], { kind: 'package', registry: 'pypi', name: 'mcp-server-time' }],
    ['npx', ['-y', '@x/files@1.2.3', '/data'], { kind: 'package', registry: 'npm', version: '1.2.3', args: ['/data'] }],
    ['npx', ['npx', '@x/files'], { kind: 'package', registry: 'npm', name: '@x/files' }],
    ['python', ['server.py', '--x'], { kind: 'python', args: ['server.py', '--x'] }],
    ['python', ['-m', 'server'], { kind: 'python', args: ['-m', 'server'] }],
    ['node', ['server.mjs'], { kind: 'node', args: ['server.mjs'] }],
    ['node', ['node', 'server.mjs'], { kind: 'node', args: ['server.mjs'] }],
    ['docker', ['ghcr.io/x/y:1.0'], { kind: 'docker', args: ['ghcr.io/x/y:1.0'] }],
    ['docker', ['docker', 'run', '-i', 'image'], { kind: 'docker', args: ['image'] }],
    [undefined, ['./server', '--x'], { kind: 'program', command: './server', args: ['--x'] }],
    [undefined, ['npx', '@x/files'], { kind: 'package', registry: 'npm' }],
  ])('reads runtime %s and command %j as a pair', (runtime, command, wanted) => {
    expect(register(bare, needsNothing(runtime, command))).toMatchObject({ wanted });
  });

  test.each([
    ['a list', ['node', 'srv.mjs'], ['srv.mjs', '3']],
    ['a text', 'node "my srv.mjs"', ['my srv.mjs', '3']],
  ])('takes its own command as %s, and numbers among its arguments [S3.8] [S3.9]', (_, mcp_command, args) => {
    expect(register({ ...bare, mcp_command, mcp_args: [3], mcp_env_vars: { GITHUB_TOKEN: 'env:T' } })).toMatchObject({
      wanted: { kind: 'node', args },
    });
  });

  test('chooses one of several packages and names the choice', () => {
    const several = {
      name: 'x',
      packages: [
        { name: 'far', transport_type: 'streamable_http', runtime: 'node', command: ['serve.js'] },
        { name: 'py', runtime: 'uvx', command: ['x==1.0'] },
        { registryType: 'npm', identifier: '@x/js', version: '1.2.3' },
      ],
    };
    const choices = [{}, { mcp_runtime_hint: 'npx' }, { mcp_package: '@x/js' }].map((over) => {
      const made = register({ ...bare, ...over }, several);
      return 'problems' in made ? made.problems : [made.wanted.kind === 'package' && made.wanted.name, ...made.notes];
    });
    expect(choices).toEqual([
      ['x', 'package 2 of 3 (py), the first that runs over stdio'],
      ['@x/js', 'package 3 of 3 (@x/js), the first that runs over stdio with npx'],
      ['@x/js', 'package 3 of 3 (@x/js), named by mcp_package'],
    ]);
  });

  test('takes server.json where there is no plugin.json, and passes variables into a container', () => {
    const place = aFolder({ 'server.json': registry });
    expect(fromRegistration({ ...plugin, mcp_env_vars: { API_KEY: 'env:K' } }, place)).toMatchObject({
      wanted: { kind: 'package', name: '@x/weather', version: '1.2.3', args: ['--unit', 'C'] },
      env: { API_KEY: '${K}' },
    });
    expect(
      register({ ...bare, mcp_env_vars: { UNIT: 'C' } }, needsNothing('docker', ['ghcr.io/x/y:1.0'])),
    ).toMatchObject({ wanted: { kind: 'docker', args: ['-e', 'UNIT', 'ghcr.io/x/y:1.0'] } });
  });

  test('of a remote server becomes a URL with headers [S3.4] [S3.15]', () => {
    const url = 'http://cml-mcp:9000';
    const made = fromRegistration(
      {
        name: 'CML MCP Server',
        url,
        source_type: 'mcp',
        mcp_server_url: url,
        mcp_transport_type: 'streamable_http',
        mcp_env_vars: { API_KEY: 'optional', MCP_HEADER_X_KEY: 'file:/run/secrets/key', TOKEN: 'secret:TOKEN' },
      },
      '/',
    );
    expect(made).toMatchObject({
      id: 'CML-MCP-Server',
      wanted: {
        kind: 'remote',
        url,
        headers: { 'API-KEY': 'optional', 'X-KEY': '${file:/run/secrets/key}', TOKEN: '${secret:TOKEN}' },
      },
    });
  });

  test.each([
    ['neither manifest', { mcp_plugin_dir: '.' }, 'the plugin folder contains neither plugin.json nor server.json'],
    [
      'no folder and no address',
      { mcp_plugin_dir: undefined },
      'either mcp_plugin_dir (a plugin) or mcp_server_url (a remote server) is needed',
    ],
    ['another type of source', { source_type: 'openapi' }, 'source_type must be "mcp"'],
    ['a name without letters', { name: '../' }, 'name must contain letters or digits; it becomes the id of the source'],
    ['sse for a plugin', { mcp_transport_type: 'sse' }, 'sse is for remote servers only'],
    [
      'an unknown transport',
      { mcp_transport_type: 'http3' },
      'mcp_transport_type must be one of stdio, sse, streamable_http',
    ],
    ['an unknown life', { mcp_lifecycle_mode: 'eternal' }, 'mcp_lifecycle_mode must be one of transient, singleton'],
    ['a misspelt key', { mcp_lifecycle: 'x' }, 'mcp_lifecycle is not a known key; did you mean mcp_lifecycle_mode?'],
    ['a misspelt folder', { mcp_plugin_dirr: 'x' }, 'mcp_plugin_dirr is not a known key; did you mean mcp_plugin_dir?'],
    [
      'a missing variable',
      { mcp_env_vars: {} },
      'GITHUB_TOKEN is required (A token): add "GITHUB_TOKEN": "env:GITHUB_TOKEN" to mcp_env_vars',
    ],
    [
      'a keychain',
      { mcp_env_vars: { X: 'keychain:gh' } },
      'X: keychains are read by the program in secrets.helper; set it and write secret:gh',
    ],
    [
      'a relative file',
      { mcp_env_vars: { X: 'file:tok' } },
      'X: file: needs an absolute path, such as file:/run/secrets/token',
    ],
    ['arguments of another kind', { mcp_args: ['--x', {}] }, 'mcp_args must be a list of strings'],
    [
      'two addresses',
      { mcp_plugin_dir: undefined, mcp_server_url: 'https://a.example', mcp_transport_type: 'sse' },
      'url and mcp_server_url name different addresses',
    ],
    [
      'a hint that no package fits',
      { mcp_runtime_hint: 'npx' },
      'plugin.json: no package runs with npx, the mcp_runtime_hint; there are default',
    ],
    [
      'a package that is not there',
      { mcp_package: 'other' },
      'plugin.json: no package is named "other"; there are default',
    ],
    [
      'a contradicting command',
      { mcp_command: ['npx', 'x'] },
      'runtime uvx and command npx contradict each other; keep one of them',
    ],
  ])('with %s is refused in words [S3.3] [S3.7]', (_, over, problem) => {
    expect(register(over)).toEqual({ problems: expect.arrayContaining([problem]) });
  });
});

test('a value that only looks like a file reference is left alone', () => {
  expect(toReference('DB', 'file:///data/x.db')).toEqual({ text: 'file:///data/x.db' });
});

test('JSON may have comments and trailing commas; an error names its line', () => {
  expect(parseJsonWithComments('{\n  "a": 1, // one\n}')).toEqual({ value: { a: 1 } });
  expect(parseJsonWithComments('{\n  "a": \n')).toMatchObject({
    problem: expect.stringContaining('line 3 is not JSON'),
  });
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
