import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { legacyClient, modernClient } from '../support/sdk-clients.js';
import type { Person, Way } from '../support/sdk-clients.js';
import { run as approvals } from '../../src/cli/verbs/approvals.js';
import { heardIo } from '../support/cli-io.js';
import { aPlace, cli, serving, toolgate } from '../support/toolgate.js';
import type { Running } from '../support/toolgate.js';

const config = `
policy:
  rules:
    - { id: ask-me, action: confirm, tools: [ping], args: { count: { equals: 2 } }, reason: two are many }
    - { id: ask-the-operator, action: confirm, confirm: operator, tools: [ping], args: { count: { equals: 3 } } }
    - { id: the-rest, action: allow }
`;
const twice = { target: '127.0.0.1', count: 2 };
const thrice = { target: '127.0.0.1', count: 3 };
const clients = { '2026-07-28': modernClient, '2025-11-25': legacyClient } as const;

async function aGateway(): Promise<{ cwd: string; gateway: Running; agent: string; way: Way }> {
  const cwd = aPlace({ 'toolgate.yaml': config });
  const agent = (await toolgate(cwd, ['token', 'create', '--name', 'agent'])).out.trim();
  const gateway = await serving(cwd);
  return { cwd, gateway, agent, way: { url: `${gateway.url}/mcp`, token: agent } };
}

describe.each(Object.entries(clients))('the official client of %s', (_era, connect) => {
  test.each(['http', 'stdio'])(
    'confirms and refuses a call over %s [S1.19]',
    async (door) => {
      const cwd = aPlace({ 'toolgate.yaml': config });
      const way: Way =
        door === 'http'
          ? (await aGateway()).way
          : {
              argv: [cli, 'serve', '--stdio', '--alone'],
              cwd,
              env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLGATE_HOME: join(cwd, 'home') },
            };
      const heard: string[] = [];
      const says: ReturnType<Person>[] = [
        { action: 'accept', content: { approve: true } },
        { action: 'decline' },
        { action: 'accept', content: { approve: false } },
      ];
      const client = await connect(way, (message) => {
        heard.push(message);
        return says.shift() ?? { action: 'cancel' };
      });
      expect(await client.call('ping', { ...twice, count: 1 })).toMatchObject({ isError: false });
      expect(heard).toEqual([]);
      expect(await client.call('ping', twice)).toMatchObject({
        isError: false,
        text: expect.stringContaining('2 received'),
      });
      expect(heard[0]).toMatch(
        /run ping .*\nArguments: .*"target":"127\.0\.0\.1".*\nRule: ask-me \(two are many\)\nRisk: /,
      );
      for (let time = 0; time < 3; time += 1)
        expect(await client.call('ping', twice)).toMatchObject({
          isError: true,
          text: expect.stringContaining('declined this call'),
        });
      expect(heard).toHaveLength(4);
      expect(await client.call('ping', thrice)).toMatchObject({
        isError: true,
        text: expect.stringContaining('approval by an operator (ask-the-operator)'),
      });
      expect(heard).toHaveLength(4);
    },
    60_000,
  );

  test('without a way to ask gets a ticket that the operator answers by CLI', async () => {
    const { cwd, gateway, way } = await aGateway();
    const client = await connect(way);
    const waits = await client.call('ping', twice);
    const ticket = /must approve ticket (tk_[\w-]+)/.exec(waits.text)?.[1] ?? '';
    const operator = (...argv: string[]) => toolgate(cwd, ['approvals', ...argv, '--url', gateway.url]);
    expect((await operator('list')).out).toContain(`${ticket}  pending  key:agent  ping`);
    expect((await operator('show', ticket)).out).toMatch(/rules +\["ask-me"\]/);
    expect(waits.text).not.toContain('toolgate approvals');
    expect(await operator('approve', ticket)).toMatchObject({ code: 1, err: expect.stringContaining('a terminal') });
    expect(await operator('approve', ticket, '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the key of an approver'),
    });
    const atTerminal = async (typed: string) => {
      const { io, said } = heardIo();
      const env = { HOME: cwd, TOOLGATE_HOME: join(cwd, 'home') };
      const ask = (question: string): Promise<string> => Promise.resolve(question.includes('last 4') ? typed : '');
      return { code: await approvals(['approve', ticket, '--url', gateway.url], { ...io, env, ask }), ...said };
    };
    expect(await atTerminal('nope')).toMatchObject({ code: 1, err: expect.stringContaining('not approved') });
    expect(await atTerminal(ticket.slice(-4))).toMatchObject({
      code: 0,
      err: expect.stringMatching(/arguments +\{.*"target":"127\.0\.0\.1"/),
    });
    expect(await client.call('ping', { ...twice, target: '127.0.0.2' })).toMatchObject({ isError: true });
    await expect(client.call('ping', { ...twice, target: '127.0.0.2' }, { 'toolgate/ticket': ticket })).rejects.toThrow(
      'is for another call',
    );
    expect(await client.call('ping', twice, { 'toolgate/ticket': ticket })).toMatchObject({ isError: false });
    await expect(client.call('ping', twice, { 'toolgate/ticket': ticket })).rejects.toThrow('is for another call');
    expect(await client.call('ping', twice)).toMatchObject({ isError: true });
  }, 60_000);
});

