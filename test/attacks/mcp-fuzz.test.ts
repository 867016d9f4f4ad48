import { connect } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { done } from '../../src/core/outcome.js';
import { ada, aTool } from '../support/make.js';
import { aDoor, envelope, modernVersion, piped, sourceOf } from '../support/mcp.js';
import { legacyVersions } from '../../src/wire/versions.js';

const runs = 150;
const methods = [
  'tools/call',
  'tools/list',
  'prompts/get',
  'resources/read',
  'server/discover',
  'initialize',
  'ping',
  'tasks/get',
  'completion/complete',
  'logging/setLevel',
  'notifications/cancelled',
  '__proto__',
  '',
];
const value = fc.oneof(
  { maxDepth: 2 },
  fc.jsonValue(),
  fc.constant(null),
  fc.constantFrom('echo', '2026-07-28', '__proto__', 'constructor'),
);
const meta = fc.oneof(
  fc.constant(envelope()),
  fc.record(
    {
      'io.modelcontextprotocol/protocolVersion': value,
      'io.modelcontextprotocol/clientCapabilities': value,
      progressToken: value,
    },
    { requiredKeys: [] },
  ),
  value,
);
const params = fc.oneof(
  value,
  fc.record(
    {
      name: value,
      arguments: value,
      uri: value,
      cursor: value,
      ref: value,
      argument: value,
      taskId: value,
      task: value,
      inputResponses: value,
      requestState: value,
      _meta: meta,
    },
    { requiredKeys: [] },
  ),
);
const message = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant('2.0'), value),
    id: fc.oneof(fc.integer(), fc.string(), value),
    method: fc.oneof(fc.constantFrom(...methods), value),
    params,
    result: value,
    error: value,
  },
  { requiredKeys: [] },
);
const header = fc.oneof(
  fc.constantFrom(modernVersion, ...legacyVersions, 'tools/call', 'echo', '=?base64?%%?=', '*/*', 'application/json'),
  fc.string({ unit: fc.constantFrom(...'abc=?&;,/ -"'), maxLength: 20 }),
);
const headers = fc.record(
  {
    'mcp-protocol-version': header,
    'mcp-method': header,
    'mcp-name': header,
    'mcp-session-id': header,
    'last-event-id': header,
    accept: header,
  },
  { requiredKeys: [] },
);

const calm = (): ReturnType<typeof aTool> =>
  aTool({ limits: { ratePerMinute: 0, concurrency: 64 }, run: async (call) => done(String(call.args['text'])) });

/** An answer is a refusal or a result in the form of JSON-RPC, with nothing of our insides. */
function decent(status: number, text: string): void {
  expect([200, 202, 400, 404, 405, 406]).toContain(status);
  expect(text).not.toMatch(/node_modules|\.[jt]s:\d+| at .+\(/);
  if (text === '' || text.startsWith(':') || text.includes('data: ')) return;
  for (const answer of [JSON.parse(text)].flat()) {
    expect(answer.jsonrpc).toBe('2.0');
    expect('result' in answer !== 'error' in answer).toBe(true);
  }
}

test(
  'whatever JSON-RPC and headers come over HTTP, the answer is decent and the door stays open',
  { timeout: 120_000 },
  async () => {
    const { raw, modern, faults, session } = await aDoor([sourceOf([calm()])]);
    const { headers: inSession } = await session('2025-03-26');
    const body = fc.oneof(message, fc.array(message, { maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(body, headers, fc.boolean(), async (sent, odd, known) => {
        const base = known
          ? inSession
          : { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        const stop = AbortSignal.timeout(2_000);
        const { status, text } = await raw('POST', { ...base, ...odd }, JSON.stringify(sent), stop);
        // Only a subscription may go on; nothing here asks for one.
        expect(stop.aborted).toBe(false);
        decent(status, text);
      }),
      { numRuns: runs },
    );
    expect(faults).toEqual([]);
    expect(
      (await modern('tools/call', { name: 'echo', arguments: { text: 'still here' } })).json.result.content[0].text,
    ).toBe('still here');
  },
);

test(
  'bodies that were cut or changed in a byte are refused or served, never anything else',
  { timeout: 120_000 },
  async () => {
    const { raw, faults } = await aDoor([sourceOf([calm()])]);
    const good = Buffer.from(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'é' }, _meta: envelope() },
      }),
    );
    const sent = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernVersion,
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    };
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: good.length }),
        fc.nat({ max: good.length - 1 }),
        fc.nat({ max: 255 }),
        async (cut, at, byte) => {
          const changed = Buffer.from(good);
          changed[at] = byte;
          for (const body of [good.subarray(0, cut), changed]) {
            const { status, text } = await raw('POST', sent, body);
            decent(status, text);
          }
        },
      ),
      { numRuns: runs },
    );
    expect(faults).toEqual([]);
  },
);

