import { describe, expect, test } from 'vitest';
import { ada, aCall, bob, never, readAs } from '../../../../test/support/make.js';
import { eventually } from '../../../../test/support/processes.js';
import { aPlugin, callTool, said, saidJson, serverFile } from '../../../../test/support/upstream.js';

describe.each(['legacy', 'modern'] as const)('a local server of the %s era', (era) => {
  const args = ['--era', era];

  test('lists every page of its tools and answers calls [S3.1] [S3.16] [S3.21] [S3.23]', async () => {
    const source = aPlugin({ args });
    const tools = await source.list(never);
    expect(tools.map(({ name }) => name)).toContain('fix__echo');
    expect(tools.length).toBe(21);
    expect(said(await callTool(source, 'fix__echo', { text: 'hi' }))).toBe('hi');
    expect(source.state()).toMatchObject({
      server: { name: 'fixture', version: '1.2.3' },
      revision: era === 'modern' ? '2026-07-28' : '2025-11-25',
    });
  });

  test('keeps what it does not know: extra fields, annotations and _meta', async () => {
    const source = aPlugin({ args });
    const tools = await source.list(never);
    const echo = tools.find(({ name }) => name === 'fix__echo');
    expect(echo).toMatchObject({
      annotations: { readOnlyHint: true, vendor: 'x' },
      meta: { 'example.com/a': 1 },
      extra: { 'x-extra': 1 },
      // Stated by an untrusted server: shown to clients, never believed in decisions.
      effects: { writes: true, destroys: true },
    });
    expect(await callTool(source, 'fix__echo', { text: 'a' })).toMatchObject({
      meta: { 'example.com/b': 2 },
      extra: { 'x-result': 2 },
    });
    const seen = saidJson(
      await callTool(source, 'fix__meta', {}, { meta: { 'example.com/c': 3 }, trace: { traceparent: 'tp' } }),
    );
    expect(seen).toMatchObject({ 'example.com/c': 3, traceparent: 'tp' });
  });

  test('answers many calls at once, each to its own [CVE-2026-25536]', async () => {
    const source = aPlugin({ args });
    const tools = await source.list(never);
    const echo = tools.find(({ name }) => name === 'fix__echo');
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map((text) => echo?.run(aCall({ args: { text }, timeoutMs: 15_000 }))));
    expect(answers.map((answer) => answer && said(answer))).toEqual(texts);
  });

  test('reports progress under a token of our own', async () => {
    const source = aPlugin({ args });
    const heard: unknown[] = [];
    await callTool(source, 'fix__slow', {}, { back: { progress: (progress) => heard.push(progress) } });
    expect(heard).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
  });

  test('hands log messages to the caller who wants them', async () => {
    const source = aPlugin({ args });
    const heard: unknown[] = [];
    await callTool(source, 'fix__log', {}, { back: { log: (...message) => heard.push(message) } });
    expect(heard).toEqual([['info', 'a word', 'fixture']]);
  });

  test('is notified when a call is cancelled, and goes on working', async () => {
    const source = aPlugin({ args });
    await source.list(never);
    const hangUp = new AbortController();
    const waiting = callTool(source, 'fix__hang', {}, { signal: hangUp.signal });
    await callTool(source, 'fix__echo', { text: 'other' });
    hangUp.abort();
    expect(await waiting).toMatchObject({ kind: 'failed', error: { code: 'cancelled' } });
    expect(said(await callTool(source, 'fix__cancelled'))).toBe('1');
  });

  test('reports changes of its list', async () => {
    const source = aPlugin({ args });
    await source.list(never);
    const changed = new Promise<void>((resolve) => source.onChange?.(resolve));
    await callTool(source, 'fix__change');
    await changed;
    expect((await source.list(never)).map(({ name }) => name)).toContain('fix__added_1');
  });

  test('offers prompts, resources, templates and completions [S2.23]', async () => {
    const source = aPlugin({ args });
    await source.list(never);
    const [prompt] = (await source.prompts?.(never)) ?? [];
    expect(prompt).toMatchObject({ name: 'fix__greet', arguments: [{ name: 'who', required: true }] });
    expect(await prompt?.get(aCall({ args: { who: 'Ada' } }))).toMatchObject({
      kind: 'done',
      data: { description: 'A greeting', messages: [{ role: 'user', content: { text: 'Hello Ada' } }] },
    });
    expect(await prompt?.complete?.('who', 'A', {}, aCall())).toEqual({
      values: ['greet:A1', 'A2'],
      total: 2,
      hasMore: false,
    });
    const [resource] = (await source.resources?.(never)) ?? [];
    expect(await readAs(resource, aCall({ args: { uri: 'fixture://note' } }))).toMatchObject({
      data: { contents: [{ text: 'text of fixture://note' }] },
    });
    const [template] = (await source.templates?.(never)) ?? [];
    expect([
      template?.matches('fixture://page/7'),
      template?.matches('fixture://page/7/8'),
      template?.matches('other://page/7'),
    ]).toEqual([true, false, false]);
  });
});

test('a resource can be watched', async () => {
  const source = aPlugin();
  await source.list(never);
  const [resource] = (await source.resources?.(never)) ?? [];
  await new Promise<void>((resolve) => {
    void resource?.subscribe?.(aCall({ args: { uri: resource.uri } }), resolve);
  });
});

test('an error that a tool reports stays in its own words', async () => {
  expect(await callTool(aPlugin(), 'fix__error')).toMatchObject({
    kind: 'failed',
    error: { code: 'upstream_error', message: 'it broke' },
    content: [{ type: 'text', text: 'it broke' }],
  });
});

