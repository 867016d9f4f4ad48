import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { authorizationServer } from '../support/authorization-server.js';
import { browser, hasBrowser, watch } from '../support/browser.js';
import { aPlace, serving } from '../support/toolgate.js';

const spec = test.skipIf(!hasBrowser);

async function aGateWithIssuer() {
  const idp = await authorizationServer();
  const cwd = aPlace({
    'toolgate.yaml': `auth:
  issuers:
    - name: corp
      issuer: ${idp.issuer}
      audience: [toolgate]
      roles_claim: groups
      roles: { ops: admin }
      console: { client_id: console, scopes: [openid, groups] }
`,
  });
  const gate = await serving(cwd);
  idp.allowRedirect(`${gate.url}/console/callback`);
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const problems = watch(page, gate.url, [idp.issuer, '/console/session']);
  return { idp, gate, context, page, problems };
}

spec('people log in at an issuer; its tokens never reach the page, and roles come from its claims', async () => {
  const { idp, gate, context, page, problems } = await aGateWithIssuer();
  let callback = '';
  page.on('request', (request) => {
    if (request.url().includes('/console/callback')) callback = request.url();
  });
  await page.goto(`${gate.url}/console`);
  await page.getByRole('button', { name: 'Log in with corp' }).click();
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  await page.getByText('jwt:corp:alice').waitFor();
  expect(page.url()).toBe(`${gate.url}/console`);
  // The mapped role: only administrators have this page in the navigation.
  await page.getByRole('link', { name: 'Policy' }).waitFor();
  expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain('eyJ');
  // The state works once.
  expect(callback).not.toBe('');
  const again = await context.newPage();
  await again.goto(callback);
  await again.getByText('The login took too long or was finished before').waitFor();
  expect(await again.evaluate('document.cookie')).toBe('');
  expect(problems).toEqual([]);
  await context.close();
  expect(idp.issuer).toContain('127.0.0.1');
});

spec('a login works only in the tab that began it, so that a link cannot log in a victim as the attacker', async () => {
  const { gate, context, page, problems } = await aGateWithIssuer();
  const binding = createHash('sha256').update('secret of the attacker').digest('base64url');
  const { json } = await gate.send('/console/login/corp', { body: { binding }, headers: { authorization: '' } });
  await page.goto(json.url);
  await page.getByText('The code is unknown, was used or has expired').waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

test('a callback of another issuer, of an unknown state or without a code opens no session', async () => {
  const idp = await authorizationServer();
  const cwd = aPlace({
    'toolgate.yaml': `auth: { issuers: [{ name: corp, issuer: "${idp.issuer}", audience: [toolgate], console: { client_id: console } }] }\n`,
  });
  const gate = await serving(cwd);
  const begin = async () => {
    const binding = createHash('sha256').update('x').digest('base64url');
    const { json } = await gate.send('/console/login/corp', { body: { binding }, headers: { authorization: '' } });
    return new URL(json.url).searchParams;
  };
  const asked = await begin();
  expect(asked.get('code_challenge_method')).toBe('S256');
  expect(asked.get('redirect_uri')).toBe(`${gate.url}/console/callback`);
  const locationOf = async (query: string) =>
    (await fetch(`${gate.url}/console/callback?${query}`, { redirect: 'manual' })).headers.get('location');
  expect(await locationOf('state=unknown&code=x')).toBe('/console?login=expired');
  expect(await locationOf(`state=${asked.get('state')}&code=x&iss=https://evil.example`)).toBe(
    '/console?login=invalid',
  );
  expect(await locationOf(`state=${(await begin()).get('state')}&error=access_denied`)).toBe('/console?login=denied');
  expect(await locationOf(`state=${(await begin()).get('state')}&code=forged`)).toBe('/console?login=unavailable');
  expect((await gate.send('/console/login/other', { body: { binding: 'x'.repeat(43) } })).status).toBe(404);
});
