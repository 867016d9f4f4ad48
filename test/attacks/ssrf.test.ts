import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { egress } from '../../src/net/egress/egress.js';
import type { Egress, EgressRules } from '../../src/net/egress/egress-types.js';
import { networkPolicy, type NetworkPolicy, type PolicyRules } from '../../src/net/egress/network-policy.js';
import type { Resolver } from '../../src/net/addresses/resolver.js';
import { recordingServer, type RecordingServer } from '../support/recording-server.js';
import { tinyDns } from '../support/tiny-dns.js';
import { hostileNames, placesNobodyMayReach, spellingsOfAnotherHost, trickyUrls } from './ssrf-urls.js';

const policy = (rules: PolicyRules): NetworkPolicy => {
  const made = networkPolicy(rules);
  if (!made.ok) throw new Error(made.problems.join('; '));
  return made.policy;
};
const onlyHere = policy({ allow: [{ cidrs: ['127.0.0.1/32'], hosts: ['.allowed.example'] }] });
const anywhereLocal = policy({ allow: [{ cidrs: ['127.0.0.0/8', '::1', '0.0.0.0'], hosts: ['.allowed.example'] }] });
const hostileResolver: Resolver = (name) => Promise.resolve(hostileNames[name] ?? []);

let allowed: RecordingServer;
let forbidden: RecordingServer;
let forbiddenSix: RecordingServer | undefined;
const gates: Egress[] = [];
const gate = (rules: Partial<EgressRules> = {}) => {
  const made = egress({ networks: onlyHere, ports: 'any', resolver: hostileResolver, ...rules });
  gates.push(made);
  return made;
};

beforeAll(async () => {
  allowed = await recordingServer({
    answer: (request, response) =>
      response.writeHead(307, { location: decodeURIComponent(request.url?.slice(2) ?? '') }).end(),
  });
  forbidden = await recordingServer({ host: '127.0.0.2' });
  // A machine without IPv6 has no ::1 to listen on; the refusals are tested all the same.
  forbiddenSix = await recordingServer({ host: '::1', port: forbidden.port }).catch(() => undefined);
});
beforeEach(() => [allowed, forbidden, forbiddenSix].forEach((server) => server?.forget()));
afterAll(() => Promise.all([...gates, allowed, forbidden, forbiddenSix].map((each) => each?.close())));

const knocks = () => forbidden.connections() + (forbiddenSix?.connections() ?? 0);
const toForbidden = (text: string) => text.replaceAll('PORT', String(forbidden.port));
const hosts = [...spellingsOfAnotherHost, ...placesNobodyMayReach].map((host) => `http://${host}:PORT/`);
const attacks = [...hosts, ...trickyUrls];

describe('a request to anywhere else is refused and no connection is made', () => {
  test('the table holds at least 150 different attacks', () => {
    expect(new Set(attacks).size).toBeGreaterThanOrEqual(150);
  });

  test.each(attacks)('%j [S2.3] [CVE-2026-44430] [GHSA-56c3-vfp2-5qqj]', async (url) => {
    expect(await gate().request({ url: toForbidden(url) })).toMatchObject({
      kind: 'refused',
      message: expect.not.stringContaining('secret'),
    });
    expect(await gate().open({ url: toForbidden(url) })).toMatchObject({ kind: 'refused' });
    expect(knocks()).toBe(0);
  });
});

describe('a redirect to anywhere else is refused and no connection is made', () => {
  // The header can only carry plain characters, and an address without a scheme stays with the redirecting host.
  const locations = attacks.filter(
    (url) => /^[a-z+-]+:/i.test(url) && /^[\x21-\x7e]+$/.test(url) && !/^http:\/?(\d|$)/i.test(url),
  );

  test.each(locations)('%j [S2.3] [CVE-2026-44430]', async (url) => {
    const result = await gate().request({
      url: `http://127.0.0.1:${allowed.port}/?${encodeURIComponent(toForbidden(url))}`,
    });
    expect(result).toMatchObject({ kind: 'refused', message: expect.not.stringContaining('secret') });
    expect(allowed.requests).toHaveLength(1);
    expect(knocks()).toBe(0);
  });

  test('the last of several hops is judged like the first', async () => {
    const via = (next: string) => `http://127.0.0.1:${allowed.port}/?${encodeURIComponent(next)}`;
    expect(await gate().request({ url: via(via(`http://0x7f.2:${forbidden.port}/`)) })).toMatchObject({
      kind: 'refused',
      reason: 'address',
    });
    expect([allowed.requests.length, knocks()]).toEqual([2, 0]);
  });
});

