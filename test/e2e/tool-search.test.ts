import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { localUser } from '../../src/access/configured/local-user.js';
import { aWholeGate } from '../support/whole-gate.js';

async function aBackend(): Promise<string> {
  const server = createServer((req, res) => {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ path: req.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const configFor = (url: string): string => `
commands: { builtins: false }
tool: { search: true }
policy:
  rules:
    - { id: no-removal, action: deny, tools: ["remove_*"], reason: Removal is forbidden }
    - { id: rest, action: allow, tools: ["*"] }
mcp_tools:
  create_invoice: { description: Creates an invoice for a customer, url: "${url}/create" }
  list_invoices: { description: Lists all invoices of a customer, url: "${url}/list" }
  remove_customer: { description: Removes a customer with everything, url: "${url}/remove" }
  weather_report: { description: Shows the weather of a city, url: "${url}/weather" }
`;

test('search tools replace the list; calls pass every guard as calls of the named tool', async () => {
  const { gate, journal } = await aWholeGate(configFor(await aBackend()));
  const view = { principal: localUser(gate.config()) };
  expect(gate.gateway.tools(view).map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'call_tool']);
  const call = async (tool: string, args: Record<string, unknown>): Promise<ReturnType<typeof JSON.parse>> =>
    (
      await gate.gateway.call({
        ...view,
        tool,
        args: args as never,
        via: 'stdio',
        signal: new AbortController().signal,
      })
    ).outcome;

  const found = await call('search_tools', { query: 'show me every invoice' });
  expect(found.data.tools[0].name).toBe('list_invoices');
  expect((await call('search_tools', { query: 'create_invoice' })).data.tools[0].name).toBe('create_invoice');
  expect((await call('search_tools', { query: 'zebra' })).data.total).toBe(0);
  expect((await call('describe_tool', { name: 'weather_report' })).data.input_schema.type).toBe('object');
  expect((await call('describe_tool', { name: 'nothing' })).error.code).toBe('invalid_arguments');

  expect((await call('call_tool', { name: 'list_invoices', arguments: {} })).kind).toBe('done');
  expect((await call('call_tool', { name: 'remove_customer' })).error).toMatchObject({
    code: expect.stringMatching(/policy_denied|not_found/),
  });
  expect((await call('call_tool', { name: 'list_invoices', arguments: [] })).error.code).toBe('invalid_arguments');
  expect((await call('call_tool', { name: 'call_tool', arguments: { name: 'list_invoices' } })).error.code).toBe(
    'invalid_arguments',
  );
  const tools = journal().map(({ tool, decision }) => `${tool} ${decision}`);
  expect(tools).toContain('list_invoices allowed');
  expect(tools.filter((line) => line.startsWith('call_tool'))).toEqual(['call_tool refused', 'call_tool refused']);
});

test('a profile offers search tools to its callers alone, over its own tools', async () => {
  const yaml = configFor(await aBackend()).replace(
    'tool: { search: true }',
    'access: { profiles: { billing: { tools: ["*invoice*"], search: true } } }',
  );
  const { gate } = await aWholeGate(yaml);
  const principal = localUser(gate.config());
  expect(gate.gateway.tools({ principal }).map(({ name }) => name)).toContain('weather_report');
  const view = { principal, profile: 'billing' };
  expect(gate.gateway.tools(view).map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'call_tool']);
  const { outcome } = await gate.gateway.call({
    ...view,
    tool: 'search_tools',
    args: { query: '' },
    via: 'stdio',
    signal: new AbortController().signal,
  });
  expect(JSON.stringify(outcome)).not.toContain('weather_report');
  const hidden = await gate.gateway.call({
    ...view,
    tool: 'call_tool',
    args: { name: 'weather_report' },
    via: 'stdio',
    signal: new AbortController().signal,
  });
  expect(hidden.outcome).toMatchObject({ kind: 'failed', error: { code: 'not_found' } });
});
