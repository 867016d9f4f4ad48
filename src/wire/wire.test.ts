import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHeaderValue, encodeHeaderValue, headerProblem, requestHeaders } from './headers.js';
import { encodeId, memberText } from './id.js';
import { lineReader } from './lines.js';
import { decode, encodeError, encodeNotification, encodeRequest, encodeResult } from './message.js';
import { readEnvelope, traceOf } from './meta.js';
import { paramHeaderProblem, paramHeaders, toParamHeaders } from './param-headers.js';
import { pendingRequests } from './pending.js';
import { sseReader } from './sse-reader.js';
import { sseEvent, ssePriming } from './sse.js';
import { negotiateVersion } from './versions.js';

const bytes = (text: string): Buffer => Buffer.from(text);

/** Cuts bytes at the given places. */
const pieces = (all: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((cut) => cut % (all.length + 1)).toSorted((a, b) => a - b), all.length];
  return at.slice(1).map((end, index) => all.subarray(at[index], end));
};

describe('messages', () => {
  test('whatever bytes come, decoding ends in a value', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        (raw) => void expect(decode(Buffer.from(raw)).kind).toBeTypeOf('string'),
      ),
    );
    fc.assert(fc.property(fc.json(), (raw) => void expect(decode(bytes(raw)).kind).toBeTypeOf('string')));
  });

  test('what is encoded is decoded to the same', () => {
    const id = fc.oneof(
      fc.string({ maxLength: 100 }),
      fc.maxSafeInteger(),
      fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
    );
    fc.assert(
      fc.property(
        id,
        fc.string({ minLength: 1, maxLength: 50 }),
        fc.dictionary(fc.string(), fc.string()),
        (given, method, params) => {
          const expected =
            typeof given === 'bigint' && given >= Number.MIN_SAFE_INTEGER && given <= Number.MAX_SAFE_INTEGER
              ? Number(given)
              : given;
          expect(decode(bytes(encodeRequest(given, method, params)))).toEqual({
            kind: 'request',
            id: Object.is(expected, -0) ? 0 : expected,
            method,
            params: JSON.parse(JSON.stringify(params)),
          });
          expect(decode(bytes(encodeNotification(method)))).toEqual({ kind: 'notification', method, params: {} });
          expect(decode(bytes(encodeResult(given, '{"a":1}')))).toMatchObject({
            kind: 'response',
            reply: { result: { a: 1 } },
          });
          expect(decode(bytes(encodeError(given, { code: -1, message: 'm' })))).toMatchObject({
            kind: 'response',
            reply: { error: { code: -1, message: 'm' } },
          });
        },
      ),
    );
  });

  test('the text of an id is found where the parser would find it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 20n, max: 10n ** 40n }), fc.json(), fc.json(), (id, before, after) => {
        const text = `{"a":${before},"\\u0069d" : 1, "id":  ${id} ,"z":{"id":${after}},"y":"\\"id\\":5"}`;
        expect(memberText(text, 'id')).toBe(String(id));
      }),
    );
    expect(memberText('{"id":1,"id":99999999999999999999}', 'id')).toBe('99999999999999999999');
  });

  test.each([
    ['a response with both', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}'],
    ['a response with neither', '{"jsonrpc":"2.0","id":1}'],
    ['params that are an array', '{"jsonrpc":"2.0","id":1,"method":"a","params":[]}'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"a"}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['an endless method', `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(300)}"}`],
  ])('%s is invalid and keeps its id', (_name, text) => {
    expect(decode(bytes(text))).toMatchObject({ kind: 'invalid', id: 1, error: { code: -32600 } });
  });

  test('bytes that are not UTF-8 are not guessed at', () => {
    expect(decode(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ kind: 'invalid', error: { code: -32700 } });
  });

  test('a batch has a limit', () => {
    const batch = (size: number): string =>
      `[${Array.from({ length: size }, () => '{"jsonrpc":"2.0","method":"n"}').join(',')}]`;
    expect(decode(bytes(batch(64)))).toMatchObject({ kind: 'batch' });
    expect(decode(bytes(batch(65)))).toMatchObject({ kind: 'invalid' });
  });
});

