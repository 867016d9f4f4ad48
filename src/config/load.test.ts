import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary.js';
import { settings } from './env.js';
import { loadConfig, type LoadOptions, type LoadResult } from './load.js';
import { effectiveConfig } from './redact-config.js';
import { problemLine } from './problem.js';
import type { Config } from './schema.js';

const emptyFolder = temporaryFolder('config');

async function folderWith(text: string | Uint8Array, name = 'toolgate.yaml'): Promise<string> {
  const folder = temporaryFolder('config');
  await writeFile(join(folder, name), text);
  return folder;
}

const loaded = (from: LoadOptions = {}): Promise<LoadResult> => loadConfig({ env: {}, cwd: emptyFolder, ...from });
const loadedText = async (text: string, from: LoadOptions = {}): Promise<LoadResult> =>
  loaded({ cwd: await folderWith(text), ...from });

async function good(result: Promise<LoadResult>): Promise<Config> {
  const value = await result;
  if (!value.ok) throw new Error(value.problems.map(problemLine).join('\n'));
  return value.config;
}

async function lines(result: Promise<LoadResult>): Promise<readonly string[]> {
  const value = await result;
  return value.ok ? [] : value.problems.map(problemLine);
}

const at = (config: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);

describe('defaults', () => {
  test.each([
    ['[S0.8]', 'tool.max_args_length', 2048],
    ['[S0.15]', 'server.transport', 'stdio'],
    ['[S0.16]', 'server.port', 8080],
    ['[S0.17]', 'server.host', '127.0.0.1'],
    ['[S0.21]', 'security.allow_intrusive', false],
    ['[S0.22]', 'server.shutdown_grace_period', 30],
    ['[S0.23]', 'log.level', 'info'],
    ['[S0.24]', 'log.format', 'json'],
  ])('with nothing given, %s %s is %s [S0.5]', async (_, path, value) => {
    expect(at(await good(loaded()), path)).toBe(value);
  });

  test.each([
    ['[S0.9]', 'tool.max_stdout_bytes', 1_048_576],
    ['[S0.10]', 'tool.max_stderr_bytes', 262_144],
    ['[S0.11]', 'tool.default_timeout', 300],
    ['[S0.12]', 'tool.default_concurrency', 2],
    ['[S0.13]', 'tool.max_memory_mb', 512],
    ['[S0.14]', 'tool.max_file_descriptors', 256],
  ])('with nothing given, %s %s is unset and shown as %s [S0.5]', async (_, path, value) => {
    const config = await good(loaded());
    expect(at(config, path)).toBeUndefined();
    expect(at(effectiveConfig(config), path)).toBe(value);
  });

  test('an empty file changes nothing', async () => {
    const plain = await good(loaded());
    for (const text of ['', '# nothing\n', '---\n', '{}']) expect(await good(loadedText(text))).toEqual(plain);
  });
});

