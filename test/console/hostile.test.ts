import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasBrowser, openConsole } from '../support/browser.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const spec = test.skipIf(!hasBrowser);
const server = join(dirname(fileURLToPath(import.meta.url)), '../support/upstream/hostile.mjs');
const markup = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

/** Elements that only markup of the source could have made. */
const foreignElements = (page: Page): Promise<number> =>
  page.evaluate(
    'document.querySelectorAll("main img, main script, main iframe, main a[href^=javascript], main style, main [onerror], main [onload]").length',
  );

spec(
  'names, descriptions, arguments, results and stderr of a hostile source are drawn as text on every page',
  async () => {
    const cwd = aPlace({
      'toolgate.yaml': `sources:
  evil: { kind: mcp, command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(server)}], admission: open, sandbox: { tier: none } }
policy:
  confirmation: { wait_seconds: 60 }
  rules:
    - { id: ask, action: confirm, confirm: operator, principals: ["key:agent"], reason: ${JSON.stringify(markup)} }
    - { id: rest, action: allow }
audit: { keep_arguments: true, stages: true }
`,
    });
    const agent = (await toolgate(cwd, ['token', 'create', '--name', 'agent'])).out.trim();
    const gate = await serving(cwd);
    const listed = await gate.send('/tools');
    const names: string[] = listed.json.tools
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => name.startsWith('evil'));
    const shout = names.find((name) => name.endsWith('shout')) ?? '';
    const flood = names.find((name) => name.endsWith('flood')) ?? '';
    expect([shout, flood]).not.toContain('');
    const hostileArgs = { text: `${markup}\u202Egnp\u001b[31m`, size: 1 };
    await gate.send(`/tools/${shout}/execute`, { body: hostileArgs });
    await gate.send(`/tools/${flood}/execute`, { body: {} });
    await gate.send(`/tools/${encodeURIComponent(markup)}/execute`, { body: {} });
    // A megabyte in one argument.
    await gate.send(`/tools/${shout}/execute`, { body: { text: `${'C'.repeat(1_000_000)}${markup}` } });
    const { calls } = (await gate.send('/calls?limit=10')).json as { calls: { call: string }[] };
    const { page } = await openConsole(gate, cwd, {
      path: '/approvals',
      expectFailed: ['/tools/', '/explain', '__proto__'],
    });
    await page.getByText('Live', { exact: true }).waitFor();
    const waiting = gate.send(`/tools/${shout}/execute`, {
      body: hostileArgs,
      headers: { authorization: `Bearer ${agent}` },
    });
    const ticket = page.getByRole('article');
    await ticket.getByText('onerror').first().waitFor();
    await ticket.getByText(/u202e/i).first().waitFor();
    expect(await foreignElements(page)).toBe(0);
    await page.keyboard.press('a');
    await waiting;

    for (const path of [
      '',
      '/calls',
      ...calls.map(({ call }) => `/calls/${call}`),
      '/tools',
      ...names.map((name) => `/tools/${encodeURIComponent(name)}`),
      `/tools/${encodeURIComponent(markup)}`,
      '/sources',
      '/sources/evil',
      '/policy?rule=ask',
      '/audit',
      `/audit?tool=${encodeURIComponent(markup)}`,
      '/metrics',
      '/doctor',
      '/connect',
      '/keys',
      `/${encodeURIComponent(markup)}`,
      '/calls/__proto__',
      '/tools/__proto__',
      '/sources/__proto__',
      '/connect/__proto__',
    ]) {
      await page.goto(`${gate.url}/console${path}`);
      await page.locator('main').waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      expect([path, await foreignElements(page)]).toEqual([path, 0]);
    }
    // The form of the hostile schema runs, and its answer is text.
    await page.goto(`${gate.url}/console/tools/${shout}`);
    await page.getByRole('button', { name: 'Run' }).click();
    const answer = page.getByRole('region', { name: 'Try it' }).getByRole('status');
    await answer.getByText('onerror').first().waitFor();
    expect(await foreignElements(page)).toBe(0);
    expect(await page.evaluate('Object.keys(Object.prototype).length')).toBe(0);
    // The palette finds it by its name.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a page' }).fill('shout');
    await page.getByRole('option', { name: /shout/ }).first().waitFor();
    expect(await foreignElements(page)).toBe(0);
  },
);
