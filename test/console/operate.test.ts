import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hasBrowser, openConsole } from '../support/browser.js';
import { aPlace, serving, toolgate, type Running } from '../support/toolgate.js';

const spec = test.skipIf(!hasBrowser);
const upstream = join(dirname(fileURLToPath(import.meta.url)), '../support/upstream/server.mjs');

const ping = (gate: Running, target = '127.0.0.1') => gate.send('/tools/ping/execute', { body: { target, count: 1 } });

spec('plots show what happened before the page was opened, and only pages with plots load their code', async () => {
  const cwd = aPlace({
    'toolgate.yaml':
      'policy: { rules: [{ id: not-nine, action: deny, args: { target: { equals: 127.0.0.9 } } }, { id: rest, action: allow }] }\n',
  });
  const gate = await serving(cwd);
  await ping(gate);
  for (let n = 0; n < 3; n += 1) await ping(gate, '127.0.0.9');
  await expect
    .poll(async () => JSON.stringify((await gate.send('/metrics/history')).json.points), { timeout: 15_000 })
    .toContain('policy_denied');
  const { page } = await openConsole(gate, cwd, { path: '/keys' });
  const loaded: string[] = [];
  page.on('request', (request) => void (request.url().includes('plot-canvas') && loaded.push(request.url())));
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  expect(loaded).toEqual([]);
  for (const path of ['', '/metrics']) {
    await page.goto(`${gate.url}/console${path}`);
    const refusals = page.getByRole('figure', { name: 'Refusals by guard' });
    await refusals.getByRole('row', { name: /^authorize/ }).waitFor();
    await page.getByRole('figure', { name: 'Duration' }).locator('canvas').waitFor();
    for (const name of ['Calls', 'Running and queued'])
      await page.getByRole('figure', { name }).locator('canvas').waitFor();
  }
  expect(loaded.length).toBeGreaterThan(0);
  const row = page.getByRole('region', { name: 'Tools since the start' }).getByRole('row', { name: /ping/ });
  await expect.poll(() => row.getByRole('cell').allInnerTexts()).toEqual(expect.arrayContaining(['4', '3']));
});

spec('Now lists what needs a person, with a link to where it is decided', async () => {
  const cwd = aPlace(quarantined());
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd);
  const panel = page.getByRole('region', { name: 'Needs a person' });
  await panel.getByText('quarantined', { exact: true }).waitFor();
  await panel.getByRole('link', { name: 'notes' }).click();
  await page.getByRole('heading', { name: 'Source notes', level: 1 }).waitFor();
});

spec('the doctor page lists the checks of toolgate doctor, what did not pass first', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'log: { format: text }\n' });
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd, { path: '/doctor' });
  await page.getByRole('region', { name: /^Passed/ }).waitFor();
  await page
    .getByRole('region', { name: /^Warnings/ })
    .getByText('Fix: set log.format: json')
    .waitFor();
});

spec('a client appears on its page as soon as it calls', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd, { path: '/connect/claude-code' });
  await page.getByText('no call seen since the start').waitFor();
  await page.getByRole('region', { name: 'On this machine, over stdio' }).getByText('--stdio').waitFor();
  expect(await page.getByText('tgk_').count()).toBe(0);
  expect((await page.textContent('main'))?.includes(gate.token)).toBe(false);
  const headers = { accept: 'application/json, text/event-stream' };
  const opened = await gate.send('/mcp', {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'claude-code', version: '1' } },
    },
    headers,
  });
  await gate.send('/mcp', {
    body: { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'ping', arguments: { target: '127.0.0.1' } } },
    headers: { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' },
  });
  await page.getByText('Last call from it').waitFor();
});

spec('audit records are exported with their hashes, and filters hold for the export', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  await ping(gate);
  const { page } = await openConsole(gate, cwd, { path: '/audit?tool=ping' });
  await page.getByRole('link', { name: 'ping' }).first().waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as NDJSON' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatchObject({ tool: 'ping', hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByText('intact', { exact: true }).first().waitFor();
});