describe('the environment', () => {
  test.each([
    ['[S0.8]', 'MCP_MAX_ARGS_LEN', '100', 100],
    ['[S0.9]', 'MCP_MAX_STDOUT_BYTES', '2048', 2048],
    ['[S0.10]', 'MCP_MAX_STDERR_BYTES', ' 4096 ', 4096],
    ['[S0.11]', 'MCP_DEFAULT_TIMEOUT_SEC', '12.5', 12.5],
    ['[S0.12]', 'MCP_DEFAULT_CONCURRENCY', '7', 7],
    ['[S0.13]', 'MCP_MAX_MEMORY_MB', '1024', 1024],
    ['[S0.14]', 'MCP_MAX_FILE_DESCRIPTORS', '64', 64],
    ['[S0.15]', 'MCP_SERVER_TRANSPORT', 'HTTP', 'http'],
    ['[S0.16]', 'MCP_SERVER_PORT', '0', 0],
    ['[S0.17]', 'MCP_SERVER_HOST', '::1', '::1'],
    ['[S0.18]', 'TOOLS_PACKAGE', 'a/tools, b', ['a/tools', 'b']],
    ['[S0.19]', 'TOOL_INCLUDE', 'ping, dig,', ['ping', 'dig']],
    ['[S0.20]', 'TOOL_EXCLUDE', 'nmap', ['nmap']],
    ['[S0.21]', 'MCP_SECURITY_ALLOW_INTRUSIVE', 'Yes', true],
    ['[S0.22]', 'MCP_SERVER_SHUTDOWN_GRACE_PERIOD', '0', 0],
    ['[S0.23]', 'LOG_LEVEL', 'WARNING', 'warn'],
    ['[S0.24]', 'LOG_FORMAT', 'text', 'text'],
    ['[S2.3]', 'MCP_ALLOWED_DOMAINS', 'api.example.com', ['api.example.com']],
    ['[S2.5]', 'MCP_MAX_RESPONSE_BYTES', '2000', 2000],
    ['[S2.6]', 'MCP_RETRIES', '1', 1],
    ['[S2.7]', 'MCP_TIMEOUT_SECONDS', '20', 20],
    ['[S2.8]', 'MCP_CB_FAILURES', '3', 3],
    ['[S2.8]', 'MCP_CB_RECOVERY_SECONDS', '5', 5],
    ['state', 'TOOLGATE_HOME', '/srv/gate', '/srv/gate'],
  ])('%s %s=%s is taken', async (_, name, text, value) => {
    const path = settings.find((setting) => setting.name === name)?.path ?? '';
    expect(at(await good(loaded({ env: { [name]: text } })), path)).toEqual(value);
    expect(at(await good(loadedText('log: {}', { env: { [name]: text } })), path)).toEqual(value);
  });

  test.each([
    ['MCP_SERVER_PORT', '70000', 'must be a whole number from 0 to 65535'],
    ['MCP_SERVER_PORT', '80a', 'must be a whole number from 0 to 65535'],
    ['MCP_MAX_ARGS_LEN', '1.5', 'must be a whole number'],
    ['MCP_MAX_ARGS_LEN', '99999999999999999999', 'must be a whole number'],
    ['MCP_MAX_ARGS_LEN', '0x10', 'must be a whole number'],
    ['MCP_DEFAULT_TIMEOUT_SEC', 'NaN', 'must be a number'],
    ['MCP_DEFAULT_TIMEOUT_SEC', 'Infinity', 'must be a number'],
    ['MCP_SERVER_TRANSPORT', 'websocket', 'must be one of stdio, http'],
    ['MCP_SECURITY_ALLOW_INTRUSIVE', 'maybe', 'must be true or false'],
    ['LOG_LEVEL', 'constructor', 'must be one of trace, debug, info, warn, error, fatal'],
    ['LOG_FORMAT', 'xml', 'must be one of json, text'],
  ])('%s=%s is a problem that names the variable [S0.29]', async (name, text, says) => {
    expect(await loaded({ env: { [name]: text } })).toMatchObject({
      ok: false,
      problems: [{ file: name, message: says }],
    });
  });

  test('a Python format string means text, and a note explains it [S0.24]', async () => {
    const result = await loaded({ env: { LOG_FORMAT: '%(asctime)s %(levelname)s %(name)s %(message)s' } });
    expect(result).toMatchObject({
      ok: true,
      config: { log: { format: 'text' } },
      notes: [{ event: 'config.remark', param: 'LOG_FORMAT' }],
    });
  });

  test('an empty variable counts as unset', async () => {
    expect(await good(loaded({ env: { MCP_SERVER_PORT: '', TOOL_INCLUDE: ' ' } }))).toEqual(await good(loaded()));
  });
});

describe('precedence [S0.26]', () => {
  const file = 'tool: { default_concurrency: 3 }\nserver: { port: 1, host: localhost }\n';

  test('the file beats the default', async () => {
    expect(await good(loadedText(file))).toMatchObject({
      tool: { default_concurrency: 3, queue_length: 16 },
      server: { port: 1, host: 'localhost' },
    });
  });

  test('the environment beats the file, and the command line the environment', async () => {
    const env = { MCP_DEFAULT_CONCURRENCY: '4', MCP_SERVER_PORT: '2' };
    const config = await good(loadedText(file, { env, argv: ['--port', '3', '--http'] }));
    expect(config).toMatchObject({
      tool: { default_concurrency: 4 },
      server: { port: 3, host: 'localhost', transport: 'http' },
    });
  });
});

