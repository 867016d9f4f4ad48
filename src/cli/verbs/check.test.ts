import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary.js';
import { help, run } from './check.js';

async function checked(text: string, argv: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const file = join(temporaryFolder('check'), 'c.yaml');
  await writeFile(file, text);
  const said = { out: '', err: '' };
  const io = {
    out: (line: string) => void (said.out += line),
    err: (line: string) => void (said.err += line),
    env,
    isTTY: false,
    showsProgress: false,
    signal: new AbortController().signal,
  };
  const code = await run(['--config', file, ...argv], io);
  return { code, out: said.out.replaceAll(file, 'c.yaml'), err: said.err.replaceAll(file, 'c.yaml') };
}

test('a good file is ok, and clamped numbers are reported', async () => {
  expect(await checked('tool: { default_timeout: 0 }')).toEqual({
    code: 0,
    out: 'note: tool.default_timeout: 0 is out of range 1 to 3600; using 1\nok: c.yaml\n',
    err: '',
  });
});

test('problems go to stderr, all at once', async () => {
  expect(await checked('server: { prot: 1 }\nlog: 5\n', [], { MCP_SERVER_PORT: 'x' })).toEqual({
    code: 1,
    out: '',
    err: 'c.yaml:1:11: server.prot is not a known key (Did you mean port?)\nc.yaml:2:1: log must be a mapping, not a number\nMCP_SERVER_PORT: server.port must be a whole number from 0 to 65535\n3 problems\n',
  });
});

test('a finding has its place, and one of severity error is not ok', async () => {
  const { code, out } = await checked(
    'mcp_tools:\n  w: { url: "http://localhost:1/", headers: { X-Key: ghp_0123456789abcdefghijABCDEFGHIJ012345 } }\noutbound: { timeout: 90 }\n',
  );
  expect(code).toBe(1);
  expect(out).toContain('warning: c.yaml:3:13: outbound.timeout lets an HTTP call take 90 seconds');
  expect(out).toContain('error: c.yaml:2:47: mcp_tools.w.headers.X-Key looks like a literal secret');
  expect(out).not.toContain('ghp_');
  expect(out).toMatch(/\nnot ok: 2 findings\n$/);
});

test('an audit of a careless file reports all of it in one run: a chosen host, five minutes, any domain, a gigabyte [S2.30] [S2.4]', async () => {
  const { code, err } = await checked(
    'mcp_tools:\n  w: { url: "https://{host}/", timeout: 300 }\noutbound: { allowed_domains: ["*"], max_response_bytes: 1073741824 }\n',
  );
  expect(code).toBe(1);
  expect(err).toContain('c.yaml:2:8: mcp_tools.w.url takes its host from an argument');
  expect(err).toContain('c.yaml:2:32: mcp_tools.w.timeout lets an HTTP call take 300 seconds');
  expect(err).toContain('c.yaml:3:13: outbound.allowed_domains contains *');
  expect(err).toContain('c.yaml:3:37: outbound.max_response_bytes allows responses of 1073741824 bytes');
  expect(err).toMatch(/\n2 problems, 2 findings\n$/);
});

test.each([
  [
    'a host outside the list',
    'http://api.example.com/',
    "MCP URL host 'api.example.com' not in allowed domains: ['localhost', '127.0.0.1']",
  ],
  [
    'a host that only ends like one of them',
    'http://evil-localhost/',
    "MCP URL host 'evil-localhost' not in allowed domains",
  ],
  ['a list entry as a user name', 'http://localhost@evil.example/', 'must not contain a user name or password'],
  ['another scheme', 'file:///etc/passwd', 'must begin with http:// or https://'],
  ['no address at all', 'localhost', 'is not a URL'],
])('%s as the address of a function stops the start, with its place [S2.3]', async (_, url, message) => {
  const { code, err } = await checked(`mcp_tools:\n  w:\n    url: ${JSON.stringify(url)}\n`);
  expect(code).toBe(1);
  expect(err).toContain('c.yaml:3:5: mcp_tools.w.url');
  expect(err).toContain(message);
});

test('a variable that a header refers to must be set; its place is reported and its text is not [S2.18]', async () => {
  const file =
    'mcp_tools:\n  w:\n    url: http://localhost:1/\n    headers:\n      Authorization: Bearer ${FN_TOKEN}\n';
  expect((await checked(file)).err).toContain(
    'c.yaml:5:7: mcp_tools.w.headers.Authorization refers to ${FN_TOKEN}, which is not set',
  );
  expect((await checked(file, [], { FN_TOKEN: '' })).code).toBe(1);
  expect(await checked(file, [], { FN_TOKEN: 'tok-5f1c9a' })).toMatchObject({ code: 0, err: '' });
});

test('warnings alone are ok', async () => {
  expect(await checked('outbound: { timeout: 90 }')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\nok: c.yaml\n$/),
  });
});