describe('headers', () => {
  test('any value survives a header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const header = encodeHeaderValue(value);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(header.trim()).toBe(header);
        expect(decodeHeaderValue(header)).toBe(Buffer.from(value).toString());
      }),
    );
  });

  test.each(['=?base64?A?=', '=?base64?AAA?=', '=?base64?AA==AA==?=', '=?base64?_w==?=', '=?base64?/w==?='])(
    '%s is refused as base64 of UTF-8',
    (header) => {
      expect(decodeHeaderValue(header)).toBeUndefined();
    },
  );

  test('what a client sends is what a server wants', () => {
    fc.assert(
      fc.property(fc.constantFrom('tools/call', 'prompts/get', 'tools/list'), fc.string(), (method, name) => {
        const params = { name };
        expect(headerProblem(requestHeaders(method, params, 'v'), method, params, 'v')).toBeUndefined();
        expect(
          headerProblem(requestHeaders(method, params, 'v'), method, { name: `${name}!` }, 'v') === undefined,
        ).toBe(method === 'tools/list');
      }),
    );
  });

  test.each([
    ['tools/call', { name: 'echo' }],
    ['prompts/get', { name: 'greet' }],
    ['resources/read', { uri: 'a://b' }],
    ['tasks/cancel', { taskId: 't' }],
  ] as const)('%s without its Mcp-Name header contradicts the body', (method, params) => {
    const { 'mcp-name': name, ...headers } = requestHeaders(method, params, 'v');
    expect(name).toBe(Object.values(params)[0]);
    expect(headerProblem(headers, method, params, 'v')).toBe('The Mcp-Name header is missing');
  });

  test('a header given twice names nothing', () => {
    expect(
      headerProblem({ 'mcp-protocol-version': 'v', 'mcp-method': ['tools/list', 'tools/list'] }, 'tools/list', {}, 'v'),
    ).toMatch(/missing/);
  });

  const declared =
    paramHeaders({
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
      },
    }) ?? [];

  test('declared arguments are mirrored and compared, integers as numbers', () => {
    const args = { region: ' Köln ', deep: { n: 7 } };
    expect(paramHeaderProblem(declared, toParamHeaders(declared, args), args)).toBeUndefined();
    expect(
      paramHeaderProblem(declared, { ...toParamHeaders(declared, args), 'mcp-param-n': '7.0' }, args),
    ).toBeUndefined();
    expect(paramHeaderProblem(declared, { 'mcp-param-n': '8' }, { deep: { n: 7 } })).toMatch(/differs/);
    expect(paramHeaderProblem(declared, {}, args)).toMatch(/missing/);
    expect(paramHeaderProblem(declared, { 'mcp-param-region': 'x' }, { region: null })).toMatch(/no matching argument/);
    expect(paramHeaderProblem(declared, {}, { region: null })).toBeUndefined();
  });

  test.each([
    ['a name with a space', { a: { type: 'string', 'x-mcp-header': 'a b' } }],
    ['a number', { a: { type: 'number', 'x-mcp-header': 'A' } }],
    [
      'the same name in another case',
      { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
    ],
    ['an empty name', { a: { type: 'string', 'x-mcp-header': '' } }],
  ])('%s makes the declarations void', (_name, properties) => {
    expect(paramHeaders({ properties })).toBeUndefined();
  });
});

describe('streams of bytes', () => {
  test('events are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.json(), { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        (datas, cuts, newline) => {
          const all = bytes(
            datas
              .map((data, at) => sseEvent(data, `s_${at}`))
              .join('')
              .replaceAll('\n', newline) + (newline === '\r' ? ':' : ''),
          );
          const reader = sseReader(100_000);
          const events = pieces(all, cuts).flatMap((piece) => reader.push(piece) ?? []);
          expect(events).toEqual(datas.map((data, at) => ({ event: 'message', data, id: `s_${at}` })));
        },
      ),
    );
  });

  test('a priming event names where to come back and when', () => {
    const reader = sseReader(1_000);
    expect(reader.push(bytes(ssePriming('s_0', 500)))).toEqual([{ event: 'message', data: '', id: 's_0' }]);
    expect(reader.last).toEqual({ id: 's_0', retryMs: 500 });
  });

  test('an event that never ends is given up at the limit', () => {
    const reader = sseReader(100);
    expect(reader.push(bytes(`data: ${'x'.repeat(80)}\n`))).toEqual([]);
    expect(reader.push(bytes(`data: ${'x'.repeat(80)}\n`))).toBeUndefined();
    expect(reader.push(bytes('\n'))).toBeUndefined();
  });

  test('lines are the same however the bytes are cut', () => {
    const line = fc.string({ minLength: 1, maxLength: 30 }).map((text) => text.replaceAll(/[\r\n]/g, '') || 'x');
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        (lines, cuts, newline) => {
          const reader = lineReader(1_000);
          const read = pieces(bytes(lines.map((each) => each + newline).join('')), cuts).flatMap((piece) =>
            reader.push(piece).map(String),
          );
          expect(read).toEqual(lines);
        },
      ),
    );
  });

  test('a line past the limit is skipped and reported once, and the next one is whole', () => {
    const reader = lineReader(10);
    const read = ['x'.repeat(8), 'x'.repeat(8), `x\nnext\n${'y'.repeat(11)}\nlast`].flatMap((piece) =>
      reader.push(bytes(piece)).map((line) => (Buffer.isBuffer(line) ? String(line) : line)),
    );
    expect(read).toEqual([
      { head: 'x'.repeat(16), tail: 'x'.repeat(17) },
      'next',
      { head: 'y'.repeat(11), tail: 'y'.repeat(11) },
    ]);
    expect(String(reader.end())).toBe('last');
  });
});