test('the listeners are real: the same spellings arrive once their network is named', async () => {
  const open = gate({ networks: anywhereLocal });
  for (const host of [
    '127.2',
    '0x7f000002',
    '2130706434',
    '①②⑦.⓪.⓪.②',
    '[::ffff:127.0.0.2]',
    'to-loopback.allowed.example',
    ...(forbiddenSix ? ['[::1]', 'to-six.allowed.example'] : []),
  ]) {
    expect(await open.request({ url: `http://${host}:${forbidden.port}/` })).toMatchObject({
      kind: 'response',
      status: 200,
    });
  }
  expect(knocks()).toBeGreaterThan(0);
});

describe('a name that changes its mind', () => {
  test('is dialled at the address that was vetted, without a second question [S0.35]', async () => {
    let asked = 0;
    const rebinding: Resolver = () => Promise.resolve([(asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2']);
    const guard = gate({ resolver: rebinding });
    const url = `http://web.allowed.example:${allowed.port}/?http%3A%2F%2Fother.test%2F`;
    expect(await guard.request({ url, redirect: 'manual' })).toMatchObject({ kind: 'response', status: 307 });
    expect([asked, allowed.requests.length, knocks()]).toEqual([1, 1, 0]);
    expect(allowed.requests[0]?.headers.host).toBe(`web.allowed.example:${allowed.port}`);
  });

  test('is refused when it changes between the check and the connection', async () => {
    let asked = 0;
    const rebinding: Resolver = () => Promise.resolve([(asked += 1) === 1 ? '127.0.0.1' : '127.0.0.2']);
    const guard = gate({ resolver: rebinding });
    const url = `http://web.allowed.example:${forbidden.port}/`;
    expect(await guard.vet(url)).toEqual({ ok: true, addresses: ['127.0.0.1'] });
    expect(await guard.request({ url })).toMatchObject({ kind: 'refused', reason: 'address' });
    expect(knocks()).toBe(0);
  });

  test('is refused through a real name server too [S0.35]', async () => {
    const dns = await tinyDns((_, question) => (question === 1 ? ['127.0.0.1'] : ['127.0.0.2']));
    try {
      const guard = gate({ resolver: dns.lookUp });
      const url = `http://web.allowed.example:${allowed.port}/?x`;
      expect(await guard.request({ url, redirect: 'manual' })).toMatchObject({ kind: 'response' });
      expect(dns.questions()).toBe(1);
      expect(await guard.request({ url: `http://web.allowed.example:${forbidden.port}/` })).toMatchObject({
        kind: 'refused',
        reason: 'address',
      });
      expect([dns.questions(), knocks()]).toEqual([2, 0]);
    } finally {
      dns.close();
    }
  });

  test('is refused when a redirect brings it back with another address', async () => {
    const answers = ['127.0.0.1', '127.0.0.2'];
    const guard = gate({ resolver: () => Promise.resolve([answers.shift() ?? '127.0.0.2']) });
    const location = encodeURIComponent(`http://web.allowed.example:${forbidden.port}/`);
    expect(await guard.request({ url: `http://web.allowed.example:${allowed.port}/?${location}` })).toMatchObject({
      kind: 'refused',
      reason: 'address',
    });
    expect(knocks()).toBe(0);
  });
});

test('a proxy named in the environment is not used', async () => {
  const names = [
    'HTTP_PROXY',
    'http_proxy',
    'HTTPS_PROXY',
    'https_proxy',
    'ALL_PROXY',
    'all_proxy',
    'NODE_USE_ENV_PROXY',
  ];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names)
    process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.2:${forbidden.port}`;
  try {
    expect(await gate().request({ url: `http://127.0.0.1:${allowed.port}/?x`, redirect: 'manual' })).toMatchObject({
      kind: 'response',
    });
    expect(knocks()).toBe(0);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});
