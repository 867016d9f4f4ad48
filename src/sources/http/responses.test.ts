import { gzipSync } from 'node:zlib';
import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { aFunction, anEndpoint, aServer, aSource, called, toolOf } from '../../../test/support/functions.js';

const say =
  (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

async function both(answer: RequestListener) {
  const server = await aServer(answer);
  const { source } = aSource({ tools: [aFunction({ url: server.url }), anEndpoint({ baseUrl: server.url })] });
  return { asFunction: await called(await toolOf(source, 'f')), asEndpoint: await called(await toolOf(source, 'e')) };
}

test('a function that does not answer in JSON has failed; an endpoint may answer in text [S2.1]', async () => {
  const { asFunction, asEndpoint } = await both(say('<html>it works</html>', { 'content-type': 'text/html' }));
  expect(asFunction).toMatchObject({
    error: { code: 'upstream_error', message: 'The response is not JSON: <html>it works</html>' },
  });
  expect(asEndpoint).toMatchObject({
    kind: 'done',
    content: [{ text: '<html>it works</html>' }],
    data: { success: true, output: '<html>it works</html>' },
  });
});

test('an empty answer is null', async () => {
  const { asFunction, asEndpoint } = await both(say('', {}, 204));
  expect([asFunction, asEndpoint]).toMatchObject([
    { data: { success: true, output: null } },
    { data: { success: true, output: null } },
  ]);
});

test('an image is an image; other bytes are refused', async () => {
  expect((await both(say(Buffer.from([0x89, 0x50, 0xff]), { 'content-type': 'image/png' }))).asEndpoint).toMatchObject({
    content: [{ type: 'image', mimeType: 'image/png', data: 'iVD/' }],
  });
  const { asFunction, asEndpoint } = await both(
    say(Buffer.from([0xff, 0xfe, 0xfd]), { 'content-type': 'application/octet-stream' }),
  );
  for (const outcome of [asFunction, asEndpoint])
    expect(outcome).toMatchObject({
      error: {
        code: 'upstream_error',
        message: 'The service answered with 3 bytes that are not text in the declared charset',
      },
    });
});

test('an answer that nests without end is refused before it is read', async () => {
  const { asFunction, asEndpoint } = await both(
    say('['.repeat(100_000) + ']'.repeat(100_000), { 'content-type': 'application/json' }),
  );
  for (const outcome of [asFunction, asEndpoint])
    expect(outcome).toMatchObject({
      error: { code: 'upstream_error', message: 'The response nests deeper than 200 levels' },
    });
});

test('a small answer that unpacks to a flood is cut off [S2.5]', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1_048_576, 0x20));
  const { asFunction } = await both(say(bomb, { 'content-encoding': 'gzip' }));
  expect(asFunction).toMatchObject({ kind: 'failed', error: { code: 'output_limit' } });
});

test('a key named __proto__ in an answer is a key', async () => {
  const { asFunction } = await both(say('{"__proto__":{"isAdmin":true}}'));
  expect(JSON.stringify(asFunction)).toContain('\\"__proto__\\"');
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test('a secret that looks like a number is taken out of texts and leaves the JSON whole', async () => {
  const server = await aServer(say('{"account":123456789,"said":["id 123456789 is yours"],"123456789":1}'));
  const { source } = aSource({ secrets: ['123456789'], tools: [aFunction({ url: server.url })] });
  expect(await called(await toolOf(source, 'f'))).toMatchObject({
    data: { output: { account: 123456789, said: ['id [redacted] is yours'], '[redacted]': 1 } },
  });
});

test('numbers that a double cannot hold keep their digits, in the text and in the data', async () => {
  const body = '{"id": 12345678901234567890, "far": 1e400, "near": 0.1, "safe": 9007199254740991, "text": "1e400"}';
  const { asFunction, asEndpoint } = await both(say(body, { 'content-type': 'application/json' }));
  for (const outcome of [asFunction, asEndpoint])
    expect(outcome).toMatchObject({
      content: [{ text: body }],
      data: {
        output: { id: '12345678901234567890', far: '1e400', near: 0.1, safe: 9_007_199_254_740_991, text: '1e400' },
      },
    });
});

test.each([
  ['iso-8859-1', Buffer.from('"gr\xfc\xdfe"', 'latin1'), 'grüße'],
  ['shift_jis', Buffer.from([0x22, 0x93, 0xfa, 0x96, 0x7b, 0x22]), '日本'],
  ['utf-16le', Buffer.from('"é"', 'utf16le'), 'é'],
  ['unknown-9', Buffer.from('"é"'), 'é'],
])('text in the declared charset %s is decoded', async (charset, body, text) => {
  const { asFunction, asEndpoint } = await both(say(body, { 'content-type': `application/json; charset=${charset}` }));
  for (const outcome of [asFunction, asEndpoint]) expect(outcome).toMatchObject({ data: { output: text } });
});

test('a function may answer with an image', async () => {
  const { asFunction } = await both(say(Buffer.from([0x89, 0x50]), { 'content-type': 'image/png' }));
  expect(asFunction).toMatchObject({ kind: 'done', content: [{ type: 'image', mimeType: 'image/png', data: 'iVA=' }] });
});
