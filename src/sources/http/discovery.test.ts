import { expect, test } from 'vitest';
import { aFunction, aServer, aSource, called, json, toolOf } from '../../../test/support/functions.js';
import { deferred, never } from '../../../test/support/make.js';

const functions = [
  {
    name: 'add',
    description: 'Adds two numbers',
    parameters: [
      { name: 'a', type: 'integer', required: true },
      { name: 'b', type: 'number', required: false },
    ],
  },
  { name: 'now' },
];
const discover = (url: string) => ({ url, category: 'mcp', headers: {} });

test('a function server is asked for its functions, and each becomes a tool that calls it [S2.22]', async () => {
  const server = await aServer(json({ functions }), json(3));
  const { source } = aSource({ id: 'calc', prefix: true, discover: discover(server.url) });
  const tools = await source.list(never);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ function: 'list_functions', args: {} });
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['calc__add', 'Adds two numbers'],
    ['calc__now', 'MCP remote function'],
  ]);
  expect(tools[0]?.input.schema).toMatchObject({
    properties: { a: { type: 'integer' }, b: { type: 'number' } },
    required: ['a'],
    additionalProperties: false,
  });
  expect(await called(tools[0]!, { a: 1, b: 2 })).toMatchObject({ data: { output: 3 } });
  expect(JSON.parse(server.requests[1]?.body ?? '')).toEqual({ function: 'add', args: { a: 1, b: 2 } });
});

test('an unknown function is the error that the server returns [S2.22] [S2.21]', async () => {
  const server = await aServer(json({ functions }), (_request, response) =>
    response.writeHead(400).end('Unknown function: add'),
  );
  const { source } = aSource({ discover: discover(server.url) });
  expect(await called(await toolOf(source, 'add'), { a: 1 })).toMatchObject({
    error: { code: 'upstream_error', message: 'HTTP error 400: Unknown function: add' },
  });
});

test('descriptions from a function server are untrusted: hostile entries are left out with a reason, text is cleaned, the rest load', async () => {
  const server = await aServer(
    json({
      functions: [
        {
          name: 'good',
          description: 'fine\u202e\u200b\u001b[2J',
          parameters: [{ name: 'x', type: 'string', description: 'a\u0000b' }],
        },
        { name: 'bad name; rm -rf /' },
        { name: '__proto__' },
        { description: 'none' },
        'text',
        null,
        { name: 'p1', parameters: [{ name: '__proto__' }] },
        { name: 'p2', parameters: [{ name: 'x', type: 'constructor' }] },
        { name: 'p3', parameters: 'x' },
        { name: 'good' },
      ],
    }),
  );
  const { source } = aSource({ discover: discover(server.url) });
  const tools = await source.list(never);
  expect(tools.map(({ name }) => name)).toEqual(['good']);
  expect(JSON.stringify(tools[0])).not.toMatch(/\\u202e|\\u001b|\\u0000|\u202e|\u200b/);
  expect(source.withheld?.().map(({ why }) => why)).toEqual([
    'the name is not 1 to 128 letters, digits or _ . : / -',
    'the name is not 1 to 128 letters, digits or _ . : / -',
    'it has no name',
    'it has no name',
    'it has no name',
    'a parameter has no usable name',
    expect.stringContaining('the type of parameter x is not one of'),
    expect.stringContaining('parameters is not a list'),
    'it is listed twice',
  ]);
});

test.each([
  ['no list', json({ functions: 'x' }), 'list_functions did not return {"functions": […]}'],
  [
    'no JSON',
    (_: unknown, response: { end(text: string): void }) => response.end('<html>'),
    'list_functions did not return',
  ],
  ['an error', json({ reason: 'down' }, 500), 'list_functions failed: HTTP error 500: {"reason":"down"}'],
])('a server that answers with %s is reported, and tools that were written down work', async (_, answer, why) => {
  const server = await aServer(answer);
  const { source } = aSource({ discover: discover(server.url), tools: [aFunction({ url: server.url })] });
  expect((await source.list(never)).map(({ name }) => name)).toEqual(['f']);
  expect(source.withheld?.()).toEqual([{ what: 'list_functions', why: expect.stringContaining(why) }]);
  expect(source.health?.().status).toBe('degraded');
});

test('a server that was down is asked again, and what it offered last stays meanwhile', async () => {
  const server = await aServer(
    json({ functions }),
    json({}, 500),
    json({ functions: [...functions, { name: 'third' }] }),
  );
  const { source } = aSource({ discover: discover(server.url), rediscoverMs: 1 });
  expect(await source.list(never)).toHaveLength(2);
  const changed = deferred<void>();
  source.onChange?.(() => changed.resolve());
  expect(await source.list(never)).toHaveLength(2);
  await changed.promise;
  expect(await source.list(never)).toHaveLength(3);
  expect(source.health?.().status).toBe('healthy');
});

test('a flood of functions is cut', async () => {
  const server = await aServer(json({ functions: Array.from({ length: 2_000 }, (_, at) => ({ name: `f${at}` })) }));
  const { source } = aSource({ discover: discover(server.url) });
  expect(await source.list(never)).toHaveLength(500);
  expect(source.withheld?.()[0]?.why).toContain('2000 functions are listed');
});

test('a server that puts our credential into its descriptions does not get it into the list [S2.18]', async () => {
  const server = await aServer((request, response) =>
    response.end(
      JSON.stringify({ functions: [{ name: 'f', description: `call me with ${request.headers.authorization}` }] }),
    ),
  );
  const { source } = aSource({
    secrets: ['Bearer tok-81f3c0'],
    discover: {
      ...discover(server.url),
      headers: { Authorization: { value: 'Bearer tok-81f3c0', masked: 'Bearer $T' } },
    },
  });
  expect((await source.list(never))[0]?.description).toBe('call me with [redacted]');
});
