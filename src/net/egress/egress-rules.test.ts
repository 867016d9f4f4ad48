import { describe, expect, test } from 'vitest';
import { policyOf } from '../../../test/support/gates.js';
import { egress } from './egress.js';
import { egressProblems, compileEgressRules, withSubdomains } from './egress-rules.js';
import type { EgressRules } from './egress-types.js';

const networks = policyOf({ allow: ['public', 'loopback'] });
const rules = (more: Partial<EgressRules> = {}): EgressRules => ({ networks, ...more });
const verdict = (more: Partial<EgressRules>, url: string) => {
  const result = compileEgressRules(rules(more)).url(url);
  return result.kind === 'refused' ? result.reason : result.url.href;
};

describe('allowed hosts', () => {
  const domains = { hosts: withSubdomains(['api.example.com', 'localhost', '127.0.0.1']) };

  test.each([
    'http://api.example.com/',
    'http://API.Example.COM/',
    'http://api.example.com./',
    'http://v2.api.example.com/',
    'http://ａｐｉ.example.com/',
    'http://localhost/',
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://127.1/',
  ])('%s is an entry or below one [S2.3]', (url) => {
    expect(verdict(domains, url)).toMatch(/^http:/);
  });

  test.each([
    'http://example.com/',
    'http://evilapi.example.com/',
    'http://api.example.com.evil.net/',
    'http://127.0.0.2/',
    'http://[::1]/',
    'http://1.api.example.net/',
    'http://8.8.8.8/',
  ])('%s is not [S2.3]', (url) => {
    expect(verdict(domains, url)).toBe('host');
  });

  test('the refusal names the host and the list [S2.3]', () => {
    expect(compileEgressRules(rules({ hosts: ['localhost', '127.0.0.1'] })).url('http://evil.test/')).toMatchObject({
      message: "host 'evil.test' not in allowed domains: [localhost, 127.0.0.1]",
    });
  });

  test('a listed name still needs an allowed address', () => {
    expect(verdict({ hosts: ['10.0.0.1'] }, 'http://10.0.0.1/')).toBe('address');
  });

  test('* is refused without the insecure development switch, and even then addresses are judged [S2.4]', () => {
    expect(egressProblems(rules({ hosts: ['*'] }))).toEqual([expect.stringContaining('--insecure-dev')]);
    expect(() => egress(rules({ hosts: ['*'] }))).toThrow('unsafe egress rules');
    expect(verdict({ hosts: ['*'], insecureDev: true }, 'http://anything.test/')).toBe('http://anything.test/');
    expect(verdict({ hosts: ['*'], insecureDev: true }, 'http://169.254.169.254/')).toBe('address');
  });
});

describe('what else is part of the rule', () => {
  test.each([
    [{}, 'http://a.test/', 'http://a.test/'],
    [{}, 'https://a.test:443/x#frag', 'https://a.test/x'],
    [{}, 'http://a.test:22/', 'port'],
    [{}, 'https://a.test:8443/', 'port'],
    [{ ports: [8443] }, 'https://a.test:8443/', 'https://a.test:8443/'],
    [{ ports: [8443] }, 'https://a.test/', 'port'],
    [{ schemes: ['https'] }, 'http://a.test/', 'scheme'],
    [{ schemes: ['https'] }, 'https://a.test/', 'https://a.test/'],
    [{}, 'ftp://a.test/', 'scheme'],
    [{}, 'http://u@a.test/', 'userinfo'],
    [{}, 'http://a.test./', 'http://a.test/'],
    [{}, `http://a.test/${'x'.repeat(9_000)}`, 'bad_url'],
  ] as [Partial<EgressRules>, string, string][])('%j judges %s as %s [S2.3]', (more, url, expected) => {
    expect(verdict(more, url)).toBe(expected);
  });

  test('every mistake in the egress rules is reported at once', () => {
    expect(
      egressProblems(
        rules({ hosts: ['a b', 'http://x'], ports: [0, 70_000], timeoutMs: 0, maxResponseBytes: -1, maxRedirects: 4 }),
      ),
    ).toHaveLength(7);
    expect(
      egressProblems(rules({ hosts: ['a.test', '.b.test', '[::1]', '::1'], ports: 'any', maxRedirects: 0 })),
    ).toEqual([]);
  });
});
