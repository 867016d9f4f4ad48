import { expect, test } from 'vitest';
import { eventually, oddSleep, processesNamed } from '../support/processes.js';
import { aPlace, serving, type Running } from '../support/toolgate.js';
import { checked } from '../support/wire-schemas.js';

type Wire = ReturnType<typeof JSON.parse>;

const tasksExtension = 'io.modelcontextprotocol/tasks';

/** A modern MCP client of a few lines that knows tasks. */
const client =
  (gate: Running, path = '/mcp', bearer?: string) =>
  async (method: string, params: Record<string, unknown>, knowsTasks = true): Promise<Wire> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': knowsTasks ? { extensions: { [tasksExtension]: {} } } : {},
    };
    const named = params['name'] ?? params['taskId'];
    const { json } = await gate.send(path, {
      body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
      headers: {
        accept: 'application/json, text/event-stream',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof named === 'string' && { 'mcp-name': named }),
      },
    });
    checked('2026-07-28', json, method);
    return json;
  };

const manifest = (name: string, seconds: string, more = ''): string =>
  `name: ${name}\ncommand: sleep\ndescription: Waits\ntarget: { kind: none }\nflags: {}\nalways: ["${seconds}"]\n${more}`;

test('a finished task keeps its result over a restart; one whose process died with the gateway is reported failed, and no process is left', async () => {
  const long = oddSleep();
  const cwd = aPlace({
    'nap.tool.yaml': manifest('nap', '0.4'),
    'rest.tool.yaml': manifest('rest', long),
    'toolgate.yaml': 'commands: { directories: [.] }\n',
  });
  const first = await serving(cwd);
  const before = client(first);
  const [nap, rest] = [
    await before('tools/call', { name: 'nap', arguments: {} }),
    await before('tools/call', { name: 'rest', arguments: {} }),
  ];
  expect([nap.result.resultType, rest.result.resultType]).toEqual(['task', 'task']);
  const statusOf = async (ask: typeof before, of: Wire) =>
    (await ask('tasks/get', { taskId: of.result.taskId })).result;
  await eventually(
    () => statusOf(before, nap),
    ({ status }) => status === 'completed',
  );
  expect(await statusOf(before, rest)).toMatchObject({ status: 'working' });
  expect(processesNamed(long)).not.toEqual([]);

  await first.stop('SIGKILL');
  const after = client(await serving(cwd));
  expect(await statusOf(after, nap)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { returncode: 0 } },
  });
  expect(await statusOf(after, rest)).toMatchObject({ status: 'failed' });
  await eventually(
    () => processesNamed(long),
    (left) => left.length === 0,
  );
}, 60_000);

test('cancelling a task ends its process', async () => {
  const long = oddSleep();
  const cwd = aPlace({ 'rest.tool.yaml': manifest('rest', long), 'toolgate.yaml': 'commands: { directories: [.] }\n' });
  const ask = client(await serving(cwd));
  const { result } = await ask('tools/call', { name: 'rest', arguments: {} });
  await eventually(
    () => processesNamed(long),
    (found) => found.length > 0,
  );
  expect((await ask('tasks/cancel', { taskId: result.taskId })).error).toBeUndefined();
  await eventually(
    () => processesNamed(long),
    (left) => left.length === 0,
  );
  expect((await ask('tasks/get', { taskId: result.taskId })).result.status).toBe('cancelled');
}, 60_000);

test('a tool that must run as a task is refused to clients that do not know them; the operator may say otherwise', async () => {
  const files = { 'nap.tool.yaml': manifest('nap', '0', 'tasks: required\n') };
  const strict = client(await serving(aPlace({ ...files, 'toolgate.yaml': 'commands: { directories: [.] }\n' })));
  expect((await strict('tools/call', { name: 'nap', arguments: {} }, false)).error).toMatchObject({
    message: expect.stringContaining('tasks'),
  });
  const eased = client(
    await serving(
      aPlace({
        ...files,
        'toolgate.yaml': 'commands: { directories: [.] }\ntool: { overrides: { nap: { tasks: optional } } }\n',
      }),
    ),
  );
  expect((await eased('tools/call', { name: 'nap', arguments: {} }, false)).result.structuredContent.returncode).toBe(
    0,
  );
}, 60_000);

test('a task exists for the caller that made it, under the address it was made under, and for no other', async () => {
  const bob = 'bob-0123456789abcdef0123456789';
  const config = `commands: { directories: [.], builtins: false }
auth: { tokens: [{ name: bob, token: '\${BOB}' }] }
access: { profiles: { naps: { tools: [nap] }, none: { tools: [] } } }
`;
  const cwd = aPlace({ 'nap.tool.yaml': manifest('nap', '0.3'), 'toolgate.yaml': config });
  const gate = await serving(cwd, [], { BOB: bob });
  const under = client(gate, '/mcp/p/naps');
  const { taskId } = (await under('tools/call', { name: 'nap', arguments: {} })).result;
  await eventually(
    () => under('tasks/get', { taskId }),
    ({ result }) => result.status === 'completed',
  );
  const unknown = (await under('tasks/get', { taskId: 'never-made' })).error;
  const elsewhere = [
    client(gate),
    client(gate, '/mcp/p/none'),
    client(gate, '/mcp/p/naps', bob),
    client(gate, '/mcp', bob),
  ];
  for (const ask of elsewhere) {
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      expect((await ask(method, { taskId, inputResponses: {} })).error).toEqual(unknown);
  }
  const call = async (path: string, name: string): Promise<Wire> =>
    (await client(gate, path)('tools/call', { name, arguments: {} })).error;
  const [hidden, absent] = [await call('/mcp/p/none', 'nap'), await call('/mcp', 'never_there')];
  expect([hidden.code, hidden.message]).toEqual([absent.code, absent.message]);

  // A session of the older protocol belongs to the address it was opened under as well.
  const legacy = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
  const greeting = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opened = await gate.send('/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: greeting },
    headers: legacy,
  });
  const headers = { ...legacy, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
  expect((await gate.send('/mcp', { body: list, headers })).status).toBe(200);
  expect((await gate.send('/mcp/p/none', { body: list, headers })).status).toBe(404);
}, 60_000);
