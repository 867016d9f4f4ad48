import { expect, test } from 'vitest';
import { browser, consoleAddress, hasBrowser, openConsole, watch } from '../support/browser.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const spec = test.skipIf(!hasBrowser);

/** A gateway whose calls wait for an operator, and the key of an assistant. */
async function aGateThatAsks() {
  const cwd = aPlace({
    'toolgate.yaml': [
      'policy:',
      '  confirmation: { wait_seconds: 60 }',
      '  rules: [{ id: ops-approve, action: confirm, confirm: operator, reason: "probes a host" }]',
      '',
    ].join('\n'),
  });
  const agent = (await toolgate(cwd, ['token', 'create', '--name', 'agent'])).out.trim();
  const gate = await serving(cwd);
  const call = (target: string, more: object = {}) =>
    gate.send('/tools/ping/execute', {
      body: { target, ...more },
      headers: { authorization: `Bearer ${agent}` },
    });
  return { cwd, gate, call };
}

spec(
  'a ticket is approved with one key; the call runs, and the decision is in the audit as of the console',
  async () => {
    const { cwd, gate, call } = await aGateThatAsks();
    const { page } = await openConsole(gate, cwd, { path: '/approvals' });
    await page.getByText('No call waits for approval.').waitFor();
    const answer = call('127.0.0.1');
    const ticket = page.getByRole('article');
    await ticket.getByRole('heading', { name: 'ping' }).waitFor();
    // Who, what, why.
    for (const text of ['key:agent', 'ops-approve', 'probes a host', '"127.0.0.1"'])
      await ticket.getByText(text, { exact: false }).first().waitFor();
    // What the gateway derived from an argument is no default that the tool declares.
    for (const [name, origin] of Object.entries({ target: 'given', count: 'default', address: 'derived' }))
      await ticket.getByRole('row', { name }).getByText(origin, { exact: true }).waitFor();
    expect(await page.title()).toBe('(1) Approvals · Toolgate');
    await page.keyboard.press('a');
    await ticket.getByText('approved', { exact: true }).waitFor();
    expect((await answer).status).toBe(200);
    await page.getByText('No call waits for approval.').waitFor();
    const { out } = await toolgate(cwd, ['audit', '--json', '--principal', 'owner']);
    const records = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records).toContainEqual(
      expect.objectContaining({
        event: 'admin',
        via: 'console',
        tool: 'ping',
        detail: expect.objectContaining({ action: 'approve' }),
      }),
    );
  },
);

spec('what changed since the last approved call is marked, with its value before', async () => {
  const { cwd, gate, call } = await aGateThatAsks();
  const { page } = await openConsole(gate, cwd, { path: '/approvals' });
  const first = call('127.0.0.1');
  await page.getByRole('article').getByText('no approved call of this caller and tool').waitFor();
  await page.keyboard.press('a');
  await first;
  const second = call('127.0.0.2');
  // The choice never moves by itself: the next ticket is opened by a key.
  await expect.poll(() => page.title()).toBe('(1) Approvals · Toolgate');
  await page.keyboard.press('j');
  const row = page.getByRole('row', { name: /target/ });
  await row.getByText('changed').waitFor();
  await row.getByText('before: "127.0.0.1"').waitFor();
  await page.getByText('same as at the last approved call').waitFor();
  await page.keyboard.press('a');
  expect((await second).status).toBe(200);
});

spec('a denial has a reason, which the caller gets', async () => {
  const { cwd, gate, call } = await aGateThatAsks();
  const { page } = await openConsole(gate, cwd, { path: '/approvals' });
  const answer = call('127.0.0.1');
  await page.getByRole('article').waitFor();
  await page.keyboard.press('d');
  await page.getByLabel('Reason, shown to the caller').fill('ask me tomorrow');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('denied', { exact: true }).waitFor();
  expect(JSON.stringify((await answer).json)).toContain('An operator denied this call: ask me tomorrow');
});

spec('two browsers answer one ticket: one decision counts, and the other browser shows it', async () => {
  const { cwd, gate, call } = await aGateThatAsks();
  const [left, right] = await Promise.all([
    openConsole(gate, cwd, { path: '/approvals' }),
    openConsole(gate, cwd, { path: '/approvals', expectFailed: ['/deny', '/approve'] }),
  ]);
  const answer = call('127.0.0.1');
  for (const { page } of [left, right]) await page.getByRole('article').getByText('"127.0.0.1"').first().waitFor();
  await right.page.keyboard.press('d');
  await right.page.getByLabel('Reason').waitFor();
  await left.page.keyboard.press('a');
  await left.page.getByRole('article').getByText('approved', { exact: true }).waitFor();
  expect((await answer).status).toBe(200);
  const other = right.page.getByRole('article');
  await other.getByText('approved', { exact: true }).waitFor();
  await other.getByText('owner').first().waitFor();
  expect(await other.getByRole('button', { name: /Approve|Deny/ }).count()).toBe(0);
});

spec('from toolgate console to a decided ticket: no more than three keys', async () => {
  const { cwd, gate, call } = await aGateThatAsks();
  const answer = call('127.0.0.1');
  await expect.poll(async () => (await gate.send('/approvals')).json.approvals.length).toBe(1);
  // The address as the command opens it, without a path.
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const problems = watch(page, gate.url);
  await page.goto(await consoleAddress(gate, cwd));
  await page.getByRole('link', { name: /ping by key:agent/ }).waitFor();
  for (const key of ['g', 'a']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Approve once' }).waitFor();
  await page.keyboard.press('a');
  expect((await answer).status).toBe(200);
  expect(problems).toEqual([]);
  await context.close();
});

spec('a phone approves with one hand: one column, large buttons, nothing to scroll sideways', async () => {
  const { cwd, gate, call } = await aGateThatAsks();
  const { page } = await openConsole(gate, cwd, { path: '/approvals', viewport: { width: 360, height: 640 } });
  const answer = call('127.0.0.1');
  const approve = page.getByRole('button', { name: 'Approve once' });
  await approve.waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect((await approve.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await approve.click();
  expect((await answer).status).toBe(200);
});

spec('the gateway restarts under an open page: the page shows it, and works again with the same session', async () => {
  const { cwd, gate } = await aGateThatAsks();
  const { page } = await openConsole(gate, cwd, { path: '/approvals', expectFailed: [gate.url, 'ERR_'] });
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await gate.stop()).toBe(0);
  await page.getByText('Connection lost; trying again').waitFor();
  const again = await serving(cwd, ['--port', new URL(gate.url).port]);
  expect(again.url).toBe(gate.url);
  await page.getByText('Live', { exact: true }).waitFor();
  const key = (await toolgate(cwd, ['token', 'create', '--name', 'second'])).out.trim();
  const answer = again.send('/tools/ping/execute', {
    body: { target: '127.0.0.1' },
    headers: { authorization: `Bearer ${key}` },
  });
  await page.getByRole('article').getByText('key:second').first().waitFor();
  await page.keyboard.press('a');
  expect((await answer).status).toBe(200);
});
