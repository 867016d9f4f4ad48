import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/json.js';
import { tasksExtension } from '../../../wire/meta.js';
import { aDoor } from '../../../../test/support/mcp.js';
import type { Loose } from '../../../../test/support/mcp.js';
import { aRemote, json, listener } from '../../../../test/support/upstream-http.js';

const whole = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: {} };
const definition = { name: 'tool', description: 'Does it', inputSchema: { type: 'object' } };
type Answer = { readonly result: JsonObject } | { readonly error: JsonObject };

/** A gateway before a modern server that answers what it is told to. */
async function before(answer: (method: string, params: Loose) => Answer | undefined, tool: JsonObject = definition) {
  const far = await listener(({ res, body }) => {
    const usual: Record<string, Answer> = {
      'server/discover': { result: { ...whole, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } },
      'tools/list': { result: { ...whole, tools: [tool] } },
    };
    json(res, {
      jsonrpc: '2.0',
      id: body.id,
      ...(usual[body.method] ??
        answer(body.method, body.params) ?? { error: { code: -32601, message: 'Method not found' } }),
    });
  });
  const gate = await aDoor([aRemote(far.url)]);
  const asked = (method: string): Loose[] =>
    far.requests.filter(({ body }) => body?.method === method).map(({ body }) => body.params);
  return { gate, asked };
}

const done = (text: string, more: JsonObject = {}): Answer => ({
  result: { ...whole, content: [{ type: 'text', text }], ...more },
});
const call: JsonObject = { name: 'far__tool', arguments: {} };
const question: JsonObject = {
  who: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
  },
};
const who: JsonObject = { action: 'accept', content: { name: 'Ada' } };
const form: JsonObject = { elicitation: { form: {} } };
const tasks: JsonObject = { extensions: { [tasksExtension]: {} } };

describe('an error of the protocol', () => {
  test.each([
    [-32602, -32602, 'the arguments or the name are wrong, as the server says'],
    [-32603, -32603, 'the server broke'],
    [4711, 4711, "a code of the server's own"],
    [-32601, -32603, 'would say that the gateway has no such method'],
    [-32001, -32603, "would say that the client's session is gone"],
    [-32022, -32603, "would speak of the client's revision"],
    [-32700, -32603, "would say that the client's message was not JSON"],
  ])('%i of a server is returned as %i: %s', async (given, told) => {
    const { gate } = await before(() => ({ error: { code: given, message: 'no such thing', data: { near: 'tool' } } }));
    const { status, json: answer } = await gate.modern('tools/call', call);
    expect(status).toBe(200);
    expect(answer.error).toMatchObject({
      code: told,
      data: { error: { code: 'upstream_refused', data: { upstream: { code: given, data: { near: 'tool' } } } } },
    });
    expect(answer.error.message).toContain('far: no such thing');
  });

  test('cannot bring hidden characters or megabytes along', async () => {
    const { gate } = await before(() => ({
      error: { code: -32602, message: 'a\u001B[2Jb', data: { text: 'c\u200Bd' } },
    }));
    const { json: answer } = await gate.modern('tools/call', call);
    expect(JSON.stringify(answer.error)).not.toMatch(/\\u001b|\u200B/i);
    const loud = await before(() => ({ error: { code: -32602, message: 'no', data: { text: 'x'.repeat(100_000) } } }));
    expect(JSON.stringify((await loud.gate.modern('tools/call', call)).json).length).toBeLessThan(10_000);
  });
});

describe('fields that are unknown here', () => {
  test('stand in their place in definitions and results', async () => {
    const { gate } = await before(() => done('ok', { 'x-result': { deep: 1 } }), {
      ...definition,
      icons: [{ src: 'https://far.example/i.png' }],
      'x-tool': 'y',
    });
    const [tool] = (await gate.modern('tools/list')).json.result.tools;
    expect(tool).toMatchObject({ name: 'far__tool', icons: [{ src: 'https://far.example/i.png' }], 'x-tool': 'y' });
    expect((await gate.modern('tools/call', call)).json.result).toMatchObject({
      'x-result': { deep: 1 },
      content: [{ text: 'ok' }],
    });
  });

  test('are washed like everything else, and not offered without a bound', async () => {
    const { gate } = await before(() => done('ok', { note: 'hid\u200Bden' }), {
      ...definition,
      'x-note': 'hid\u200Bden',
    });
    expect((await gate.modern('tools/list')).json.result.tools[0]['x-note']).toBe('hidden');
    expect((await gate.modern('tools/call', call)).json.result.note).toBe('hidden');
    const loud = await before(() => done('ok'), { ...definition, 'x-long': 'y'.repeat(20_000) });
    expect((await loud.gate.modern('tools/list')).json.result.tools[0]).not.toHaveProperty('x-long');
  });
});