describe('requests of ours', () => {
  test('an answer reaches the request it belongs to, and only once', async () => {
    const sent: string[] = [];
    const pending = pendingRequests((text) => void sent.push(text));
    const asked = pending.ask('roots/list', undefined, { timeoutMs: 1_000 });
    const id = JSON.parse(sent[0] ?? '').id;
    expect(pending.settle({ id: `${id}`, reply: { result: {} } })).toBe(false);
    expect(pending.settle({ id, reply: { result: { roots: [] } } })).toBe(true);
    expect(pending.settle({ id, reply: { result: {} } })).toBe(false);
    expect(await asked).toEqual({ result: { roots: [] } });
  });

  test('a request that stops waiting notifies the other side', async () => {
    const sent: string[] = [];
    const pending = pendingRequests((text) => void sent.push(text));
    const stop = new AbortController();
    const asked = pending.ask('a', undefined, { timeoutMs: 60_000, signal: stop.signal });
    const late = pending.ask('b', undefined, { timeoutMs: 1 });
    stop.abort();
    expect(await asked).toMatchObject({ failure: { kind: 'cancelled' } });
    expect(await late).toMatchObject({ failure: { kind: 'timeout' } });
    expect(sent.filter((text) => text.includes('notifications/cancelled'))).toHaveLength(2);
    expect(pending.size).toBe(0);
  });

  test('a peer that is gone fails everything that waits; too many waits are refused', async () => {
    const pending = pendingRequests(() => {}, 1);
    const asked = pending.ask('a', undefined, { timeoutMs: 60_000 });
    expect(await pending.ask('b', undefined, { timeoutMs: 60_000 })).toMatchObject({
      failure: { kind: 'busy' },
    });
    pending.fail({ kind: 'connection', message: 'gone' });
    expect(await asked).toEqual({ failure: { kind: 'connection', message: 'gone' } });
  });
});

test.each([
  ['2024-11-05', '2024-11-05'],
  ['2026-07-28', '2025-11-25'],
  ['1999-01-01', '2025-11-25'],
  [undefined, '2025-11-25'],
  [{}, '2025-11-25'],
])('initialize asking for %j is answered with %s', (asked, given) => {
  expect(negotiateVersion(asked)).toBe(given);
});

test('a trace is taken only where it is one', () => {
  const good = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  expect(traceOf({ _meta: { traceparent: good, tracestate: 'a=b' } })).toEqual({
    traceparent: good,
    tracestate: 'a=b',
  });
  expect(traceOf({ _meta: { traceparent: `${good}\r\nx: y` } })).toBeUndefined();
  expect(traceOf({ _meta: { traceparent: good, tracestate: 'a\nb' } })).toEqual({ traceparent: good });
});

test('an envelope with a log level that is none is refused', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'loud',
  };
  expect(readEnvelope({ _meta: meta })).toMatchObject({ code: -32602 });
});

test('an id is text that JSON reads back as it was', () => {
  expect([encodeId('a"\n'), encodeId(-7), encodeId(12345678901234567890n)]).toEqual([
    '"a\\"\\n"',
    '-7',
    '12345678901234567890',
  ]);
});

describe('a stream of an untrusted peer', () => {
  const pushed = (pieces: Iterable<string>, max = 16 * 1024 * 1024): boolean => {
    const reader = sseReader(max);
    for (const piece of pieces) if (reader.push(Buffer.from(piece)) === undefined) return false;
    return true;
  };
  function* times(count: number, text: string): Generator<string> {
    for (let at = 0; at < count; at += 1) yield text;
  }

  test('cannot fill the memory with lines that hold nothing', () => {
    expect(pushed(times(20_000, 'data:\n'), 100_000)).toBe(false);
    expect(pushed(times(20_000, ':\n'), 100_000)).toBe(true);
  });

  test('costs no more than its length where an event comes in many pieces', () => {
    // The least of some runs: a garbage collection of other tests may fall into one of them.
    const cpuOf = (pieces: number): number =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const before = process.cpuUsage();
          expect(pushed(times(pieces, 'x'.repeat(4_096)))).toBe(true);
          const { user, system } = process.cpuUsage(before);
          return user + system;
        }),
      );
    cpuOf(400);
    // Eight times as much takes sixty-four times as long where each piece is joined to all before it.
    expect(cpuOf(3_200) / cpuOf(400)).toBeLessThan(32);
  });

  test('has an id too long for a header ignored', () => {
    const reader = sseReader(100_000);
    reader.push(Buffer.from(`id: ok\ndata: a\n\nid: ${'x'.repeat(2_000)}\ndata: b\n\n`));
    expect(reader.last.id).toBe('ok');
  });

  test('is read the same wherever a line end is cut', () => {
    const text = 'event: e\r\ndata: a\r\ndata: b\r\n\r\ndata: c\rdata: d\r\rdata: e\n\n';
    const whole = sseReader(1_000).push(Buffer.from(text));
    const reader = sseReader(1_000);
    expect([...text].flatMap((char) => reader.push(Buffer.from(char)) ?? [])).toEqual(whole);
    expect(whole?.map(({ data }) => data)).toEqual(['a\nb', 'c\nd', 'e']);
  });
});