spec('a call is explained now, verified and replayed through every guard', async () => {
  const cwd = aPlace({
    'toolgate.yaml':
      'policy: { rules: [{ id: rest, action: allow }] }\naudit: { keep_arguments: true, stages: true }\n',
  });
  const gate = await serving(cwd);
  await ping(gate);
  const [{ call }] = (await gate.send('/calls?tool=ping')).json.calls;
  const { page } = await openConsole(gate, cwd, { path: `/calls/${call}` });
  await page.getByRole('region', { name: 'Pipeline' }).getByText('run', { exact: true }).waitFor();
  const explained = page.getByRole('region', { name: 'Decided then, explained now' });
  await explained.getByText('allow', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Verify around this record' }).click();
  await page.getByRole('region', { name: 'Verification' }).getByText('intact', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Replay…' }).click();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('status 200').waitFor();
  expect((await gate.send('/calls?tool=ping')).json.calls[0]).toMatchObject({ via: 'console', principal: 'owner' });
});

spec('a tool is run from the form of its schema, and its access is listed by principal', async () => {
  const cwd = aPlace({
    'toolgate.yaml':
      'policy: { rules: [{ id: no-agents, action: deny, principals: ["key:agent"] }, { id: rest, action: allow }] }\n',
  });
  await toolgate(cwd, ['token', 'create', '--name', 'agent']);
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd, { path: '/tools/ping', expectFailed: ['/execute'] });
  const access = page.getByRole('region', { name: 'Who may call it' });
  await access.getByRole('row', { name: /key:agent.*hidden/ }).waitFor();
  await access.getByRole('row', { name: /owner.*allow.*rest/ }).waitFor();
  const form = page.getByRole('region', { name: 'Try it' });
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('status 400').waitFor();
  await form.getByLabel('target', { exact: false }).first().fill('127.0.0.1');
  await form.getByRole('button', { name: 'Explain' }).click();
  await form.getByText('allow', { exact: true }).waitFor();
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('status 200').waitFor();
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('disabled', { exact: true }).waitFor();
});

/** A server with a command injection in its code, which admission holds back. */
const quarantined = () => ({
  'server.mjs': [
    "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';",
    "import { exec } from 'node:child_process';",
    "import { z } from 'zod';",
    "const server = new McpServer({ name: 'notes', version: '1' });",
    "server.registerTool('find', { description: 'Finds', inputSchema: { word: z.string() } }, async ({ word }) => {",
    "  const command = 'grep ' + word;",
    '  exec(command);',
    '  return { content: [] };',
    '});',
    '',
  ].join('\n'),
  'toolgate.yaml': 'sources: { notes: { kind: mcp, runtime: node, args: [server.mjs], sandbox: { tier: none } } }\n',
});

spec(
  'the scan report shows the way from parameter to sink in the code; findings are rejected or approved',
  async () => {
    const cwd = aPlace(quarantined());
    const gate = await serving(cwd);
    const { page } = await openConsole(gate, cwd, { path: '/sources/notes' });
    await page.getByRole('region', { name: 'Admission' }).getByText('quarantine', { exact: true }).waitFor();
    const report = page.getByRole('region', { name: /^Scan report/ });
    await report.getByText('TG-TAINT-CMD').first().waitFor();
    await report.locator('summary').first().click();
    await report.getByText('exec(command);').first().waitFor();
    await report.getByText('sink', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: /^Reject source scan/ }).click();
    await page.getByText('rejected by owner').waitFor();
    expect((await gate.send('/sources/notes')).json).toMatchObject({ pending: 0 });
    const { out } = await toolgate(cwd, ['audit', '--json', '--principal', 'owner']);
    expect(out).toContain('pins_reject');
  },
);

