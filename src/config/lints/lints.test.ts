import { expect, test } from 'vitest';
import { schema } from '../schema.js';
import { lints } from './index.js';

const url = 'http://localhost:9000/';

const found = (raw: unknown): readonly string[] =>
  lints.flatMap((lint) => lint(schema.parse(raw))).map(({ severity, rule, path }) => `${severity} ${rule} ${path}`);

test.each([
  [
    'a known format of token',
    { mcp_tools: { w: { url, headers: { 'X-Any': 'ghp_0123456789abcdefghijABCDEFGHIJ012345' } } } },
    'error literal-secret mcp_tools.w.headers.X-Any',
  ],
  [
    'a password by its name',
    { sources: { w: { kind: 'http', base_url: url, headers: { 'X-Password': 'correct-horse-7' } } } },
    'error literal-secret sources.w.headers.X-Password',
  ],
  [
    'a random text',
    {
      sources: {
        w: {
          kind: 'http',
          base_url: url,
          tools: { t: { path: '/', description: 'x', query: { k: 'q8Zr3Vt6Lw1Xp9Kb5Nd2Hf7Jg4Sc0Ym8Qe' } } },
        },
      },
    },
    'error literal-secret sources.w.tools.t.query.k',
  ],
  [
    'a default of a parameter',
    {
      mcp_tools: { w: { url, parameters: [{ name: 'api_key', default: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' }] } },
    },
    'error literal-secret mcp_tools.w.parameters.0.default',
  ],
  [
    'a token written out',
    { auth: { tokens: [{ name: 'bob', token: 'short' }] } },
    'error literal-secret auth.tokens.0.token',
  ],
])('%s is flagged, and never repeated [S2.19]', (_, raw, line) => {
  expect(found(raw)).toEqual([line]);
  expect(JSON.stringify(lints.flatMap((lint) => lint(schema.parse(raw))))).not.toMatch(/ghp_|horse|q8Zr|short/);
});

test.each([
  ['any host', { outbound: { allowed_domains: ['a.example', '*'] } }, 'error open-domains outbound.allowed_domains.1'],
  [
    'any host of one source',
    { sources: { w: { kind: 'http', base_url: url, allowed_domains: ['*.*'] } } },
    'error open-domains sources.w.allowed_domains.0',
  ],
  ['a wait of five minutes', { mcp_tools: { w: { url, timeout: 300 } } }, 'warning slow-calls mcp_tools.w.timeout'],
  [
    'a wait of five minutes for one endpoint',
    { sources: { w: { kind: 'http', base_url: url, tools: { t: { path: '/', description: 'x', timeout: 300 } } } } },
    'warning slow-calls sources.w.tools.t.timeout',
  ],
  [
    'an answer of a gigabyte from one function',
    { mcp_tools: { w: { url, max_response_bytes: 1_073_741_824 } } },
    'warning large-responses mcp_tools.w.max_response_bytes',
  ],
  [
    'a base address from an argument',
    { sources: { w: { kind: 'http', base_url: 'https://{tenant}.example' } } },
    'error chosen-hosts sources.w.base_url',
  ],
  ['a wait of a minute and a bit', { outbound: { timeout: 61 } }, 'warning slow-calls outbound.timeout'],
  [
    'an answer of a gigabyte',
    { outbound: { max_response_bytes: 1_073_741_824 } },
    'warning large-responses outbound.max_response_bytes',
  ],
  [
    'a host from an argument',
    { mcp_tools: { w: { url: 'https://{host}.example/x' } } },
    'error chosen-hosts mcp_tools.w.url',
  ],
  ['a whole address from an argument', { mcp_tools: { w: { url: '{{url}}' } } }, 'error chosen-hosts mcp_tools.w.url'],
])('%s is flagged [S2.30]', (_, raw, line) => {
  expect(found(raw)).toEqual([line]);
});

test.each([
  [{ server: { host: '0.0.0.0' }, auth: { required: false } }, ['error exposed-bind auth.required']],
  [{ server: { host: '::' } }, ['warning exposed-bind server.allowed_hosts']],
  [{ server: { host: '192.168.1.5', allowed_hosts: ['gate.lab'] } }, []],
  [{ server: { host: '127.0.0.2' }, auth: { required: false } }, []],
  [{ server: { host: '127.evil.example' } }, ['warning exposed-bind server.allowed_hosts']],
])('a listener as in %j gives %j [S0.17]', (raw, lines) => {
  expect(found(raw)).toEqual(lines);
});

test('a reference in a key that takes none is flagged', () => {
  expect(found({ server: { mcp_path: '/mcp' }, commands: { directories: ['${HOME}/tools'] } })).toEqual([
    'warning stray-reference commands.directories.0',
  ]);
});

test('defaults, references, digests and addresses with a path argument are fine', () => {
  expect(
    found({
      auth: {
        tokens: [
          { name: 'bob', token: 'Bearer ${BOB}' },
          { name: 'eve', sha256: 'a'.repeat(64) },
        ],
      },
      // The default timeout of a server is longer than a web service needs.
      sources: { files: { kind: 'mcp', command: '/usr/bin/files' }, far: { kind: 'mcp', url } },
      mcp_tools: { w: { url: 'https://api.example/x/{id}', timeout: 30, headers: { Accept: 'application/json' } } },
    }),
  ).toEqual([]);
});