describe('the file', () => {
  test("is the user's own if the folder has none, and an unreadable one is an error", async () => {
    const home = await folderWith('rate_limit: { requests: 7 }\n', 'unused');
    const cwd = await folderWith('', 'nothing');
    const own = join(home, 'cfg', 'toolgate', 'toolgate.yaml');
    await mkdir(dirname(own), { recursive: true });
    await writeFile(own, 'server: { port: 7001 }\n');
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'cfg') };
    expect(await loaded({ cwd, env })).toMatchObject({ ok: true, file: own, config: { server: { port: 7001 } } });
    await writeFile(join(cwd, 'toolgate.yaml'), 'server: { port: 7002 }\n');
    expect(await loaded({ cwd, env })).toMatchObject({ config: { server: { port: 7002 } } });
    const folder = await folderWith('', 'x');
    await mkdir(join(folder, 'toolgate', 'toolgate.yaml'), { recursive: true });
    expect(await lines(loaded({ cwd: folder, env: { HOME: folder, XDG_CONFIG_HOME: folder } }))).toEqual([
      `${join(folder, 'toolgate', 'toolgate.yaml')}: is not a regular file`,
    ]);
  });

  test('is toolgate.yaml here, or MCP_CONFIG_FILE, or --config, the last first [S0.25]', async () => {
    const cwd = await folderWith('server: { port: 1 }');
    await writeFile(join(cwd, 'b.yaml'), 'server: { port: 2 }');
    await writeFile(join(cwd, 'c.yaml'), 'server: { port: 3 }');
    const port = async (from: LoadOptions): Promise<number> => (await good(loaded({ cwd, ...from }))).server.port;
    expect(await port({})).toBe(1);
    expect(await port({ env: { MCP_CONFIG_FILE: 'b.yaml' } })).toBe(2);
    expect(await port({ env: { MCP_CONFIG_FILE: 'b.yaml' }, argv: ['--config', 'c.yaml'] })).toBe(3);
    expect(await loaded({ cwd, argv: ['--config=c.yaml'] })).toMatchObject({
      ok: true,
      file: join(cwd, 'c.yaml'),
      base: cwd,
    });
  });

  test('that is named but missing, a folder, too large or not text stops the start [S0.29]', async () => {
    expect(await lines(loaded({ argv: ['--config', 'gone.yaml'] }))).toEqual([
      'gone.yaml: no such file (Check --config and MCP_CONFIG_FILE)',
    ]);
    const cwd = await folderWith(new Uint8Array([0xff, 0xfe, 0x41]));
    expect(await lines(loaded({ cwd }))).toEqual(['toolgate.yaml: is not UTF-8 text']);
    await mkdir(join(cwd, 'folder'));
    expect(await lines(loaded({ cwd, argv: ['--config', 'folder'] }))).toEqual(['folder: is not a regular file']);
    expect(await lines(loaded({ cwd, argv: ['--config', '/dev/zero'] }))).toEqual(['/dev/zero: is not a regular file']);
    expect(await lines(loadedText(`# ${'x'.repeat(1_048_576)}`))).toEqual([
      'toolgate.yaml: is larger than 1048576 bytes',
    ]);
  });

  test('has the sections of old [S0.27]', async () => {
    const text =
      'circuit_breaker: { failure_threshold: 3, recovery_timeout: 40 }\ntool: { default_timeout: 5, default_concurrency: 1 }\nsecurity: { allow_intrusive: true }\nserver: { transport: http }\n';
    expect(await good(loadedText(text))).toMatchObject({
      circuit_breaker: { failure_threshold: 3, recovery_timeout: 40 },
      tool: { default_timeout: 5, default_concurrency: 1 },
      security: { allow_intrusive: true },
      server: { transport: 'http' },
    });
  });

  test('that is wrong in many ways gets them all listed at once, with place and guess [S0.29]', async () => {
    const text = `server:
  prot: 80
  port: "x"
  transport: htpp
tool:
  overrides:
    nmap: { timeout: 5, polcy: x }
    "bad name": {}
auth:
  tokens:
    - name: bob
      token: \${BOB
prompts:
  - name: hi
    messages: [{ text: "{{who}}" }]
log:
`;
    expect(await lines(loadedText(text, { env: { MCP_SERVER_PORT: 'abc' }, argv: ['--host'] }))).toEqual([
      'toolgate.yaml:2:3: server.prot is not a known key (Did you mean port?)',
      'toolgate.yaml:3:3: server.port must be a number, not a string',
      'toolgate.yaml:4:3: server.transport must be one of stdio, http (Did you mean http?)',
      'toolgate.yaml:7:25: tool.overrides.nmap.polcy is not a known key (Did you mean policy?)',
      'toolgate.yaml:8:5: tool.overrides.bad name has an invalid name: must be 1 to 64 letters, digits, _ or -',
      'toolgate.yaml:12:7: auth.tokens.0.token contains an invalid reference: write ${NAME} with letters, digits and _, ${secret:NAME}, ${file:/absolute/path}, or $$ for a dollar sign',
      'toolgate.yaml:15:18: prompts.0.messages.0.text uses {{who}}, which is not among the arguments',
      'toolgate.yaml:16:1: log must be a mapping, but is empty (Set a value or remove the key)',
      'MCP_SERVER_PORT: server.port must be a whole number from 0 to 65535',
      '--host: server.host needs a value',
    ]);
  });
});

