import { expect, test } from 'vitest';
import { SECRET_FORMATS } from './secret-formats.js';
import { isSecretKey, REDACTED, redactor } from './redact.js';

test.each([
  'password',
  'Password',
  'db_password',
  'dbPassword',
  'DB-PASSWORD',
  'passwd',
  'secret',
  'client_secret',
  'clientSecret',
  'token',
  'accessToken',
  'api_key',
  'apiKey',
  'apikey',
  'x-api-key',
  'Authorization',
  'Proxy-Authorization',
  'cookie',
  'Set-Cookie',
  'credentials',
  'private_key',
  'privateKey',
  'jwt',
])('a field named %s holds a secret', (key) => expect(isSecretKey(key)).toBe(true));

test.each([
  'tokenFile',
  'token_count',
  'passwordless',
  'secretary',
  'key',
  'monkey',
  'keyboard',
  'tool',
  'author',
  'bypass_list',
])('a field named %s does not', (key) => expect(isSecretKey(key)).toBe(false));

test('a value is redacted under secret keys and wherever a secret stands, at any depth', () => {
  const { value } = redactor(['swordfish']);
  expect(
    value({ a: [{ password: { nested: 1 } }, 'say swordfish'], n: 1, none: null, token: true, ok: 'fine' }),
  ).toEqual({
    a: [{ password: REDACTED }, expect.not.stringContaining('swordfish')],
    n: 1,
    none: null,
    token: true,
    ok: 'fine',
  });
});

test('the value given is left as it was', () => {
  const given = { password: 'p', list: ['x'] };
  redactor().value(given);
  expect(given).toEqual({ password: 'p', list: ['x'] });
});

test('a ring ends, and a key named __proto__ is only a key', () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  expect(JSON.stringify(redactor().value(ring))).toContain('too deep');
  const copy = redactor().value(JSON.parse('{"__proto__":{"admin":true}}'));
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true}}');
});

test('a configured value inside of a generated id is redacted; no known format can occur in one', () => {
  const id = '0d1e2f3a-4b5c-4d6e-8f70-112233445566';
  expect(redactor(['4b5c-4d6e']).text(id)).toBe('0d1e2f3a-[redacted:configured]-8f70-112233445566');
  expect(redactor(['unrelated-value']).text(id)).toBe(id);
  for (const { kind, starts } of SECRET_FORMATS)
    expect(
      starts.filter((start) => /^[0-9a-f-]+$/.test(start)),
      kind,
    ).toEqual([]);
});
