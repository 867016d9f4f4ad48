import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

/** Preloaded into the gateway: answers every lookup with a private address and writes the name to a file. */
const hook = `
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let count = 0;
const note = (name) => appendFileSync(process.env.LOOKUPS, name + '\\n');
dns.promises.lookup = async (name) => { note(name); count += 1; return [{ address: '127.0.0.' + (count % 200 + 1), family: 4 }]; };
dns.lookup = (name, options, done) => { note(name); (done ?? options)(null, '127.0.0.1', 4); };
syncBuiltinESMExports();
`;

const config = `
rate_limit: { requests: 10, burst: 10 }
security:
  network_policies: { default: { allow: [loopback], hosts: ['*.lab.internal'], cidrs: [127.0.0.0/8] } }
policy:
  rules:
    - { id: no, action: deny, tools: [ping, http_fetch], args: { target: { glob: ['exfil*'] , optional: true }, url: { glob: ['*exfil*'], optional: true } } }
    - { id: ask, action: confirm, confirm: operator, tools: [ping], args: { target: { glob: ['ask*'] } } }
    - { id: rest, action: allow }
`;

async function aGateway() {
  const cwd = aPlace({ 'toolgate.yaml': config, 'hook.mjs': hook, lookups: '' });
  const key = (await toolgate(cwd, ['token', 'create', '--name', 'agent'])).out.trim();
  const other = (await toolgate(cwd, ['token', 'create', '--name', 'other'])).out.trim();
  const gateway = await serving(cwd, [], {
    NODE_OPTIONS: `--import=${join(cwd, 'hook.mjs')}`,
    LOOKUPS: join(cwd, 'lookups'),
  });
  const call = (tool: string, args: object, who = key, ticket?: string) =>
    gateway.send(`/tools/${tool}/execute`, {
      body: { ...args, ...(ticket !== undefined && { ticket }) },
      headers: { authorization: `Bearer ${who}` },
    });
  const lookups = (): readonly string[] =>
    readFileSync(join(cwd, 'lookups'), 'utf8')
      .split('\n')
      .filter((name) => name.endsWith('.lab.internal'));
  return { gateway, key, other, call, lookups };
}

test('no name is looked up for a call that is denied, waits for approval, exceeds its rate, or is only explained', async () => {
  const { gateway, other, call, lookups } = await aGateway();
  expect((await call('ping', { target: 'exfil-denied.lab.internal' })).status).toBe(403);
  expect((await call('http_fetch', { url: 'http://exfil-denied.lab.internal/' })).status).toBe(403);
  expect((await call('ping', { target: 'ask-first.lab.internal' })).status).toBe(409);
  expect(
    (await gateway.send('/explain', { body: { tool: 'ping', args: { target: 'explained.lab.internal' } } })).json,
  ).toMatchObject({ decision: 'allow' });
  expect(lookups()).toEqual([]);
  const statuses: number[] = [];
  for (let time = 0; time < 30; time += 1)
    statuses.push((await call('http_fetch', { url: `http://n${time}.lab.internal/`, dry_run: true }, other)).status);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(15);
  expect(lookups().length).toBe(statuses.filter((status) => status !== 429).length);
}, 120_000);

test('wrong calls count against the rate [S0.7]', async () => {
  const { call } = await aGateway();
  const statuses: number[] = [];
  for (let time = 0; time < 30; time += 1) statuses.push((await call('ping', { nonsense: time })).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400));
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(15);
}, 120_000);

test('an approval holds for a name whose addresses change between two lookups', async () => {
  const { gateway, call, lookups } = await aGateway();
  const target = { target: 'ask-again.lab.internal', count: 1 };
  const asked = await call('ping', target);
  expect(asked.status).toBe(409);
  const ticket = String(asked.json.error_context.metadata.ticket);
  expect((await gateway.send(`/approvals/${ticket}/approve`, { body: {} })).status).toBe(200);
  expect((await call('ping', target)).json).toMatchObject({ returncode: 0 });
  expect(lookups()).toEqual(['ask-again.lab.internal']);
}, 120_000);
