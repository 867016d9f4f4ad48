import { expect, test } from 'vitest';
import { anAssistant } from '../support/assistant.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Method, name in the header, parameters besides `_meta`, further headers. */
const refused: readonly (readonly [string, string, Record<string, unknown>, Record<string, string>?])[] = [
  ['tools/call', 'x', { name: 5 }],
  ['tools/call', 'ping', { name: 'ping', arguments: [] }],
  ['tools/call', 'ping', { name: 'ping', arguments: 'text' }],
  ['tools/call', 'other', { name: 'ping', arguments: {} }],
  ['tools/call', 'ping', { name: 'ping', arguments: {}, inputResponses: 5 }],
  ['prompts/get', 'x', { name: {} }],
  ['prompts/get', 'x', { name: 'x', arguments: [] }],
  ['resources/read', 'x', { uri: 5 }],
  ['resources/read', 'x', {}],
  ['completion/complete', '', { ref: {}, argument: {} }],
];

test('a call that a door refuses before the gateway has exactly one audit record, as every other', async () => {
  const place = aPlace({ 'toolgate.yaml': 'server: { transport: http }\n' });
  const gate = await serving(place);
  for (const [method, name, params, headers = {}] of refused) {
    const answer = await gate.send('/mcp', {
      body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
      headers: {
        authorization: `Bearer ${gate.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name !== '' && { 'mcp-name': name }),
        ...headers,
      },
    });
    expect([method, params, answer.json?.error?.code ?? 'no error']).toEqual([method, params, expect.any(Number)]);
  }
  await gate.stop();
  const { out } = await toolgate(place, ['audit', '--json']);
  const records = out.split('\n').filter((line) => line.includes('"refused"'));
  expect(records).toHaveLength(refused.length);
}, 60_000);

/** Method and parameters that a session refuses before the gateway; `whois` runs as a task only. */
const refusedInSession: readonly (readonly [string, Record<string, unknown>])[] = [
  ['tools/call', { name: 5 }],
  ['tools/call', {}],
  ['tools/call', { name: 'ping', arguments: [] }],
  ['tools/call', { name: 'ping', arguments: 'text' }],
  ['tools/call', { name: 'whois', arguments: { target: 'example.com' } }],
  ['tools/call', { name: 'whois', arguments: { target: 'example.com' }, task: 'text' }],
  ['tools/call', { name: 'dig', arguments: { target: 'example.com' }, task: {} }],
  ['prompts/get', { name: {} }],
  ['prompts/get', { name: 'x', arguments: [] }],
  ['resources/read', { uri: 5 }],
  ['resources/subscribe', { uri: 5 }],
  ['completion/complete', { ref: {}, argument: {} }],
];
const tasksOnly = 'tool: { overrides: { whois: { tasks: required }, dig: { tasks: forbidden } } }\n';
const recordsIn = async (place: string): Promise<readonly string[]> =>
  (await toolgate(place, ['audit', '--json'])).out.split('\n').filter((line) => line.includes('"refused"'));

test('the same holds for a session over HTTP, for calls of a tool that runs as a task only too', async () => {
  const place = aPlace({ 'toolgate.yaml': `server: { transport: http }\n${tasksOnly}` });
  const gate = await serving(place);
  const headers = { accept: 'application/json, text/event-stream' };
  const opened = await gate.send('/mcp', {
    headers,
    body: {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
  });
  const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  for (const [method, params] of refusedInSession) {
    const { text } = await gate.send('/mcp', { headers: session, body: { jsonrpc: '2.0', id: 1, method, params } });
    expect([method, params, text]).toEqual([method, params, expect.stringContaining('"error"')]);
  }
  await gate.stop();
  expect(await recordsIn(place)).toHaveLength(refusedInSession.length);
}, 60_000);

test('and over stdio', async () => {
  const place = aPlace({ 'toolgate.yaml': tasksOnly });
  const assistant = await anAssistant(place, ['--alone']);
  for (const [method, params] of refusedInSession)
    expect([method, params, await assistant.ask(method, params)]).toEqual([
      method,
      params,
      expect.objectContaining({ error: expect.anything() }),
    ]);
  await assistant.leave();
  expect(await recordsIn(place)).toHaveLength(refusedInSession.length);
}, 60_000);