describe('a question without a state', () => {
  test('is asked without one, and its answer goes to the server', async () => {
    const { gate, asked } = await before((method, params) =>
      method !== 'tools/call'
        ? undefined
        : params.inputResponses
          ? done(`Hello, ${params.inputResponses.who.content.name}!`)
          : { result: { ...whole, resultType: 'input_required', inputRequests: question } },
    );
    const first = await gate.modern('tools/call', call, { capabilities: form });
    expect(first.json.result).toMatchObject({ resultType: 'input_required', inputRequests: question });
    expect(first.json.result).not.toHaveProperty('requestState');
    const second = await gate.modern(
      'tools/call',
      { ...call, inputResponses: { who, other: who } },
      { capabilities: form },
    );
    expect(second.json.result.content[0].text).toBe('Hello, Ada!');
    expect(asked('tools/call')[1]).not.toHaveProperty('requestState');
  });
});

describe('a tool that its server runs only as a task', () => {
  const needs: Answer = { error: { code: -32021, message: 'needs tasks', data: { requiredCapabilities: tasks } } };
  const task = (status: string, more: JsonObject = {}): Answer => ({
    result: {
      ...whole,
      resultType: 'task',
      taskId: 't1',
      status,
      createdAt: '',
      lastUpdatedAt: '',
      ttlMs: 60_000,
      pollIntervalMs: 10,
      ...more,
    },
  });
  const declares = (params: Loose): boolean =>
    params._meta['io.modelcontextprotocol/clientCapabilities'].extensions !== undefined;

  test('is followed to its end for a client that supports tasks, and for one of the older kind', async () => {
    let polls = 0;
    const { gate, asked } = await before((method, params) => {
      if (!declares(params)) return needs;
      if (method === 'tools/call') return task('working');
      return method === 'tasks/get'
        ? (polls += 1) % 2 === 1
          ? task('working')
          : task('completed', { result: { content: [{ type: 'text', text: 'slowly done' }] } })
        : undefined;
    });
    expect((await gate.modern('tools/call', call, { capabilities: tasks })).json.result.content[0].text).toBe(
      'slowly done',
    );
    const session = await gate.session();
    expect((await session.call('tools/call', call)).json.result.content[0].text).toBe('slowly done');
    // Once told, the server is not asked in vain again.
    expect(asked('tools/call').map(declares)).toEqual([false, true, true]);
    expect(asked('tasks/get')[0]).toMatchObject({ taskId: 't1' });
  });

  test('is reported to a client that could have declared tasks and did not', async () => {
    const { gate } = await before(() => needs);
    expect((await gate.modern('tools/call', call)).json.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: tasks },
    });
  });

  test('may ask, and its answer is handed to the task', async () => {
    let answered: Loose;
    const { gate } = await before((method, params) => {
      if (!declares(params)) return needs;
      if (method === 'tasks/update') {
        answered = params;
        return { result: whole };
      }
      return answered
        ? task('completed', { result: { content: [{ type: 'text', text: 'answered' }] } })
        : task('input_required', { inputRequests: question });
    });
    const capabilities = { ...tasks, ...form };
    const first = await gate.modern('tools/call', call, { capabilities });
    expect(first.json.result).toMatchObject({ resultType: 'input_required', inputRequests: question });
    const second = await gate.modern(
      'tools/call',
      { ...call, inputResponses: { who }, requestState: first.json.result.requestState },
      { capabilities },
    );
    expect(second.json.result.content[0].text).toBe('answered');
    expect(answered).toMatchObject({ taskId: 't1', inputResponses: { who } });
  });

  test.each([
    ['failed', { error: { code: -32602, message: 'it broke' } }, -32602],
    ['cancelled', {}, -32603],
    ['completed', { result: 'no object' }, -32603],
  ])('that ends as %s ends the call with an error', async (status, more, code) => {
    const { gate } = await before((method, params) =>
      !declares(params) ? needs : method === 'tools/call' ? task('working') : task(status, more),
    );
    expect((await gate.modern('tools/call', call, { capabilities: tasks })).json.error).toMatchObject({ code });
  });

  test('is cancelled when its caller goes', async () => {
    const hangUp = new AbortController();
    const { gate, asked } = await before((method, params) => {
      // At the first poll: a call that lasts becomes a task of the gate, which outlives its connection.
      if (method === 'tasks/get') hangUp.abort();
      return declares(params) ? task('working') : needs;
    });
    await gate.modern('tools/call', call, { capabilities: tasks, signal: hangUp.signal });
    await expect.poll(() => asked('tasks/cancel')).toMatchObject([{ taskId: 't1' }]);
  });

  test('a task that was not asked for is refused', async () => {
    const { gate } = await before(() => task('working'));
    expect((await gate.modern('tools/call', call)).json.result).toMatchObject({ isError: true });
  });
});