spec('a running source shows its processes and is restarted', async () => {
  const cwd = aPlace({
    'toolgate.yaml': `sources: { fix: { kind: mcp, command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(upstream)}], admission: open, sandbox: { tier: none } } }\n`,
  });
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd, { path: '/sources/fix' });
  const box = page.getByRole('region', { name: 'Processes' });
  await box.getByText('restarted 0 times').waitFor();
  await box
    .getByText(/pid \d+/)
    .first()
    .waitFor();
  const pidOf = async () => (await gate.send('/sources/fix')).json.runtime.processes[0]?.pid;
  const before = await pidOf();
  await page.getByRole('button', { name: 'Restart' }).click();
  await box.getByText('restarted 1 time', { exact: false }).waitFor();
  await expect.poll(pidOf).not.toBe(before);
});

spec('calls are paused with a count, filtered in the address, and a thousand rows draw a few', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'rate_limit: { requests: 1 }\n' });
  const gate = await serving(cwd);
  for (let n = 0; n < 120; n += 1) await ping(gate);
  const { page } = await openConsole(gate, cwd, { path: '/calls?code=rate_limited' });
  await page.getByText('Live', { exact: true }).waitFor();
  const table = page.getByRole('region', { name: 'Calls, scrollable' });
  await table.getByText('rate_limited').first().waitFor();
  expect(Number(await table.getByRole('table').getAttribute('aria-rowcount'))).toBeGreaterThan(100);
  expect(await table.locator('tr[data-call]').count()).toBeLessThan(60);
  expect(await table.getByText('allowed', { exact: true }).count()).toBe(0);
  await page.keyboard.press('p');
  await expect
    .poll(async () => {
      await ping(gate);
      return page.getByRole('button', { name: /Continue \([1-9]\d* new\)/ }).count();
    })
    .toBe(1);
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
});

spec('the palette finds pages and tools, and ? shows the keys of the page', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Metrics').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a page' }).fill('tool ping');
  await page.getByRole('option', { name: /ping/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Tool ping', level: 1 }).waitFor();
});

test('toolgate console starts the gate of a configuration whose assistants use stdio, and finds it again', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'server: { background: { idle_seconds: 60 } }\n' });
  try {
    const first = await toolgate(cwd, ['console', '--print']);
    expect([first.code, first.err.includes('no gateway')]).toEqual([0, false]);
    const address = new URL(first.out.trim());
    expect(address.hostname).toBe('127.0.0.1');
    const page = await fetch(`${address.origin}/console`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>Toolgate</title>')]);
    const session = await fetch(`${address.origin}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: address.hash.slice(1) }),
    });
    expect(await session.json()).toMatchObject({ principal: 'owner' });
    const second = await toolgate(cwd, ['console', '--print']);
    expect(new URL(second.out.trim()).origin).toBe(address.origin);
  } finally {
    await toolgate(cwd, ['stop']);
  }
});

test('routes of the console refuse callers who are no administrators', async () => {
  const cwd = aPlace();
  const key = (await toolgate(cwd, ['token', 'create', '--name', 'agent'])).out.trim();
  const gate = await serving(cwd);
  for (const path of [
    '/doctor',
    '/connect',
    '/connect/cursor',
    '/audit/export',
    '/metrics/history',
    '/tools/ping/access',
    '/calls/x/verify',
    '/sources/command',
    '/sources/command/screening',
  ])
    expect([path, (await gate.send(path, { headers: { authorization: `Bearer ${key}` } })).status]).toEqual([
      path,
      403,
    ]);
  for (const path of ['/sources/command/restart', '/sources/command/pins/reject', '/sources/command/refresh'])
    expect([
      path,
      (await gate.send(path, { method: 'POST', body: {}, headers: { authorization: `Bearer ${key}` } })).status,
    ]).toEqual([path, 403]);
  expect((await gate.send('/sources/command/restart', { method: 'POST' })).status).toBe(409);
});