test('--json is one object on stdout, good or bad', async () => {
  expect(JSON.parse((await checked('{}', ['--json'])).out)).toEqual({
    ok: true,
    file: 'c.yaml',
    problems: [],
    notes: [],
    findings: [],
  });
  const bad = await checked('a: 1', ['--json']);
  expect(bad).toMatchObject({ code: 1, err: '' });
  expect(JSON.parse(bad.out)).toMatchObject({ ok: false, problems: [{ line: 1, column: 1, path: 'a' }] });
});

test('an escape sequence in a key does not reach the terminal', async () => {
  const { err } = await checked('"\\e[2Jx": 1');
  expect(err).not.toContain('\u001b');
  expect(err).toContain('\\u{1b}[2Jx');
});

test('an unknown word is a wrong command line, and the help page lists the valid ones', async () => {
  expect(await checked('{}', ['--frob'])).toMatchObject({
    code: 2,
    err: 'toolgate check: unknown option --frob. See toolgate check --help\n',
  });
  expect(help).toContain('MCP_MAX_ARGS_LEN');
});

test('rules are compiled as serve does it: expressions, conditions, and names that nothing has, each with its place', async () => {
  const { code, out } = await checked(`policy:
  rules:
    - { id: a, action: deny, when: 'args.n >' }
    - { id: b, action: allow, tools: [ping], args: { target: { cidr: [nowhere] } } }
access: { local_profile: gone }
`);
  expect(code).toBe(1);
  expect(out).toMatch(/error: c\.yaml:3:\d+: policy\.rules\.0\.when .*\[policy-rule\]/);
  expect(out).toMatch(/error: c\.yaml:4:\d+: policy\.rules\.1\.args\.target .*\[policy-rule\]/);
  expect(out).toMatch(/c\.yaml:5:\d+: access\.local_profile unknown profile gone/);
});

test('a tool, source or argument that a rule misspells is found without starting anything; names of upstream servers are let pass', async () => {
  const { code, out } = await checked(`sources:
  crm: { kind: mcp, command: this-is-never-started }
policy:
  rules:
    - { id: a, action: deny, tools: [pimg] }
    - { id: b, action: deny, tools: [ping], args: { taget: { equals: x } } }
    - { id: c, action: deny, tools: ['crm__delete_*'], args: { all: { equals: true } } }
    - { id: d, action: deny, sources: [cmr] }
    - { id: e, action: allow, tools: [ping], args: { target: { cidr: [127.0.0.0/8] } } }
`);
  expect(code).toBe(1);
  expect(out).toContain('c.yaml:5:38: policy.rules.0.tools.0 matches no tool: pimg');
  expect(out).toMatch(/c\.yaml:6:\d+: policy\.rules\.1\.args\.taget names the argument taget/);
  expect(out).toMatch(/c\.yaml:8:\d+: policy\.rules\.3\.sources\.0 matches no source: cmr/);
  expect(out.match(/\[policy-rule\]/g)).toHaveLength(3);
});

test('a new name that another tool has is an error with both places; rules use new names, overrides and filters the listed ones', async () => {
  const { code, out, err } = await checked(`sources:
  up: { kind: mcp, command: node, args: [server.js] }
tool:
  exclude: [speak]
  overrides:
    up__a: { name: ping }
    up__b: { name: speak }
    up__c: { name: speak }
    up__d: { name: call_tool }
    up__e: { name: write }
    dig: { name: look_up, description: Looks up a name }
policy:
  rules:
    - { id: a, action: deny, tools: [write, look_up] }
    - { id: b, action: deny, tools: [dig] }
    - { id: c, action: allow }
`);
  expect(code).toBe(1);
  const problems = (out + err)
    .split('\n')
    .filter((line) => /\[(?:taken-name|policy-rule|unused-override)\]/.test(line));
  expect(problems.map((line) => line.replace(/^.*?: (?=tool|policy)/, '').replace(/ \(.*/, ''))).toEqual([
    'tool.overrides.up__a.name ping is already the name of the tool ping of source command',
    'tool.overrides.up__c.name speak is already the name of tool.overrides.up__b.name',
    'tool.overrides.up__d.name call_tool is already the name of the tool call_tool of source search',
    'policy.rules.1.tools.0 matches no tool: dig',
    'tool.exclude unknown tool speak; it is the new name of up__b, use that name here',
  ]);
});

test('an override for an unknown tool is an error, one that may still apply is not, and a key without effect is a warning', async () => {
  const { code, out, err } = await checked(`sources:
  up: { kind: mcp, command: node, args: [server.js] }
tool:
  overrides:
    pnig: { enabled: false }
    up__any: { rate: 5 }
    http_fetch: { rate: 5, policy: public, max_memory_mb: 64 }
`);
  expect(code).toBe(1);
  expect(out + err).toContain('tool.overrides.pnig unknown tool pnig');
  expect(out + err).toContain('tool.overrides.http_fetch.max_memory_mb has no effect on http_fetch');
  expect(out + err).not.toMatch(/up__any|http_fetch\.(?:rate|policy)/);
});
