import { expect } from 'vitest';
import { httpClient, type Loose } from '../mcp-client.js';
import { aPlace, builtLibrary, toolgate } from '../../support/toolgate.js';
import { whenDone } from '../../support/temporary.js';
import { row } from '../row.js';
import { agent, call, client, gate, last, other, place, post, service, tool } from './world.js';

const rpc = (method: string, params: object = {}, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const meta = {
  _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
};
const modern = (method: string, id: string): ReturnType<typeof post> =>
  post(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(meta)}}`, {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
  });

/** A client of an embedded gateway with tools that return at once, return later, and throw. */
async function embedded(): Promise<Record<'ask' | 'rest', (name: string, args?: object) => Promise<Loose>>> {
  const { createGate, defineSource, failed, log } = await builtLibrary();
  const outcome = ({ fails }: Loose): Loose =>
    fails === true ? failed({ code: 'execution_failed', message: 'no luck' }) : { answer: 42 };
  const define = (name: string, run: (args: Loose) => Loose): Loose => ({
    name,
    description: 'Answers',
    input: { type: 'object' },
    run,
  });
  const own = await createGate({
    config: { state: { directory: aPlace() }, commands: { builtins: false } },
    sources: [
      defineSource({
        id: 'own',
        tools: [
          define('own__at_once', outcome),
          define('own__later', async (args) => {
            await new Promise((resolve) => setImmediate(resolve));
            return outcome(args);
          }),
          define('own__throws', () => {
            throw new Error('cannot read /etc/toolgate/hunter2');
          }),
        ],
      }),
    ],
    log: log({ write: () => {} }),
  });
  whenDone(() => own.close());
  const send = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    own.fetch(
      new Request(`http://gate${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json', ...headers },
        body,
      }),
    );
  const modernHeaders = (name: string): Record<string, string> => ({
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  });
  return {
    ask: async (name, args = {}) =>
      (await send('/mcp', rpc('tools/call', { name, arguments: args, ...meta }), modernHeaders(name))).json(),
    async rest(name, args = {}) {
      const response = await send(`/tools/${name}/execute`, JSON.stringify(args));
      return { status: response.status, body: await response.json() };
    },
  };
}
/** A result without what differs between two calls. */
const comparable = ({ result }: Loose): Loose => {
  const { _meta: _, ...rest } = result;
  return JSON.parse(JSON.stringify(rest).replaceAll(/own__\w+|[0-9a-f]{16,}/g, ''));
};

