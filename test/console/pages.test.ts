import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasBrowser, openConsole } from '../support/browser.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const spec = test.skipIf(!hasBrowser);
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Pages of the navigation and the heading of each. */
const pages = {
  '': 'Now',
  '/approvals': 'Approvals',
  '/calls': 'Calls',
  '/tools': 'Tools',
  '/tools/ping': 'Tool ping',
  '/sources': 'Sources',
  '/sources/command': 'Source command',
  '/policy': 'Policy',
  '/audit': 'Audit',
  '/metrics': 'Metrics',
  '/doctor': 'Doctor',
  '/connect': 'Connect',
  '/connect/claude-code': 'Connect',
  '/keys': 'Keys',
} as const;

/** Rules of axe-core that a page breaks. */
async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.target.join(' ')).join(', ')))`,
  );
}

const rules = [
  'policy:',
  '  rules:',
  '    - { id: no-probes, action: deny, tools: [nmap*], reason: "no scans" }',
  '    - { id: rest, action: allow }',
  '',
].join('\n');

spec.each(['light', 'dark'] as const)('every page is accessible and free of errors (%s)', async (colorScheme) => {
  const cwd = aPlace({ 'toolgate.yaml': rules });
  await toolgate(cwd, ['token', 'create', '--name', 'agent']);
  const gate = await serving(cwd);
  await gate.send('/tools/ping/execute', { body: { target: '127.0.0.1' } });
  const { page } = await openConsole(gate, cwd, { colorScheme });
  await page.getByText('Live', { exact: true }).waitFor();
  const found: string[] = [];
  const [{ call }] = (await gate.send('/calls?tool=ping')).json.calls;
  for (const [path, title] of Object.entries({ ...pages, [`/calls/${call}`]: 'Call' })) {
    await page.goto(`${gate.url}/console${path}`);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    for (const finding of await accessibilityFindings(page)) found.push(`${path}: ${finding}`);
  }
  expect(found).toEqual([]);
});

spec('a call appears live, and its page shows the guards it passed and the one that answered', async () => {
  const cwd = aPlace({
    'toolgate.yaml':
      'policy: { rules: [{ id: no-ping, action: deny, args: { target: { equals: 127.0.0.9 } } }, { id: rest, action: allow }] }\n',
  });
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd, { path: '/calls' });
  await page.getByText('No calls match.').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await expect
    .poll(async () => {
      await gate.send('/tools/ping/execute', { body: { target: '127.0.0.9' } });
      return page.getByText('policy_denied').count();
    })
    .toBeGreaterThan(0);
  await page.getByRole('link', { name: 'ping' }).first().click();
  const pipeline = page.getByRole('region', { name: 'Pipeline' });
  await pipeline.getByText('authorize', { exact: true }).waitFor();
  await pipeline.getByText('answered: policy_denied').waitFor();
  await page.getByRole('link', { name: 'no-ping' }).waitFor();
});

spec('a draft of rules is replayed over recorded calls, and nothing is installed', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'policy: { rules: [{ id: rest, action: allow }] }\n' });
  const gate = await serving(cwd);
  await gate.send('/tools/ping/execute', { body: { target: '127.0.0.1' } });
  const { page } = await openConsole(gate, cwd, { path: '/policy' });
  await page
    .getByLabel(/Draft of policy.rules/)
    .fill('[{ id: none, action: deny, tools: [ping] }, { id: rest, action: allow }]');
  await page.getByRole('button', { name: 'Replay over the last 500 calls' }).click();
  await page.getByText('Of the last 1 calls, 1 would be refused, 0 asked, 0 allowed; 1 change').waitFor();
  expect((await gate.send('/tools/ping/execute', { body: { target: '127.0.0.1' } })).status).toBe(200);
});

spec('a key is made, shown once and revoked', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd, { path: '/keys' });
  await page.getByLabel('Name').fill('ide');
  await page.getByRole('button', { name: 'Create' }).click();
  const key = (await page.getByText(/^tgk_/).textContent()) ?? '';
  const status = async () => (await gate.send('/me', { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await status()).toBe(200);
  await page.reload();
  await page.getByText('key:ide').waitFor();
  expect(await page.getByText(/^tgk_/).count()).toBe(0);
  await page.getByRole('button', { name: 'Revoke ide' }).click();
  await expect.poll(status).toBe(401);
});
