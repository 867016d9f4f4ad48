import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { serving, toolgate } from '../../support/toolgate.js';
import { schemaValidator } from '../../../src/lib/json/schema.js';
import { aFolder } from '../folder.js';
import { row } from '../row.js';
import { aRemote, ownPackage, pluginManifest, pluginRegistration, register, serverFile } from './world.js';

const untested = { argv: ['--no-test'] };
const token = { GITHUB_TOKEN: 'env:T' };
const set = { T: 'a-token-of-the-shell' };
const bare = { ...pluginRegistration, mcp_runtime_hint: undefined, mcp_env_vars: {} };
/** The entry of a package with this runtime and command. */
const pair = async (runtime: string, command: readonly string[]) =>
  (await register(bare, pluginManifest({ runtime, command, environment_variables: [] }), untested)).entry;
/** The messages of a registration that is refused. */
const refusal = async (over: Record<string, unknown>, manifest: unknown = pluginManifest()): Promise<string> => {
  const ended = await register({ ...pluginRegistration, ...over }, manifest, { ...untested, env: set });
  expect([ended.code, ended.id]).toEqual([1, undefined]);
  return ended.err;
};

/** Registrations, manifests and their variables. */
export const registration = [
  row(
    'S3.2',
    'A registration has name, url, `source_type: "mcp"` and an optional description; a plugin has a URL `mcp://…`',
    "Pasted the founding document's two registrations into files and ran `sources add --registration`",
    async () => {
      const plugin = await register(pluginRegistration, pluginManifest(), untested);
      expect(plugin).toMatchObject({ code: 0, id: 'GitHub-MCP' });
      expect(plugin.entry).toMatchObject({ kind: 'mcp', runtime: 'uvx', package: 'mcp-server-github==1.0.0' });
      expect(plugin.entry).toMatchObject({ description: 'GitHub MCP', lifecycle: 'transient' });
      const live = await register(
        pluginRegistration,
        pluginManifest({ ...ownPackage, runtime: undefined, command: ['node', serverFile] }),
        {},
      );
      expect(live.err).toContain('runtime uvx and command node contradict');
      const { mcp_runtime_hint: _, ...withoutHint } = pluginRegistration;
      const started = await register(withoutHint, pluginManifest(ownPackage));
      expect(started).toMatchObject({ code: 0, out: expect.stringContaining('GitHub-MCP__echo') });
      expect(await refusal({ source_type: 'openapi' })).toContain('source_type must be "mcp"');
      expect(await refusal({ url: 'https://x.example' })).toContain('url of a plugin must be mcp://');
      return 'the plugin is added as `GitHub-MCP` with its name as description; a runnable package is started and listed; another type or URL is refused';
    },
  ),
  row(
    'S3.3',
    'A plugin folder holds `plugin.json` or `server.json`; with neither, the error names both',
    'Registered a folder with each of them, and with none',
    async () => {
      const named = { ...pluginRegistration, mcp_env_vars: token };
      expect((await register(named, pluginManifest(), { ...untested, env: set })).code).toBe(0);
      expect((await register(named, pluginManifest(), { ...untested, env: set, file: 'server.json' })).code).toBe(0);
      expect((await register(named, undefined, { ...untested, env: set })).err).toContain(
        'neither plugin.json nor server.json',
      );
      return 'both are read; without them the message names both';
    },
  ),
  row(
    'S3.4',
    '`mcp_transport_type` is stdio for plugins and streamable_http for remote servers; sse for remote servers only',
    'Registered each transport for a plugin and for a remote server',
    async () => {
      const url = 'https://far.example/mcp';
      const remote = { name: 'far', source_type: 'mcp', url, mcp_server_url: url };
      expect((await register(remote, undefined, untested)).entry).toEqual({ kind: 'mcp', url });
      const legacy = await register({ ...remote, mcp_transport_type: 'sse' }, undefined, untested);
      expect(legacy.entry).toEqual({ kind: 'mcp', url, transport: 'sse' });
      expect(await refusal({ mcp_transport_type: 'sse' })).toContain('sse is for remote servers only');
      const pipe = await register({ ...remote, mcp_transport_type: 'stdio' }, undefined, untested);
      expect(pipe.err).toContain('a remote server is reached by streamable_http or sse');
      return 'streamable_http and sse for the remote server; sse for a plugin and stdio for a remote server are refused';
    },
    { decision: '0211' },
  ),
  row(
    'S3.5',
    'The runtimes are uvx, npx, python, node and docker',
    'Registered a package of each runtime, and one of another',
    async () => {
      expect(await pair('uvx', ['mcp-server-time==2025.9.25'])).toMatchObject({
        runtime: 'uvx',
        package: 'mcp-server-time==2025.9.25',
      });
      expect(await pair('npx', ['-y', '@x/files@1.2.3', '/data'])).toMatchObject({
        runtime: 'npx',
        package: '@x/files@1.2.3',
        args: ['/data'],
      });
      expect(await pair('python', ['server.py'])).toMatchObject({
        runtime: 'python',
        args: [expect.stringMatching(/\/github\/server\.py$/)],
      });
      expect(await pair('node', ['server.mjs'])).toMatchObject({
        runtime: 'node',
        args: [expect.stringMatching(/\/github\/server\.mjs$/)],
      });
      expect(await pair('docker', ['ghcr.io/x/y:1.0'])).toMatchObject({ runtime: 'docker', args: ['ghcr.io/x/y:1.0'] });
      expect(await refusal({ mcp_runtime_hint: 'deno' })).toContain(
        'mcp_runtime_hint must be one of uvx, npx, python, node, docker',
      );
      return 'five entries, each started by its runtime; `deno` is refused with the list';
    },
  ),
  row(
    'S3.7',
    'Variables of a registration refer to secrets (`env:`, `file:`, the secret store); the file never holds a secret',
    'Registered variables of every kind, a keychain reference and a literal token',
    async () => {
      const place = aFolder({ tok: 'from-a-file\n' });
      const vars = { GITHUB_TOKEN: 'env:T', FROM_FILE: `file:${place}/tok`, PLAIN: 'C' };
      const made = await register({ ...pluginRegistration, mcp_env_vars: vars }, pluginManifest(), {
        ...untested,
        env: set,
      });
      expect(made.entry.env).toEqual({ GITHUB_TOKEN: '${T}', FROM_FILE: `\${file:${place}/tok}`, PLAIN: 'C' });
      expect(await refusal({ mcp_env_vars: { ...token, X: 'keychain:gh' } })).toContain('secrets.helper');
      expect(await refusal({ mcp_env_vars: { ...token, X: 'secret:NOT_THERE' } })).toContain('not set: NOT_THERE');
      const literal = { GITHUB_TOKEN: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' };
      const stored = await register({ ...pluginRegistration, mcp_env_vars: literal }, pluginManifest(), untested);
      expect(stored.entry.env).toEqual({ GITHUB_TOKEN: '${secret:GITHUB_TOKEN}' });
      expect(stored.out + stored.err + readFileSync(join(stored.place, 'toolgate.yaml'), 'utf8')).not.toContain('ghp_');
      return 'references for the shell, the file and the store; the literal token moves to the store; a keychain is refused with advice';
    },
    { decision: '0211' },
  ),
  row(
    'S3.8',
    '`mcp_command` replaces the command of the manifest',
    'Registered it as a list and as a text, over a manifest that cannot run',
    async () => {
      for (const mcp_command of [['node', serverFile], `node '${serverFile}'`]) {
        const made = await register({ ...bare, mcp_command }, pluginManifest({ environment_variables: [] }));
        expect(made).toMatchObject({ code: 0, out: expect.stringContaining('GitHub-MCP__echo') });
        expect(made.entry).toMatchObject({ runtime: 'node', args: [serverFile] });
      }
      return 'both start the other command';
    },
  ),
  row(
    'S3.9',
    '`mcp_args` follow the arguments of the manifest',
    'Registered further arguments, numbers among them',
    async () => {
      const made = await register(
        { ...bare, mcp_args: ['--tools', 3] },
        pluginManifest({ ...ownPackage, environment_variables: [] }),
      );
      expect(made.entry.args).toEqual([serverFile, '--tools', '3']);
      expect(await refusal({ mcp_args: ['--x', {}] })).toContain('mcp_args must be a list of strings');
      return 'appended in order; the server got them';
    },
  ),
  row(
    'S3.12',
    "Manifests are read in the founding document's format and in that of the MCP registry; a JSON Schema is published",
    'Registered one of each, and validated both with docs/plugin-manifest.schema.json',
    async () => {
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
            // Neither name looks like that of a secret: only the declaration distinguishes them.
            environmentVariables: [
              { name: 'CITY', isRequired: true, isSecret: true },
              { name: 'UNIT', isRequired: true },
              { name: 'LANGUAGE' },
            ],
          },
        ],
      };
      const made = await register({ ...bare, mcp_env_vars: { CITY: 'plain-word', UNIT: 'C' } }, registry, untested);
      expect(made.entry).toMatchObject({
        runtime: 'npx',
        package: '@x/weather@1.2.3',
        args: ['--unit', 'C'],
        required_env: ['CITY', 'UNIT'],
        env: { CITY: '${secret:CITY}', UNIT: 'C' },
        registry_name: 'io.github.x/weather',
      });
      const schema = new URL('../../../docs/plugin-manifest.schema.json', import.meta.url);
      const problems = schemaValidator(JSON.parse(readFileSync(schema, 'utf8')));
      expect([problems(registry), problems(pluginManifest())]).toEqual([[], []]);
      expect(problems({ name: 'x', packages: [{ comand: ['a'] }] })).not.toEqual([]);
      return 'both become entries with required and secret variables; the schema accepts both and rejects a misspelt key';
    },
  ),
  row(
    'S3.27',
    'Transports are exactly stdio, sse and streamable_http, lives exactly transient and singleton',
    'Registered other names',
    async () => {
      expect(await refusal({ mcp_transport_type: 'http' })).toContain(
        'mcp_transport_type must be one of stdio, sse, streamable_http',
      );
      expect(await refusal({ mcp_lifecycle_mode: 'eternal' })).toContain(
        'mcp_lifecycle_mode must be one of transient, singleton',
      );
      return 'both are refused with the exact lists';
    },
  ),
  row(
    'S3.30',
    'Which of several packages is chosen, and why, is documented and shown',
    'Registered a manifest with three packages: without a wish, with a runtime hint, and by name',
    async () => {
      const several = {
        name: 'x',
        packages: [
          { name: 'far', transport_type: 'streamable_http', runtime: 'node', command: ['serve.js'] },
          { name: 'py', runtime: 'uvx', command: ['x==1.0'] },
          { registryType: 'npm', identifier: '@x/js', version: '1.2.3' },
        ],
      };
      const chosen = async (over: object) => (await register({ ...bare, ...over }, several, untested)).out;
      expect(await chosen({})).toContain('note       package 2 of 3 (py), the first that runs over stdio');
      expect(await chosen({ mcp_runtime_hint: 'npx' })).toContain(
        'package 3 of 3 (@x/js), the first that runs over stdio with npx',
      );
      expect(await chosen({ mcp_package: '@x/js' })).toContain('package 3 of 3 (@x/js), named by mcp_package');
      return 'a note names the package and the reason';
    },
  ),
  row(
    'S3.31',
    '`runtime` and `command` belong together; `secret: true` leads to masking by declaration',
    'Registered a declared secret that looks like a plain word, and called a tool that prints its environment',
    async () => {
      const { mcp_runtime_hint: _, ...withoutHint } = pluginRegistration;
      const value = 'plain-looking-word';
      const made = await register(
        { ...withoutHint, mcp_env_vars: { GITHUB_TOKEN: value } },
        pluginManifest(ownPackage),
      );
      expect(made.entry).toMatchObject({ runtime: 'node', env: { GITHUB_TOKEN: '${secret:GITHUB_TOKEN}' } });
      const called = await toolgate(made.place, ['call', 'GitHub-MCP__env', '--json']);
      expect(called.out).toContain('GITHUB_TOKEN');
      expect(made.out + made.err + called.out + called.err).not.toContain(value);
      return 'the word is stored as a secret and masked in the result; `node` runs the command of the package';
    },
  ),
  row(
    'S3.32',
    'Display names may have spaces, `mcp_server_url` may be a base URL, and JSON may have comments',
    "Pasted the founding document's remote registration, with its comment, for a server at a base URL",
    async () => {
      const remote = await aRemote();
      const made = await register(`{
  "name": "CML MCP Server",
  "url": "${remote.base}",
  "source_type": "mcp",
  "mcp_server_url": "${remote.base}",
  "mcp_transport_type": "streamable_http",
  "mcp_env_vars": {
    "API_KEY": "optional-auth-header"  // pragma: allowlist secret
  }
}`);
      expect(made).toMatchObject({
        code: 0,
        id: 'CML-MCP-Server',
        out: expect.stringContaining('the server answers at /mcp'),
      });
      expect(made.entry).toMatchObject({
        url: `${remote.base}/mcp`,
        headers: { 'API-KEY': '${secret:CML_MCP_SERVER_API_KEY}' },
      });
      expect(remote.requests.at(-1)?.headers['api-key']).toBe('optional-auth-header');
      const unused = await toolgate(
        aFolder({ 'toolgate.yaml': `sources: { x: { kind: mcp, url: '${remote.base}' } }\n` }),
        ['sources', 'test', 'x'],
      );
      expect(unused.out + unused.err).toContain('most servers answer at /mcp');
      return 'added as `CML-MCP-Server` at `/mcp` with its header; a base URL in the file is reported with a hint';
    },
  ),
  row(
    'S3.33',
    'All required variables are checked at registration',
    'Registered a plugin with three required variables: none given, and one that is not set',
    async () => {
      const variables = ['A', 'B', 'C'].map((name) => ({ name, required: true }));
      const three = pluginManifest({ environment_variables: variables });
      const missing = await refusal({ mcp_env_vars: { B: 'x' } }, three);
      expect(missing).toMatch(/A is required: add "A": "env:A"[^]*C is required/);
      expect(missing).not.toContain('B is required');
      expect(await refusal({ mcp_env_vars: { A: 'env:UNSET_A', B: 'x', C: 'env:UNSET_C' } }, three)).toContain(
        'not set: UNSET_A, UNSET_C',
      );
      return 'both missing ones are named at once, unset references too, and nothing is written';
    },
  ),
  row(
    'S3.28',
    'A server is tried before it is registered; remote servers need https; version, changes, metrics, starts and ends are recorded',
    'Added servers that fail in four ways; then started one whose version is recorded, and changed a definition',
    async () => {
      const { mcp_runtime_hint: _, ...withoutHint } = pluginRegistration;
      const failing = { ...withoutHint, mcp_args: ['--fail', 'start'] };
      const dead = await register(failing, pluginManifest(ownPackage));
      expect(dead).toMatchObject({ code: 1, id: undefined, err: expect.stringContaining('cannot start: no disk') });
      expect(
        existsSync(join(dead.place, 'home/secrets.json')) &&
          readFileSync(join(dead.place, 'home/secrets.json'), 'utf8'),
      ).not.toContain('ghp_');
      const absent = await register({ ...failing, mcp_command: ['/nowhere/server'] }, pluginManifest());
      expect(absent).toMatchObject({
        code: 1,
        id: undefined,
        err: expect.stringContaining('/nowhere/server: no such file'),
      });
      const url = 'http://far.example/mcp';
      const plain = await register({ name: 'far', source_type: 'mcp', url, mcp_server_url: url });
      expect(plain).toMatchObject({ code: 1, id: undefined, err: expect.stringContaining('must be https unless') });
      const gone = await register({ name: 'far', source_type: 'mcp', mcp_server_url: 'http://127.0.0.1:9/mcp' });
      expect(gone).toMatchObject({ code: 1, id: undefined, err: expect.stringContaining('cannot be reached') });
      const alive = await register({ ...withoutHint, mcp_lifecycle_mode: 'singleton' }, pluginManifest(ownPackage));
      const pins = readFileSync(join(alive.place, 'home/pins/GitHub-MCP.json'), 'utf8');
      expect(JSON.parse(pins).server).toEqual({ name: 'fixture', version: '1.2.3' });
      const own = await serving(alive.place);
      expect((await own.send('/tools/GitHub-MCP__echo/execute', { body: { text: 'x' } })).status).toBe(200);
      expect((await own.send('/metrics')).text).toMatch(
        /^mcp_tool_execution_total\{[^}]*tool="GitHub-MCP__echo"[^}]*\} 1$/m,
      );
      expect(await own.stop()).toBe(0);
      const events = own
        .log()
        .split('\n')
        .filter((line) => /"upstream\.(?:connected|closed)"/.test(line))
        .map((line) => JSON.parse(line));
      expect(events[0]).toMatchObject({ event: 'upstream.connected', server: 'fixture', version: '1.2.3' });
      expect(events.at(-1)).toMatchObject({ event: 'upstream.closed', source: 'GitHub-MCP' });
      const file = join(alive.place, 'toolgate.yaml');
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(serverFile, `${serverFile}\n      - --fail\n      - rugpull`),
      );
      expect((await toolgate(alive.place, ['sources', 'list'])).out).toMatch(
        /withheld +tool echo: its definition changed/,
      );
      return 'four failing servers are not written; version 1.2.3 is recorded, its calls are counted, its start and end are logged, and a changed definition is withheld';
    },
  ),
];