test('GET and DELETE with odd headers are answered', { timeout: 60_000 }, async () => {
  const { raw, faults } = await aDoor([sourceOf([calm()])]);
  await fc.assert(
    fc.asyncProperty(headers, fc.constantFrom('GET', 'DELETE'), async (odd, method) => {
      const { status, text } = await raw(method, odd, '', AbortSignal.timeout(2_000));
      expect(status).toBeGreaterThanOrEqual(400);
      decent(status, text);
    }),
    { numRuns: 60 },
  );
  expect(faults).toEqual([]);
});

/** Sends raw bytes to the listener and resolves with all that comes back until it closes or is quiet after the last answer. */
const bytesTo = (
  port: number,
  chunks: readonly Buffer[],
  until: (text: string) => boolean,
  end = false,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', async () => {
      for (const chunk of chunks) {
        socket.write(chunk);
        await new Promise((tick) => setImmediate(tick));
      }
      if (end) socket.end();
    });
    let text = '';
    const finish = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (until(text)) finish();
    });
    socket
      .on('close', finish)
      .on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? finish() : reject(error)));
  });

const http = (id: number): string => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: `n${id}` }, _meta: envelope() },
  });
  return `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ada-token\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: ${modernVersion}\r\nmcp-method: tools/call\r\nmcp-name: echo\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

test('requests that were pipelined and cut anywhere are answered in order', async () => {
  const { port } = await aDoor([sourceOf([calm()])]);
  const all = Buffer.from([1, 2, 3].map(http).join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: all.length }), { maxLength: 5 }), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), all.length];
      const text = await bytesTo(
        port,
        at.slice(1).map((end, index) => all.subarray(at[index], end)),
        (so) => so.includes('"n3"'),
      );
      expect([...text.matchAll(/"text":"n(\d)"/g)].map(([, number]) => number)).toEqual(['1', '2', '3']);
    }),
    { numRuns: 20 },
  );
});

test('a sender that stops half way, or leaves before its answer, does no harm', async () => {
  const { port, modern, faults } = await aDoor([sourceOf([calm()])]);
  const whole = Buffer.from(http(1));
  const half = Array.from({ length: 20 }, (_, at) =>
    bytesTo(port, [whole.subarray(0, Math.floor((whole.length * at) / 20))], () => false, true),
  );
  const gone = Array.from(
    { length: 20 },
    () =>
      new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write(whole, () => {
            socket.resetAndDestroy();
            resolve();
          }),
        );
      }),
  );
  await Promise.all([...half, ...gone]);
  expect((await modern('tools/call', { name: 'echo', arguments: { text: 'fine' } })).json.result.content[0].text).toBe(
    'fine',
  );
  expect(faults).toEqual([]);
});

test('whatever lines come over a pipe, both eras mixed, the pipe goes on', { timeout: 60_000 }, async () => {
  const { write, call, initialize, faults, messages } = await piped([sourceOf([calm()])]);
  await initialize('2025-03-26');
  const line = fc.oneof(
    message.map((each) => JSON.stringify(each)),
    fc.array(message, { maxLength: 3 }).map((each) => JSON.stringify(each)),
    fc.string().map((text) => text.replaceAll('\n', ' ')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), fc.uuid(), async (lines, id) => {
      for (const each of lines) write(each);
      expect((await call('ping', {}, id)).result).toEqual({});
    }),
    { numRuns: runs },
  );
  expect(faults).toEqual([]);
  for (const sent of messages.flat()) expect(sent.jsonrpc).toBe('2.0');
});

test(
  '200 clients with the same ids get their own answers and no other’s [CVE-2026-25536]',
  { timeout: 120_000 },
  async () => {
    const tool = aTool({
      limits: { ratePerMinute: 0, concurrency: 256, queue: 2_000, queueTimeoutMs: 60_000 },
      run: async (call) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
        call.back?.progress?.({ progress: 1, message: `p ${String(call.args['text'])}` });
        return done(`${call.principal.id} ${String(call.args['text'])}`);
      },
    });
    const { session, modern } = await aDoor([sourceOf([tool])]);
    const clients = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const as = at % 2 === 0 ? ada.id : 'bob';
        if (at % 3 === 0)
          return {
            as,
            at,
            ask: (params: object, meta: object) =>
              modern('tools/call', params as never, { id: 1, as, meta: meta as never }),
          };
        const { send } = await session(legacyVersions[at % legacyVersions.length], {}, as);
        return {
          as,
          at,
          ask: (params: object, meta: object) =>
            send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta } }),
        };
      }),
    );
    await Promise.all(
      clients.map(async ({ as, at, ask }) => {
        for (let round = 0; round < 5; round += 1) {
          const text = `client ${at} round ${round}`;
          // With progress the answer is streamed, without it is one JSON text.
          const { messages } = await ask(
            { name: 'echo', arguments: { text } },
            round % 2 === 0 ? { progressToken: 1 } : {},
          );
          const answer = messages.at(-1);
          expect([answer.id, answer.result.content[0].text]).toEqual([1, `${as} ${text}`]);
          for (const note of messages.slice(0, -1))
            if (note.params.message !== undefined) expect(note.params.message).toBe(`p ${text}`);
        }
      }),
    );
  },
);