test('REST gets 409 with a ticket; callers see no tickets, no caller approves their own, and a grant outlives a restart', async () => {
  const { cwd, gateway, agent } = await aGateway();
  const asAgent = { headers: { authorization: `Bearer ${agent}` } };
  const waits = await gateway.send('/tools/ping/execute', { ...asAgent, body: thrice });
  expect(waits).toMatchObject({
    status: 409,
    json: { error_type: 'confirmation_required', error_context: { metadata: { rule: 'ask-the-operator' } } },
  });
  const { ticket } = waits.json.error_context.metadata;
  for (const path of ['/approvals', `/approvals/${ticket}`])
    expect((await gateway.send(path, asAgent)).status).toBe(403);
  expect((await gateway.send(`/approvals/${ticket}/approve`, { ...asAgent, method: 'POST' })).status).toBe(403);
  const own = (await gateway.send('/tools/ping/execute', { body: thrice })).json.error_context.metadata.ticket;
  expect((await gateway.send(`/approvals/${own}/approve`, { method: 'POST' })).status).toBe(403);
  expect((await gateway.send(`/approvals/${own}/deny`, { method: 'POST' })).json).toMatchObject({ status: 'denied' });
  expect((await gateway.send('/tools/ping/execute', { body: thrice })).json).toMatchObject({
    error: 'An operator denied this call',
  });
  expect((await gateway.send('/approvals/tk_nothing/approve', { method: 'POST' })).status).toBe(404);

  expect((await gateway.send(`/approvals/${ticket}/approve`, { method: 'POST' })).json).toMatchObject({
    status: 'approved',
    decided_by: 'owner',
  });
  expect((await gateway.send(`/approvals/${ticket}/deny`, { method: 'POST' })).status).toBe(409);
  expect(await gateway.stop()).toBe(0);
  const again = await serving(cwd);
  const withTicket = { headers: { ...asAgent.headers, 'toolgate-ticket': ticket }, body: thrice };
  expect(
    await again.send('/tools/ping/execute', { ...withTicket, body: { ...thrice, target: '127.0.0.2' } }),
  ).toMatchObject({ status: 400, json: { error_type: 'validation_error' } });
  expect((await again.send('/tools/ping/execute', withTicket)).status).toBe(200);
  expect(await again.send('/tools/ping/execute', withTicket)).toMatchObject({
    status: 400,
    json: { error_type: 'validation_error' },
  });
  expect((await again.send('/tools/ping/execute', { ...asAgent, body: thrice })).status).toBe(409);
  const { out } = await toolgate(cwd, ['audit', '--json']);
  for (const word of ['"action":"approve"', '"rule":"ask-the-operator"', `"ticket":"${ticket}"`])
    expect(out.replaceAll(/:\s+/g, ':')).toContain(word);
}, 60_000);

