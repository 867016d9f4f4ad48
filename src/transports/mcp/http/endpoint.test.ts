import { expect, test } from 'vitest';
import { done } from '../../../core/outcome.js';
import { aTool } from '../../../../test/support/make.js';
import { aDoor, envelope, modernVersion, sourceOf } from '../../../../test/support/mcp.js';
import { legacyVersions } from '../../../wire/versions.js';

test('a modern call is answered with one JSON object that declares its kind', async () => {
  const { modern } = await aDoor([sourceOf([aTool()])]);
  const { status, headers, json } = await modern(
    'tools/call',
    { name: 'echo', arguments: { text: 'hello' } },
    { id: 'a"1' },
  );
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json');
  expect(json).toMatchObject({
    id: 'a"1',
    result: {
      resultType: 'complete',
      content: [{ type: 'text', text: 'hello' }],
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'toolgate' } },
    },
  });
});

test('server/discover names the modern revisions and what is served', async () => {
  const { modern } = await aDoor([sourceOf([])]);
  const { json } = await modern('server/discover');
  expect(json.result).toMatchObject({
    supportedVersions: [modernVersion],
    capabilities: { tools: { listChanged: true } },
    cacheScope: 'public',
  });
});

test.each(legacyVersions)('a client of %s opens a session, lists and calls', async (version) => {
  const { session } = await aDoor([sourceOf([aTool()])]);
  const { opened, call, id } = await session(version);
  expect(opened.result.protocolVersion).toBe(version);
  expect(id).toMatch(/^s1\.[\w-]{6}\.[\w-]{100,}$/);
  expect((await call('tools/list')).json.result.tools).toMatchObject([{ name: 'echo' }]);
  const { json } = await call('tools/call', { name: 'echo', arguments: { text: version } });
  expect(json.result.content).toEqual([{ type: 'text', text: version }]);
  expect(json.result).not.toHaveProperty('resultType');
});

test('both eras and all versions share one URL at the same time', async () => {
  const { modern, session } = await aDoor([sourceOf([aTool()])]);
  const sessions = await Promise.all(legacyVersions.map((version) => session(version)));
  const answers = await Promise.all([
    ...sessions.map(({ call }, at) => call('tools/call', { name: 'echo', arguments: { text: `old ${at}` } })),
    modern('tools/call', { name: 'echo', arguments: { text: 'new' } }),
  ]);
  expect(answers.map(({ json }) => json.result.content[0].text)).toEqual(['old 0', 'old 1', 'old 2', 'old 3', 'new']);
});

test.each([
  ['missing _meta', {}, {}, -32602],
  ['no capabilities', { 'io.modelcontextprotocol/protocolVersion': modernVersion }, {}, -32602],
  [
    'an unknown version',
    { ...envelope(), 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
    { 'mcp-protocol-version': '2099-01-01' },
    -32022,
  ],
  ['a header that names another version', envelope(), { 'mcp-protocol-version': '2025-11-25' }, -32020],
  ['a header that names another method', envelope(), { 'mcp-method': 'tools/list' }, -32020],
  ['a header that names another tool', envelope(), { 'mcp-name': 'other' }, -32020],
  ['a header with broken base64', envelope(), { 'mcp-name': '=?base64?%%%?=' }, -32020],
])('%s is refused before anything runs, with the id of the request', async (_name, meta, headers, code) => {
  let runs = 0;
  const tool = aTool({ run: async () => done(String((runs += 1))) });
  const { raw } = await aDoor([sourceOf([tool])]);
  const { status, json } = await raw(
    'POST',
    {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernVersion,
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      ...headers,
    },
    JSON.stringify({
      jsonrpc: '2.0',
      id: 77,
      method: 'tools/call',
      params: { name: 'echo', arguments: {}, _meta: meta },
    }),
  );
  expect({ status, id: json.id, code: json.error.code }).toEqual({ status: 400, id: 77, code });
  expect(runs).toBe(0);
});

test('a name that no header can hold travels as base64 and is found', async () => {
  const { modern } = await aDoor([sourceOf([aTool()])]);
  const { json } = await modern('tools/call', { name: 'écho ', arguments: {} });
  expect(json.error).toMatchObject({ code: -32602 });
});

test.each([
  ['a large integer', '12345678901234567890123', '12345678901234567890123'],
  ['a negative one', '-9007199254740993', '-9007199254740993'],
  ['an empty string', '""', '""'],
  ['a string that looks like a number', '"007"', '"007"'],
  ['a string of escapes', '"\\u0000\\u001f"', '"\\u0000\\u001f"'],
])('%s comes back as id, digit for digit [S1.5]', async (_name, id, echoed) => {
  const { raw } = await aDoor([sourceOf([aTool()])]);
  const { text } = await raw(
    'POST',
    {
      'content-type': 'application/json',
      accept: '*/*',
      'mcp-protocol-version': modernVersion,
      'mcp-method': 'tools/list',
    },
    `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{"_meta":${JSON.stringify(envelope())}}}`,
  );
  expect(text.startsWith(`{"jsonrpc":"2.0","id":${echoed},"result"`)).toBe(true);
});

test.each(['null', '1.5', 'true', '{}', '[1]', '1e400', `"${'x'.repeat(2_000)}"`])(
  '%.20s is no id and refused as such',
  async (id) => {
    const { raw } = await aDoor([sourceOf([aTool()])]);
    const { status, json } = await raw(
      'POST',
      {
        'content-type': 'application/json',
        accept: '*/*',
        'mcp-protocol-version': modernVersion,
        'mcp-method': 'tools/list',
      },
      `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{"_meta":${JSON.stringify(envelope())}}}`,
    );
    expect(status).toBe(400);
    expect(json.error.code).toBe(-32600);
  },
);

test('an unknown tool is a protocol error, invalid arguments are a readable result [S1.14] [S1.15]', async () => {
  const { modern, session } = await aDoor([sourceOf([aTool()])]);
  const { call } = await session();
  for (const ask of [modern, call]) {
    expect((await ask('tools/call', { name: 'nothing' })).json.error.code).toBe(-32602);
    const { json } = await ask('tools/call', { name: 'echo', arguments: { text: 7 } });
    expect(json.result).toMatchObject({ isError: true });
    expect(json.result.content[0].text).toContain('text');
  }
});

test('an internal error is reported as such without details', async () => {
  const tool = aTool({
    run: () => {
      throw new Error('secret /etc/shadow at line 7');
    },
  });
  const { modern, faults } = await aDoor([sourceOf([tool])]);
  const { json, text } = await modern('tools/call', { name: 'echo' });
  expect(json.error).toMatchObject({ code: -32603 });
  expect(text).not.toMatch(/secret|shadow|\.ts|at /);
  expect(faults).toHaveLength(1);
});

test('a method that is not there is 404 for modern clients and an error in band for legacy ones', async () => {
  const { modern, session } = await aDoor([sourceOf([])]);
  const { call } = await session();
  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'tasks/list',
    'tasks/result',
    '__proto__',
    'constructor',
  ]) {
    const { status, json } = await modern(method);
    expect([method, status, json.error.code]).toEqual([method, 404, -32601]);
  }
  const { status, json } = await call('no/such');
  expect([status, json.error.code]).toEqual([200, -32601]);
});
