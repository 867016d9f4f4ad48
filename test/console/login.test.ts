import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { browser, consoleAddress, hasBrowser, openConsole, watch } from '../support/browser.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const spec = test.skipIf(!hasBrowser);

spec('toolgate console logs a browser in, once, and leaves no code in the address or the history', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  const address = await consoleAddress(gate, cwd);
  const { page } = await openConsole(gate, cwd);
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  expect(page.url()).toBe(`${gate.url}/console`);
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await page.evaluate('document.cookie')).toBe('');
  // A reload keeps the session of the tab.
  await page.reload();
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  // A code works once, in one browser.
  const context = await (await browser()).newContext();
  const second = await context.newPage();
  const problems = watch(second, gate.url, ['/console/session']);
  await second.goto(address);
  await second.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  const third = await context.newPage();
  await third.goto(address);
  await third.getByText('The code is unknown, was used or has expired').waitFor();
  expect(third.url()).toBe(`${gate.url}/console`);
  expect(problems).toEqual([]);
  await context.close();
});

spec('a session is listed and revoked by toolgate token, and the page shows the login again', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  const { page } = await openConsole(gate, cwd, { expectFailed: ['401', '/events?'] });
  await page.getByText('Live', { exact: true }).waitFor();
  const listed = JSON.parse((await toolgate(cwd, ['token', 'sessions', '--json'])).out);
  expect(listed.sessions).toEqual([expect.objectContaining({ principal: 'owner' })]);
  expect((await toolgate(cwd, ['token', 'revoke', listed.sessions[0].id])).code).toBe(0);
  await expect.poll(async () => (await toolgate(cwd, ['token', 'sessions'])).out).toBe('');
  // Without a key pressed: the event stream is cut with its session, and the page notices when it connects again.
  await page.getByText('toolgate console', { exact: true }).waitFor();
});

spec('a key logs in through the form and is not stored; logging out ends the session', async () => {
  const cwd = aPlace();
  const key = (await toolgate(cwd, ['token', 'create', '--name', 'boss', '--role', 'approver'])).out.trim();
  const gate = await serving(cwd);
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const problems = watch(page, gate.url);
  await page.goto(`${gate.url}/console/approvals`);
  await page.getByLabel('With a key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
  await page.getByText('key:boss').waitFor();
  expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain(key);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You have logged out').waitFor();
  expect((await toolgate(cwd, ['token', 'sessions'])).out).toBe('');
  expect(problems).toEqual([]);
  await context.close();
});

test('a session ends with the credential that opened it, and is no way to outlive it', async () => {
  const cwd = aPlace();
  const key = (await toolgate(cwd, ['token', 'create', '--name', 'boss', '--role', 'approver'])).out.trim();
  const gate = await serving(cwd);
  const open = async (authorization: string) => {
    const { json } = await gate.send('/console/code', { method: 'POST', headers: { authorization } });
    return (await gate.send('/console/session', { body: { code: json.code }, headers: { authorization: '' } })).json;
  };
  const first = await open(`Bearer ${key}`);
  const second = await open(`Bearer ${first.token}`);
  const me = async (token: string) => gate.send('/me', { headers: { authorization: `Bearer ${token}` } });
  expect((await me(second.token)).json).toMatchObject({ id: 'key:boss', may: { approve: true, admin: false } });
  expect(Date.parse(second.expires)).toBeLessThanOrEqual(Date.parse(first.expires));
  expect((await toolgate(cwd, ['token', 'revoke', 'boss'])).code).toBe(0);
  for (const token of [first.token, second.token]) await expect.poll(async () => (await me(token)).status).toBe(401);
});

test('a session of the owner ends when the token is renewed', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  const { json } = await gate.send('/console/code', { method: 'POST' });
  const { token } = (await gate.send('/console/session', { body: { code: json.code } })).json;
  const status = async () => (await gate.send('/me', { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status()).toBe(200);
  await toolgate(cwd, ['token', 'renew']);
  await expect.poll(status).toBe(401);
});

test('guessing codes is limited by address', async () => {
  const gate = await serving(aPlace());
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 7; attempt += 1)
    statuses.push((await gate.send('/console/session', { body: { code: 'x'.repeat(43) } })).status);
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  expect(statuses.at(-1)).toBe(429);
});

test('without BROWSER a person gets the address; with it, that program is started without a shell', async () => {
  const cwd = aPlace();
  const gate = await serving(cwd);
  const program = join(cwd, 'browser.mjs');
  writeFileSync(
    program,
    `#!${process.execPath}\nimport { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(cwd, 'opened'))}, process.argv[2]);\n`,
  );
  chmodSync(program, 0o755);
  const { out, code } = await toolgate(cwd, ['console', '--url', gate.url], { BROWSER: program });
  expect([code, out]).toEqual([0, `Opened ${gate.url}/console in your browser.\n`]);
  await expect.poll(() => readFileSync(join(cwd, 'opened'), 'utf8')).toMatch(/\/console#[\w-]{43}$/);
  expect((await toolgate(cwd, ['console', '--url', gate.url], { BROWSER: join(cwd, 'none') })).out).toMatch(
    /Open this address within a minute:\nhttp:\/\/127\.0\.0\.1:\d+\/console#[\w-]{43}\n/,
  );
});

test('the console is off on other addresses unless people can log in, and never answers other origins', async () => {
  const off = await serving(aPlace({ 'toolgate.yaml': 'server: { host: 0.0.0.0, allowed_hosts: [127.0.0.1] }\n' }));
  const at = (url: string) => url.replace('0.0.0.0', '127.0.0.1');
  expect((await fetch(`${at(off.url)}/console`)).status).toBe(404);
  expect((await fetch(`${at(off.url)}/console/session`, { method: 'POST' })).status).toBe(404);
  const keyed = aPlace({
    'toolgate.yaml': 'server: { host: 0.0.0.0, allowed_hosts: [127.0.0.1], cors_origins: ["https://ide.example"] }\n',
  });
  await toolgate(keyed, ['token', 'create', '--name', 'boss']);
  const on = await serving(keyed);
  const page = await fetch(`${at(on.url)}/console`);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  expect(page.headers.get('set-cookie')).toBeNull();
  const foreign = { headers: { origin: 'https://ide.example' } };
  expect((await fetch(`${at(on.url)}/tools`, foreign)).headers.get('access-control-allow-origin')).toBe(
    'https://ide.example',
  );
  expect((await fetch(`${at(on.url)}/console`, foreign)).headers.get('access-control-allow-origin')).toBeNull();
});