describe.each(Object.entries(clients))('a gateway over stdio with a client of %s that cannot ask', (_era, connect) => {
  test('gives tickets that the operator answers from another process', async () => {
    const cwd = aPlace({ 'toolgate.yaml': config });
    const client = await connect({
      argv: [cli, 'serve', '--stdio', '--alone'],
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLGATE_HOME: join(cwd, 'home') },
    });
    const ticketOf = async (): Promise<string> =>
      /must approve ticket (tk_[\w-]+)/.exec((await client.call('ping', thrice)).text)?.[1] ?? '';
    const ticket = await ticketOf();
    expect((await toolgate(cwd, ['approvals', 'list'])).out).toContain(`${ticket}  pending  local  ping`);
    expect((await toolgate(cwd, ['approvals', 'show', ticket])).out).toMatch(/rules +\["ask-the-operator"\]/);
    const forged = await toolgate(cwd, ['approvals', 'approve', ticket, '--yes'], {
      TOOLGATE_TOKEN: 'tg_made-up-made-up-made-up-made-up-made-up',
    });
    expect(forged).toMatchObject({ code: 1, err: expect.stringContaining('not valid') });
    const agent = (await toolgate(cwd, ['token', 'create', '--name', 'agent'])).out.trim();
    expect(await toolgate(cwd, ['approvals', 'approve', ticket, '--yes'], { TOOLGATE_TOKEN: agent })).toMatchObject({
      code: 1,
      err: expect.stringContaining('approver'),
    });
    const approver = await toolgate(cwd, ['token', 'create', '--name', 'boss', '--role', 'approver']);
    const asApprover = { TOOLGATE_TOKEN: approver.out.trim() };
    expect(await toolgate(cwd, ['approvals', 'approve', ticket, '--yes'], asApprover)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/status +approved/),
    });
    expect(await client.call('ping', thrice)).toMatchObject({ isError: false });
    const second = await ticketOf();
    expect(second).not.toBe(ticket);
    expect((await toolgate(cwd, ['approvals', 'deny', second])).code).toBe(0);
    expect(await client.call('ping', thrice)).toMatchObject({ isError: true, text: expect.stringContaining('denied') });
  }, 60_000);
});

test('the socket of a gateway is reachable for its owner only, requires the token, and goes with its gateway', async () => {
  const { cwd, gateway } = await aGateway();
  const folder = join(cwd, 'home', 'gates');
  const record = readdirSync(folder).find((name) => name.endsWith('.json')) ?? '';
  const { rest } = JSON.parse(readFileSync(join(folder, record), 'utf8')) as { readonly rest: string };
  expect(statSync(folder).mode & 0o077).toBe(0);
  expect(statSync(rest).mode & 0o077).toBe(0);
  const ask = (path: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      request({ socketPath: rest, path, headers: { host: 'localhost', ...headers } }, (answer) =>
        resolve(answer.resume().statusCode ?? 0),
      )
        .on('error', reject)
        .end();
    });
  const authorization = `Bearer ${gateway.token}`;
  for (const path of ['/approvals', '/tools', '/audit', '/sources']) expect(await ask(path, {})).toBe(401);
  expect(await ask('/approvals', { authorization })).toBe(200);
  expect(await ask('/approvals', { authorization, host: 'evil.example' })).toBe(403);
  await gateway.stop();
  expect(readdirSync(folder)).toEqual([]);
  expect(await toolgate(cwd, ['approvals', '--port', '1'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no gateway can be reached'),
  });
}, 60_000);

test('a socket below a long path is found through a link', async () => {
  const deep = join(aPlace(), 'd'.repeat(90));
  mkdirSync(deep);
  writeFileSync(join(deep, 'toolgate.yaml'), config);
  await serving(deep);
  expect(await toolgate(deep, ['approvals'])).toMatchObject({ code: 0, out: 'No calls are waiting for approval.\n' });
}, 60_000);

test('a killed gateway gives no caller a budget back, and clears no labels of a conversation', async () => {
  const cwd = aPlace({
    'toolgate.yaml': `
access: { limits: [{ id: three, tools: [ping], calls_per_day: 3 }] }
flows:
  labels: { dig: ['reads:private'], ping: ['egress:external'] }
  rules: [{ id: private-then-out, after: ['reads:private'], to: ['egress:external'], action: deny }]
`,
  });
  const agent = (await toolgate(cwd, ['token', 'create', '--name', 'agent'])).out.trim();
  const asAgent = { authorization: `Bearer ${agent}` };
  const first = await serving(cwd);
  const ping = (at: Running, headers = {}) =>
    at.send('/tools/ping/execute', { headers, body: { target: '127.0.0.1', count: 1 } });
  expect([(await ping(first)).status, (await ping(first)).status]).toEqual([200, 200]);
  await first.send('/tools/dig/execute', { headers: asAgent, body: { target: '127.0.0.1' } });
  expect((await ping(first, asAgent)).json).toMatchObject({ error: expect.stringContaining('private-then-out') });
  await first.stop('SIGKILL');
  const second = await serving(cwd);
  expect((await ping(second, asAgent)).json).toMatchObject({ error: expect.stringContaining('private-then-out') });
  expect((await ping(second)).status).toBe(200);
  expect(await ping(second)).toMatchObject({
    status: 429,
    json: { error: expect.stringContaining('Limit three') },
  });
}, 60_000);
