import { expect, test } from 'vitest';
import { addressProblem, isInDomains, normalizeHost } from './domains.js';

test.each([
  ['LOCALHOST', 'localhost'],
  ['localhost.', 'localhost'],
  ['127.1', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['::1', '[::1]'],
  ['[::1]', '[::1]'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['a.example:80', 'a.example'],
  ['a.example:8080', undefined],
  ['a.example/x', undefined],
  ['u@a.example', undefined],
  ['https://a.example', undefined],
  ['', undefined],
  ['a b', undefined],
])('%j is the host %j', (text, host) => {
  expect(normalizeHost(text)).toBe(host);
});

test.each([
  ['api.example.com', true],
  ['API.Example.com.', true],
  ['deep.api.example.com', true],
  ['notapi.example.com', false],
  ['api.example.com.evil.net', false],
  ['example.com', false],
  ['sub.wild.net', true],
  ['127.0.0.1', true],
  ['127.0.0.2', false],
  ['[::1]', true],
])('%s is within the list: %s [S2.3]', (host, isIn) => {
  expect(isInDomains(host, ['api.example.com', '*.wild.net', '127.0.0.1', '::1'])).toBe(isIn);
});

test('* is nothing without the switch and everything with it [S2.4]', () => {
  expect(addressProblem('http://any.example/', ['*'], false)).toBe(
    "MCP URL host 'any.example' not in allowed domains: ['*']",
  );
  expect(addressProblem('http://any.example/', ['*'], true)).toBeUndefined();
});