/** What happens to a call. */
export const calls = [
  row(
    'S1.3',
    'One endpoint, its path configurable, takes JSON-RPC over POST',
    'Called `/gate` and `/mcp` of a gateway with `mcp_path: /gate`',
    async () => {
      const at = (path: string) =>
        other.send(path, {
          body: JSON.parse(rpc('tools/list', meta)),
          headers: {
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/list',
          },
        });
      expect([(await at('/gate')).status, (await at('/mcp')).status]).toEqual([200, 404]);
      return '200 at the configured path, 404 at the other';
    },
  ),
  row(
    'S1.4',
    'The level of the log and the features are configurable',
    'Compared the logs of two gateways, one with `log: { level: warn }`',
    async () => {
      await call('getPet', { petId: 1 });
      await other.send('/tools/api__getPet/execute', { body: { petId: 1 } });
      expect([gate.log().includes('"level":"info"'), other.log().includes('"level":"info"')]).toEqual([true, false]);
      return 'the quiet one writes no line of level info';
    },
  ),
  row(
    'S1.5',
    'What cannot be parsed is -32700, what is no request -32600, and ids come back as they were',
    'Sent broken JSON, a message without a method, and ids of several kinds',
    async () => {
      expect((await post('{')).json.error.code).toBe(-32700);
      expect((await post('{"jsonrpc":"2.0","id":1}')).json.error.code).toBe(-32600);
      for (const id of ['"a-1"', '7', '12345678901234567890123', '""'])
        expect((await modern('tools/list', id)).text).toContain(`"id":${id},"result"`);
      expect((await modern('tools/list', 'null')).json.error.code).toBe(-32600);
      return '-32700 and -32600; texts and numbers digit for digit; null is no id in MCP and refused';
    },
  ),
  row(
    'S1.6',
    'A tool is named by params.name of tools/call and never by the method',
    'Called a tool both ways',
    async () => {
      expect((await call('getPet', { petId: 1 })).result.structuredContent).toMatchObject({ name: 'Rex' });
      expect((await client('api__getPet', { petId: 1 })).error.code).toBe(-32601);
      return 'the tool answers; as a method it is -32601';
    },
  ),
  row(
    'S1.7',
    'Arguments of every type are bound and checked; problems name field, keyword and what was expected',
    'Sent text, number, list, object and null, right and wrong',
    async () => {
      const good = { name: 'Mia', kind: 'cat', marks: ['a'], age: null, owner: { email: 'a@b.example', phone: null } };
      expect((await call('addPet', { body: good })).result.isError).not.toBe(true);
      expect(JSON.parse(last().body)).toEqual(good);
      const wrong: readonly (readonly [object, string, string])[] = [
        [{ name: 'M' }, '/body/name', 'minLength'],
        [{ name: 7 }, '/body/name', 'type'],
        [{ kind: 'cow' }, '/body/kind', 'enum'],
        [{ kind: undefined }, '/body/kind', 'required'],
        [{ marks: [1] }, '/body/marks/0', 'type'],
        [{ owner: { email: 'x' } }, '/body/owner/email', 'format'],
      ];
      for (const [over, field, keyword] of wrong) {
        const { status, json } = await gate.send('/tools/api__addPet/execute', {
          body: { body: { ...good, ...over } },
        });
        expect(status).toBe(400);
        const problems: readonly Loose[] = json.error_context.metadata.problems;
        expect(problems.map((one) => `${one.field} ${one.keyword}`)).toContain(`${field} ${keyword}`);
      }
      return 'right ones arrive unchanged; six wrong ones are refused with field and keyword';
    },
  ),
  row(
    'S1.8',
    'Whether a tool answers at once or later makes no difference to its caller',
    'Called two tools of an embedded program, one that returns its value and one that returns it later; each also failing',
    async () => {
      const { ask } = await embedded();
      for (const args of [{ fails: false }, { fails: true }]) {
        const [atOnce, later] = [await ask('own__at_once', args), await ask('own__later', args)];
        expect(atOnce).toMatchObject(
          args.fails
            ? { result: { isError: true, content: [{ text: expect.stringContaining('no luck') }] } }
            : { result: { structuredContent: { answer: 42 } } },
        );
        expect(comparable(later)).toEqual(comparable(atOnce));
      }
      return 'equal results, and equal failures';
    },
  ),
  row(
    'S1.9',
    'Results are content, structured content and isError',
    'Called an operation that works and one that fails',
    async () => {
      const { result } = await call('getPet', { petId: 2 });
      expect(result.structuredContent).toEqual({ id: 2, name: 'Tom' });
      expect(result.content[0].text).toContain('Tom');
      expect(Object.keys(result)).not.toContain('tool_output');
      expect((await call('getPet', { petId: 99 })).result.isError).toBe(true);
      return 'text and structured content; isError on failure';
    },
  ),
  row(
    'S1.10',
    'All kinds of MCP content; large bytes become a link that the gateway serves',
    'Called operations that send an image, a sound and 3 MB, and read the link',
    async () => {
      const first = async (name: string): Promise<Loose> =>
        (await call(name)).result.content.find((one: Loose) => one.type !== 'text');
      expect(await first('photo')).toMatchObject({ type: 'image', mimeType: 'image/png' });
      expect(await first('sound')).toMatchObject({ type: 'audio', mimeType: 'audio/wav' });
      const link = await first('archive');
      expect(link).toMatchObject({ type: 'resource_link', uri: expect.any(String) });
      const { result } = await client('resources/read', { uri: link.uri });
      expect(Buffer.from(result.contents[0].blob, 'base64')).toHaveLength(3_000_000);
      return 'image, audio, and a resource link from which all 3,000,000 bytes are read';
    },
  ),
  row('S1.14', 'An unknown tool is -32602', 'Called one', async () => {
    expect((await call('nothing')).error.code).toBe(-32602);
    return '-32602';
  }),
  row(
    'S1.15',
    'Arguments that do not fit are a readable result with the fields',
    'Called without an argument, and sent params that are no object',
    async () => {
      const { result } = await call('getPet', {});
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('petId') }] });
      expect((await client('tools/call', { name: 7 })).error.code).toBe(-32602);
      return 'isError with the field; -32602 only for malformed params';
    },
  ),
  row(
    'S1.16',
    'A failed execution is a result with isError and an explanation',
    'Asked for a pet that the service does not have',
    async () => {
      const { result } = await call('getPet', { petId: 99 });
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/HTTP 404.*no pet 99/s) }],
      });
      return 'status 404 and the text of the service';
    },
  ),
  row(
    'S1.17',
    'An internal fault is -32603 and shows nothing of the inside',
    'Called a tool of an embedded program that throws; looked for traces of the inside in the answers of failing calls',
    async () => {
      const { ask, rest } = await embedded();
      const [thrown, answer] = [await ask('own__throws'), await rest('own__throws')];
      expect([thrown.error.code, answer.status]).toEqual([-32603, 500]);
      expect(JSON.stringify([thrown, answer])).not.toMatch(/hunter2|\/etc\/|Error:|at /);
      const answers = [
        await call('nothing'),
        await call('getPet', { petId: 99 }),
        await call('getPet', {}),
        await post('{'),
      ];
      expect(JSON.stringify(answers)).not.toMatch(/node_modules|at \w+ \(|\.js:\d+|\/dist\//);
      return '-32603, and 500 over REST, without the message of the exception; no path and no stack anywhere';
    },
  ),
  row(
    'S1.18',
    'Every call is validated, authorised, limited, sanitised and recorded',
    'Sent a wrong argument, no key, one call too many and a hidden character; read the audit log',
    async () => {
      expect((await gate.send('/tools/api__getPet/execute', { body: { petId: 'x' } })).status).toBe(400);
      expect(
        (await gate.send('/tools/api__getPet/execute', { body: { petId: 1 }, headers: { authorization: 'Bearer no' } }))
          .status,
      ).toBe(401);
      const statuses: number[] = [];
      for (let time = 0; time < 5; time += 1)
        statuses.push((await other.send('/tools/api__getPet/execute', { body: { petId: 1 } })).status);
      expect(statuses).toContain(429);
      expect(JSON.stringify((await call('hidden')).result.content)).not.toContain('\u202e');
      await call('getPet', { petId: 1 });
      const { out } = await toolgate(place, ['audit', '--json']);
      const codes = out
        .split('\n')
        .filter((line) => line.includes('"api__getPet"'))
        .map((line) => /"code":"([a-z_]+)"/.exec(line)?.[1] ?? 'none');
      expect(codes).toEqual(expect.arrayContaining(['none', 'invalid_arguments']));
      return '400, 401, 429, no hidden character, and a record of the call and of the refusal';
    },
  ),
  row(
    'S1.19',
    'A sensitive call waits for a person, bound to caller, tool and arguments, once',
    'Called over REST with the key of an agent, approved as the operator, and sent it again twice and by another caller',
    async () => {
      const asAgent = { authorization: `Bearer ${agent}` };
      const wipe = (headers: Record<string, string> = asAgent) =>
        gate.send('/tools/api__wipe/execute', { body: {}, headers });
      service.forget();
      const waits = await wipe();
      expect(waits).toMatchObject({ status: 409, json: { error_type: 'confirmation_required' } });
      const { ticket } = waits.json.error_context.metadata;
      expect((await gate.send(`/approvals/${ticket}/approve`, { method: 'POST', headers: asAgent })).status).toBe(403);
      expect((await gate.send(`/approvals/${ticket}/approve`, { method: 'POST' })).status).toBe(200);
      expect((await wipe({ 'toolgate-ticket': ticket })).status).toBe(400);
      expect(service.requests).toHaveLength(0);
      expect((await wipe({ ...asAgent, 'toolgate-ticket': ticket })).status).toBe(200);
      expect((await wipe({ ...asAgent, 'toolgate-ticket': ticket })).status).toBe(400);
      expect(service.requests).toHaveLength(1);
      return '409 with a ticket; the caller cannot approve it, another caller cannot use it, and it works once';
    },
  ),
  row('S1.25', 'Other methods are 405, other types 415, other answers 406', 'Sent each to the endpoint', async () => {
    const good = rpc('ping');
    expect((await post(good, {}, 'PUT')).status).toBe(405);
    expect((await post(good, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(good, { accept: 'text/html' })).status).toBe(406);
    expect((await (await httpClient(gate, '2025-06-18'))('ping')).result).toEqual({});
    expect(await tool('getPet')).toBeDefined();
    return '405, 415 and 406';
  }),
];