test('blocks that are not what they say become text, unknown ones travel on', async () => {
  expect(await callTool(aPlugin(), 'fix__wrong')).toMatchObject({
    content: [
      { type: 'text', text: '{"type":"text","text":5}' },
      { type: 'text', text: '"nothing"' },
      { type: 'hologram', depth: 3 },
    ],
  });
});

test('one malformed tool is withheld and reported, its siblings are served', async () => {
  const source = aPlugin({ args: ['--fail', 'malformed'] });
  expect((await source.list(never)).map(({ name }) => name)).toContain('fix__echo');
  expect(source.withheld?.()).toEqual([
    { what: '1 entries of tools/list', why: 'not JSON objects' },
    { what: 'no_schema', why: 'inputSchema is not an object' },
    { what: 'a tool without a usable name', why: 'name must be a short string' },
    { what: 'bad_schema', why: 'inputSchema must describe an object' },
  ]);
});

test('a list that goes round in circles ends', async () => {
  const source = aPlugin({ args: ['--fail', 'circles'] });
  expect((await source.list(never)).length).toBe(2);
  expect(source.withheld?.()).toContainEqual({ what: 'the rest of tools/list', why: 'the list repeats a cursor' });
});

test('text that is no JSON-RPC and answers to nothing do no harm [S3.19]', async () => {
  const noise: string[] = [];
  const source = aPlugin({ args: ['--fail', 'noise'], plugin: { onInvalidLine: (what) => noise.push(what) } });
  expect(said(await callTool(source, 'fix__echo', { text: 'still' }))).toBe('still');
  expect(noise.length).toBe(5);
});

test('only declared variables reach the child [S3.14]', async () => {
  process.env['TOOLGATE_TEST_LEAK'] = 'leaked';
  const source = aPlugin({ plugin: { env: () => ({ values: { GIVEN: 'yes' }, secrets: [], missing: [] }) } });
  const env = saidJson(await callTool(source, 'fix__env'));
  expect(Object.keys(env as object).sort()).toEqual(['GIVEN', 'PATH']);
  delete process.env['TOOLGATE_TEST_LEAK'];
});

test('every missing variable is named and nothing is started [S3.13]', async () => {
  const source = aPlugin({
    plugin: {
      env: () => ({ values: {}, secrets: [], missing: ['ONE', 'TWO'] }),
      command: () => Promise.reject(new Error('started')),
    },
  });
  await expect(source.list(never)).rejects.toThrow('needs ONE, TWO, which are not set');
});

describe('lives', () => {
  test('a singleton is reused, a transient is new for each call and gone after it [S3.6] [S3.10] [S3.11] [S3.18]', async () => {
    const kept = aPlugin();
    const first = said(await callTool(kept, 'fix__pid'));
    expect(said(await callTool(kept, 'fix__pid'))).toBe(first);
    expect(kept.processes.active()).toBe(1);
    const brief = aPlugin({ source: { pool: { lifecycle: 'transient' } } });
    expect(said(await callTool(brief, 'fix__pid'))).not.toBe(said(await callTool(brief, 'fix__pid')));
    await eventually(
      () => brief.processes.active(),
      (active) => active === 0,
    );
  });

  test('each caller has a separate server by default, and the cap holds', async () => {
    const source = aPlugin({ source: { pool: { maxSessions: 2 } } });
    const pid = async (principal = ada) => said(await callTool(source, 'fix__pid', {}, { principal }));
    const [one, two] = [await pid(), await pid(bob)];
    expect(one).not.toBe(two);
    expect(await pid()).toBe(one);
    const busy = [
      callTool(source, 'fix__hang', {}, { timeoutMs: 2_000 }),
      callTool(source, 'fix__hang', {}, { principal: bob, timeoutMs: 2_000 }),
    ];
    expect(await callTool(source, 'fix__pid', {}, { principal: { ...bob, id: 'eve' } })).toMatchObject({
      error: { code: 'busy' },
    });
    const shared = aPlugin({ source: { sharing: 'all' } });
    expect(said(await callTool(shared, 'fix__pid'))).toBe(
      said(await callTool(shared, 'fix__pid', {}, { principal: bob })),
    );
    await source.close?.();
    await Promise.all(busy);
  });

  test.each([
    ['max calls', { maxCalls: 2 }],
    ['idle', { idleMs: 1 }],
    ['age', { maxAgeMs: 1 }],
  ])('a connection past its %s is replaced', async (_, limits) => {
    const source = aPlugin({ source: { pool: limits } });
    const first = said(await callTool(source, 'fix__pid'));
    await eventually(
      async () => said(await callTool(source, 'fix__pid')),
      (pid) => pid !== first,
    );
  });
});

test('closing twice is closing once, and a stubborn server goes too [S3.17]', async () => {
  const source = aPlugin({ args: ['--fail', 'stubborn'] });
  await callTool(source, 'fix__echo', { text: 'x' });
  await Promise.all([source.close?.(), source.close?.()]);
  expect(source.processes.active()).toBe(0);
  await expect(source.list(never)).rejects.toThrow('closed');
});

test("a server that waits for an operator's decision is not backed off like one that crashes: it starts as soon as it may", async () => {
  let asked = 0;
  const held = { message: 'is quarantined', needsAction: true };
  const source = aPlugin({
    plugin: { command: async () => ((asked += 1) <= 8 ? held : { program: process.execPath, args: [serverFile] }) },
  });
  for (let time = 0; time < 8; time += 1) await expect(source.list(never)).rejects.toThrow('is quarantined');
  expect((await source.list(never)).length).toBeGreaterThan(0);
  expect(asked).toBe(9);
});