describe('what only shows together', () => {
  test.each([
    [
      'auth: { required: false }',
      { argv: ['--http', '--host', '0.0.0.0'] },
      'toolgate.yaml:1:9: auth.required is false while server.host is 0.0.0.0',
    ],
    [
      'auth: { required: false }\nserver: { transport: http, host: "::" }',
      {},
      'toolgate.yaml:1:9: auth.required is false while server.host is ::',
    ],
    ['server: { cors_origins: ["*"] }', {}, 'toolgate.yaml:1:11: server.cors_origins must not contain *'],
    [
      'tool: { overrides: { ping: { policy: none } } }',
      {},
      'toolgate.yaml:1:30: tool.overrides.ping.policy unknown network policy none',
    ],
    ['{}', { env: { MCP_ALLOWED_DOMAINS: '*' } }, 'MCP_ALLOWED_DOMAINS: outbound.allowed_domains contains *'],
    [
      'auth: { tokens: [{ name: bob, token: "${BOB_TOKEN}" }] }',
      {},
      'toolgate.yaml:1:31: auth.tokens.0.token refers to ${BOB_TOKEN}, which is not set',
    ],
  ])('%s is refused [S0.17] [S2.18]', async (text, from, says) => {
    const [line, ...more] = await lines(loadedText(text, from));
    expect(line).toContain(says);
    expect(more).toEqual([]);
  });

  test('no authentication on loopback, a known policy, a set secret and * for a throw-away machine pass', async () => {
    const text =
      'auth: { required: false, tokens: [{ name: bob, token: "${BOB}" }] }\nsecurity: { default_policy: mine, network_policies: { mine: { cidrs: [10.0.0.0/8] } } }\n';
    const argv = ['--http', '--insecure-dev'];
    expect(await lines(loadedText(text, { argv, env: { BOB: 'x', MCP_ALLOWED_DOMAINS: '*' } }))).toEqual([]);
  });
});

test('no text and no environment makes the loader throw: there is always a configuration or a list of problems', async () => {
  const key = fc.constantFrom(
    'server',
    'tool',
    'port',
    'overrides',
    'auth',
    'tokens',
    'sources',
    'kind',
    'prompts',
    '<<',
    '__proto__',
    'constructor',
    'log',
    'x',
  );
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '&a',
      '*a',
      '!!js/function x',
      '!!binary aGk=',
      '[',
      '{',
      '- ',
      '~',
      '.nan',
      '.inf',
      '1e999',
      '"${',
      '|',
      '>',
      '%YAML 9.9',
      '---',
      '\t',
    ),
  );
  const line = fc.tuple(fc.nat(3), key, value).map(([depth, name, text]) => `${'  '.repeat(depth)}${name}: ${text}`);
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(line, { maxLength: 12 }).map((all) => all.join('\n')),
    fc.json(),
  );
  const env = fc.dictionary(
    fc.constantFrom(...settings.map((setting) => setting.name)),
    fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom('true', '-1', '%(', '*', '1e9')),
  );
  const cwd = temporaryFolder('config');
  await fc.assert(
    fc.asyncProperty(text, env, async (yaml, variables) => {
      await writeFile(join(cwd, 'toolgate.yaml'), yaml);
      const result = await loadConfig({ cwd, env: variables });
      if (!result.ok) {
        expect(result.problems.length).toBeGreaterThan(0);
        for (const problem of result.problems) expect(problemLine(problem)).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
      }
    }),
    { numRuns: 300 },
  );
});

test('a client secret needs the authorization server it is for [CVE-2026-27124]', async () => {
  const text = (more: string): string =>
    `sources:\n  far: { kind: mcp, url: 'https://far.example/mcp', oauth: { client_id: gate, client_secret: '\${FAR}'${more} } }\n`;
  const env = { FAR: 'x'.repeat(20) };
  expect(await lines(loadedText(text(''), { env }))).toEqual([
    expect.stringMatching(/^.*toolgate\.yaml:2:.*needs issuer/),
  ]);
  expect(await lines(loadedText(text(', issuer: https://login.example'), { env }))).toEqual([]);
});
