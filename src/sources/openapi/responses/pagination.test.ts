import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { loadedApi, oneOperation } from '../../../../test/support/openapi.js';
import { recordingServer, type RecordingServer } from '../../../../test/support/recording-server.js';

const listing = (name = 'page') =>
  oneOperation({
    parameters: [
      { name, in: 'query', schema: { type: 'string' } },
      { name: 'q', in: 'query', schema: { type: 'string' } },
    ],
    responses: { 200: { description: 'ok', headers: { Link: {} } } },
  });

describe('answers in pages', () => {
  let server: RecordingServer | undefined;
  afterEach(() => server?.close());
  const api = async (answer: RequestListener, document = listing(), budgets = {}) => {
    server = await recordingServer({ answer });
    return loadedApi(document, { baseUrl: `http://127.0.0.1:${server.port}/v1`, budgets });
  };
  const pageOf = (url: string | undefined) => Number(new URL(url ?? '/', 'http://x').searchParams.get('page') ?? '1');
  const linked: RequestListener = (request, response) => {
    const page = pageOf(request.url);
    if (page < 5) response.setHeader('link', `</v1/x?q=a&page=${page + 1}>; rel="next", </v1/x?page=5>; rel="last"`);
    response.setHeader('content-type', 'application/json').end(JSON.stringify([page]));
  };

  test('one page is one request unless more are asked for', async () => {
    const loaded = await api(linked);
    expect(await loaded.call({ q: 'a' })).toMatchObject({ data: [1] });
    expect(server?.requests).toHaveLength(1);
  });

  test('Link headers are followed as far as asked, and the lists joined', async () => {
    const loaded = await api(linked);
    expect(await loaded.call({ q: 'a', follow_pages: 3 })).toMatchObject({
      data: [1, 2, 3],
      meta: { 'toolgate/pages': { followed: 3, stopped: 'page limit reached' } },
    });
    expect(await loaded.call({ follow_pages: 50 })).toMatchObject({
      data: [1, 2, 3, 4, 5],
      meta: { 'toolgate/pages': { followed: 5, stopped: 'no further page' } },
    });
    expect(server?.requests.map(({ url }) => url).slice(0, 3)).toEqual([
      '/v1/x?q=a',
      '/v1/x?q=a&page=2',
      '/v1/x?q=a&page=3',
    ]);
  });

  test('cursors in the answer are followed', async () => {
    const loaded = await api((request, response) => {
      const cursor = new URL(request.url ?? '/', 'http://x').searchParams.get('cursor');
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ data: [cursor ?? 'first'], meta: { next_cursor: cursor === 'b c' ? null : 'b c' } }));
    }, listing('cursor'));
    expect(await loaded.call({ q: 'a', follow_pages: 9 })).toMatchObject({
      data: { data: ['first', 'b c'], meta: { next_cursor: null } },
    });
  });

  test.each([
    'http://127.0.0.1:1/v1/x?page=2',
    '/v1/admin?page=2',
    '/v1/x/../../admin',
    'http://user@127.0.0.1/v1/x?page=2',
    '//evil.test/v1/x',
  ])('a next page at %s is not followed: it is another operation', async (next) => {
    const loaded = await api(
      (_, response) =>
        void response.setHeader('link', `<${next}>; rel=next`).setHeader('content-type', 'application/json').end('[1]'),
    );
    expect(await loaded.call({ follow_pages: 5 })).toMatchObject({ data: [1] });
    expect(server?.requests).toHaveLength(1);
  });

  test('pages that never end stop at the byte budget, and a page seen before stops at once', async () => {
    const endless = await api(
      (request, response) =>
        void response
          .setHeader('link', `<?page=${pageOf(request.url) + 1}>; rel=next`)
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify(['x'.repeat(300)])),
      listing(),
      { responseBytes: 1_000 },
    );
    const outcome = await endless.call({ follow_pages: 50 });
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(server?.requests.length).toBeLessThanOrEqual(4);
    await server?.close();
    const circle = await api(
      (_, response) =>
        void response.setHeader('link', '<?page=2>; rel=next').setHeader('content-type', 'application/json').end('[1]'),
    );
    expect(await circle.call({ follow_pages: 50 })).toMatchObject({
      data: [1, 1],
      meta: { 'toolgate/pages': { stopped: 'the next page was already fetched' } },
    });
  });
});
