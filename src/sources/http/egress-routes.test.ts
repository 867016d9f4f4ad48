import { expect, onTestFinished, test } from 'vitest';
import { egressRoutes } from './egress-routes.js';

/** Judges an address on the way that belongs to another, without dialling: names lead to `leadsTo`. */
async function judged(
  from: string,
  to: string,
  leadsTo: string,
  allowedDomains = ['svc.example', 'localhost', '127.0.0.1'],
): Promise<boolean | string> {
  const ways = egressRoutes({
    allowedDomains,
    urls: [new URL(from)],
    net: { resolver: () => Promise.resolve([leadsTo]) },
  });
  onTestFinished(() => ways.close());
  const way = ways.route(new URL(from));
  return typeof way === 'string' ? way : (await way.vet(to)).ok;
}

test.each([
  ['a private address', 'http://svc.example/', '10.0.0.5', true],
  ['a public address', 'http://svc.example/', '93.184.216.34', true],
  ['a name below it', 'http://a.svc.example/', '10.0.0.5', true],
  ['this machine', 'http://svc.example/', '127.0.0.1', false],
  ['this machine in IPv6', 'http://svc.example/', '::1', false],
  ['cloud metadata', 'http://svc.example/', '169.254.169.254', false],
  ['a redirect to localhost', 'http://localhost/', '127.0.0.1', false],
  ['a redirect to a listed address', 'http://127.0.0.1/', '', false],
  ['a redirect to a private address', 'http://10.0.0.5/', '', false],
  ['a redirect to another name', 'http://other.example/', '93.184.216.34', false],
  ['a redirect to another port', 'http://svc.example:8080/', '10.0.0.5', false],
  ['a redirect to another scheme', 'https://svc.example/', '10.0.0.5', false],
])('from a listed name, %s: %s (%s) is allowed: %s [S2.3]', async (_, to, leadsTo, isAllowed) => {
  expect(await judged('http://svc.example/', to, leadsTo)).toBe(isAllowed);
});

test.each([
  ['itself', 'http://localhost/', '127.0.0.1', true],
  ['a name below it', 'http://a.localhost/', '127.0.0.1', true],
  ['another listed address', 'http://127.0.0.1/', '', false],
  ['another address of this machine', 'http://127.0.0.2/', '', false],
  ['localhost that leads elsewhere', 'http://localhost/', '10.0.0.5', false],
  ['a listed name', 'http://svc.example/', '10.0.0.5', false],
])('from localhost, %s: %s (%s) is allowed: %s [S2.3]', async (_, to, leadsTo, isAllowed) => {
  expect(await judged('http://localhost/', to, leadsTo)).toBe(isAllowed);
});

test('a listed address is one address and no network', async () => {
  expect(await judged('http://10.0.0.5/', 'http://10.0.0.5/', '', ['10.0.0.5'])).toBe(true);
  expect(await judged('http://10.0.0.5/', 'http://10.0.0.6/', '', ['10.0.0.5'])).toBe(false);
  expect(await judged('http://[::1]/', 'http://[::1]/', '', ['::1'])).toBe(true);
});

test('an address outside the list has no way at all [S2.3]', async () => {
  expect(await judged('http://evil.example/', '', '')).toBe(
    "MCP URL host 'evil.example' not in allowed domains: ['svc.example', 'localhost', '127.0.0.1']",
  );
});

test('a metadata address needs its own key beside the domains, and stays closed to redirects of other functions', async () => {
  const at = 'http://169.254.169.254/';
  const allowed = async (metadataAddresses: readonly string[], from = at): Promise<boolean | string> => {
    const ways = egressRoutes({
      allowedDomains: ['169.254.169.254', 'svc.example'],
      urls: [new URL(at), new URL('http://svc.example/')],
      metadataAddresses,
      net: { resolver: () => Promise.resolve(['10.0.0.5']) },
    });
    onTestFinished(() => ways.close());
    const way = ways.route(new URL(from));
    return typeof way === 'string' ? way : (await way.vet(at)).ok;
  };
  expect(await allowed([])).toBe(false);
  expect(await allowed(['169.254.169.254'])).toBe(true);
  expect(await allowed(['169.254.169.254'], 'http://svc.example/')).toBe(false);
});
