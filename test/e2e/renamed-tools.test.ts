import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Loose } from '../support/mcp.js';
import { eventually } from '../support/processes.js';
import { aPlace, serving, toolgate, type Running } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';

const config = (overrides: string, args: readonly string[] = [], more = ''): string => `
commands: { builtins: false }
rate_limit: { requests: 100000 }
access: { profiles: { words: { tools: [repeat_*] } } }
tool:
  overrides:
${overrides}
sources:
  fix: { kind: mcp, command: ${process.execPath}, args: ${JSON.stringify([serverFile, ...args])}, startup_budget: 120 }
${more}`;
const renamed = `    fix__echo: { name: repeat_text, title: Repeat, description: Repeats a text for the team }
    fix__pid: { enabled: false }`;

const mcp =
  (gate: Running) =>
  async (method: string, params: Readonly<Record<string, unknown>> = {}, path = '/mcp'): Promise<Loose> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { json } = await gate.send(path, {
      body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
      },
    });
    return json;
  };
const namesOf = async (gate: Running, path?: string): Promise<readonly string[]> =>
  (await mcp(gate)('tools/list', {}, path)).result.tools.map(({ name }: Loose) => name);
const repeat = (gate: Running, tool: string) => gate.send(`/tools/${tool}/execute`, { body: { text: 'hello' } });
const recordsIn = (place: string): readonly Loose[] =>
  readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => /audit.*\.jsonl$/.test(name))
    .flatMap((name) => readFileSync(join(place, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line));

test('a renamed tool is listed, described, called, grouped and recorded under its new name, and a reload changes it', async () => {
  const place = aPlace({ 'toolgate.yaml': config(renamed) });
  const gate = await serving(place);
  const names = await namesOf(gate);
  expect(names).toContain('repeat_text');
  expect(names).not.toContain('fix__echo');
  expect(names).not.toContain('fix__pid');
  expect(await namesOf(gate, '/mcp/p/words')).toEqual(['repeat_text']);
  const { tools } = (await mcp(gate)('tools/list')).result;
  expect(tools.find(({ name }: Loose) => name === 'repeat_text')).toMatchObject({
    title: 'Repeat',
    description: 'Repeats a text for the team',
    annotations: { readOnlyHint: true },
  });
  expect((await gate.send('/tools/repeat_text')).json).toMatchObject({
    name: 'repeat_text',
    description: 'Repeats a text for the team',
    listed_as: 'fix__echo',
    upstream: 'echo',
  });

  const overMcp = await mcp(gate)('tools/call', { name: 'repeat_text', arguments: { text: 'hello' } });
  expect(overMcp.result.content).toMatchObject([{ text: 'hello' }]);
  expect(await repeat(gate, 'repeat_text')).toMatchObject({ status: 200, text: expect.stringContaining('hello') });
  expect((await gate.send('/tools/fix__echo')).status).toBe(404);
  for (const hidden of ['fix__echo', 'fix__pid']) {
    expect(await repeat(gate, hidden)).toMatchObject({ status: 404, text: expect.stringContaining('not_found') });
    expect((await mcp(gate)('tools/call', { name: hidden, arguments: {} })).error).toBeDefined();
  }
  expect((await gate.send('/metrics')).text).toMatch(/tool="repeat_text"/);

  writeFileSync(join(place, 'toolgate.yaml'), config('    fix__echo: { name: repeat_again, description: Repeats }'));
  await eventually(
    () => namesOf(gate),
    (now) => now.includes('repeat_again'),
  );
  expect(await repeat(gate, 'repeat_again')).toMatchObject({ status: 200 });
  expect(await repeat(gate, 'repeat_text')).toMatchObject({ status: 404 });
  expect(await repeat(gate, 'fix__pid')).toMatchObject({ status: 200 });
  await gate.stop();
  const allowed = recordsIn(place).filter(({ event, decision }) => event === 'end' && decision === 'allowed');
  expect(allowed.map(({ tool, listedAs }) => `${tool} ${listedAs ?? '-'}`)).toEqual([
    'repeat_text fix__echo',
    'repeat_text fix__echo',
    'repeat_again fix__echo',
    'fix__pid -',
  ]);
});

test('rules match the new name, and a new name in a rule is accepted together with the rename', async () => {
  const place = aPlace({ 'toolgate.yaml': config('    fix__count: { rate: 50 }') });
  const gate = await serving(place);
  const rules = (tool: string): string =>
    `policy: { rules: [{ id: no, action: deny, tools: [${tool}], args: { text: { equals: hello } }, reason: No }, { id: rest, action: allow }] }`;
  writeFileSync(join(place, 'toolgate.yaml'), config(renamed, [], rules('repeat_text')));
  await eventually(
    () => repeat(gate, 'repeat_text'),
    ({ status }) => status === 403,
  );
  // The old name protects nothing any more, so this file is refused and the one before stays active.
  writeFileSync(join(place, 'toolgate.yaml'), config(renamed, [], rules('fix__echo')));
  await gate.logged('matches no tool: fix__echo');
  expect(await repeat(gate, 'repeat_text')).toMatchObject({ status: 403 });
});

test('the other settings of a renamed tool still apply to it', async () => {
  const settings = `    fix__crash: { name: fall, breaker: { failure_threshold: 1 } }
    fix__count: { name: tally, rate: 1 }`;
  const gate = await serving(aPlace({ 'toolgate.yaml': config(settings) }));
  expect((await gate.send('/tools/fall/execute', { body: {} })).text).not.toContain('circuit_open');
  expect((await gate.send('/tools/fall/execute', { body: {} })).text).toContain('circuit_open');
  expect((await gate.send('/tools/tally/execute', { body: {} })).status).toBe(200);
  const limited = await gate.send('/tools/tally/execute', { body: {} });
  expect(limited).toMatchObject({ status: 429, text: expect.stringContaining('tool.overrides.fix__count.rate') });
});

test('a call by the new name waits for a source that is still starting', async () => {
  const place = aPlace();
  const until = join(place, 'go');
  const slow = config(renamed, ['--until', until])
    .replace('startup_budget: 120', 'startup_budget: 0.2')
    .replace('builtins: false', 'builtins: true');
  writeFileSync(join(place, 'toolgate.yaml'), slow);
  const gate = await serving(place);
  expect(gate.banner).toContain('fix: is still starting');
  const call = repeat(gate, 'repeat_text');
  expect(await namesOf(gate)).not.toContain('repeat_text');
  writeFileSync(until, '');
  expect(await call).toMatchObject({ status: 200, text: expect.stringContaining('hello') });
});

test('search finds and describes a tool by the text of the operator', async () => {
  const place = aPlace({ 'toolgate.yaml': config(renamed).replace('tool:\n', 'tool:\n  search: true\n') });
  const gate = await serving(place);
  const call = async (name: string, args: object): Promise<Loose> =>
    (await mcp(gate)('tools/call', { name, arguments: args })).result;
  const found = await call('search_tools', { query: 'repeats a text for the team' });
  expect(found.structuredContent.tools[0]).toMatchObject({
    name: 'repeat_text',
    description: 'Repeats a text for the team',
  });
  expect((await call('describe_tool', { name: 'repeat_text' })).structuredContent.description).toBe(
    'Repeats a text for the team',
  );
  const called = await call('call_tool', { name: 'repeat_text', arguments: { text: 'hello' } });
  expect(called.content).toMatchObject([{ text: 'hello' }]);
});

test('a changed definition is withheld although the operator shows another name and text', async () => {
  const place = aPlace({ 'toolgate.yaml': config(renamed) });
  await toolgate(place, ['tools']);
  writeFileSync(join(place, 'toolgate.yaml'), config(renamed, ['--fail', 'rugpull']));
  const gate = await serving(place);
  expect(gate.banner).toContain('withheld   tool echo: its definition changed; see toolgate pins diff fix');
  expect(await repeat(gate, 'repeat_text')).toMatchObject({ status: 404 });
});

test('a name that two tools would have is an error of check, and one of the tools is withheld', async () => {
  const twice = '    fix__echo: { name: fix__meta }\n    fix__pid: { name: say }\n    fix__count: { name: say }';
  const place = aPlace({ 'toolgate.yaml': config(twice) });
  const checked = await toolgate(place, ['check']);
  expect(checked.code).toBe(1);
  expect(checked.out + checked.err).toContain(
    'tool.overrides.fix__count.name say is already the name of tool.overrides.fix__pid.name',
  );
  const gate = await serving(place);
  expect(gate.banner).toContain('withheld   fix__meta: the name is taken by tool.overrides.fix__echo.name');
  expect(gate.banner).toContain('withheld   fix__count: the name say is taken by fix__pid of source fix');
  expect(await repeat(gate, 'fix__meta')).toMatchObject({ status: 200, text: expect.stringContaining('hello') });
});
