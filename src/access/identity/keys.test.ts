import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handClock } from '../../../test/support/make.js';
import { temporaryFolder } from '../../../test/support/temporary.js';
import { keyFile } from './keys.js';

function place(): string {
  return join(temporaryFolder('keys'), 'keys.json');
}

test('a key is shown once, kept as a hash in a file of the owner alone, and found again', () => {
  const path = place();
  const keys = keyFile(path);
  const key = keys.create({ name: 'ci', roles: ['user'], profile: 'reading' });
  expect(key).toMatch(/^tgk_[\w-]{43}$/);
  expect(readFileSync(path, 'utf8')).not.toContain(key);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(keys.find(key ?? '')).toEqual({
    id: 'key:ci',
    name: 'ci',
    kind: 'token',
    roles: ['user'],
    profile: 'reading',
  });
  expect(keys.find('tgk_other')).toBeUndefined();
});

test('a name is one key only, so that the audit means one caller by it', () => {
  const keys = keyFile(place());
  keys.create({ name: 'ci', roles: [] });
  expect(keys.create({ name: 'ci', roles: ['admin'] })).toBeUndefined();
});

test('a running gateway learns of new and revoked keys without a restart', () => {
  const path = place();
  const clock = handClock(1_000);
  const [gateway, cli] = [keyFile(path, clock), keyFile(path)];
  expect(gateway.find('tgk_x')).toBeUndefined();
  const key = cli.create({ name: 'new', roles: ['user'] }) ?? '';
  clock.advance(500);
  expect(gateway.find(key)?.id).toBe('key:new');
  expect(cli.revoke('new')).toBe(true);
  clock.advance(500);
  expect(gateway.find(key)).toBeUndefined();
  expect(cli.revoke('new')).toBe(false);
});

test('an expired key authenticates no caller', () => {
  const clock = handClock(Date.parse('2026-01-01'));
  const keys = keyFile(place(), clock);
  const key = keys.create({ name: 'short', roles: [], expires: new Date(clock() + 60_000) }) ?? '';
  expect(keys.find(key)?.name).toBe('short');
  clock.advance(60_000);
  expect(keys.find(key)).toBeUndefined();
});

test.each(['{', '[]', '{"keys":[{"name":"a"}]}', '{"keys":[{"name":"a","sha256":"00","roles":[]}]}'])(
  'a damaged file is an error and never an empty list: %s',
  (text) => {
    const path = place();
    writeFileSync(path, text);
    expect(() => keyFile(path).list()).toThrow(`The key file ${path} is damaged; restore it`);
    expect(() => keyFile(path).create({ name: 'b', roles: [] })).toThrow();
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

test('a key that another process created a moment ago is found at once', () => {
  const path = place();
  const clock = handClock();
  const [gateway, cli] = [keyFile(path, clock), keyFile(path)];
  expect(gateway.find('tgk_unknown')).toBeUndefined();
  expect(gateway.find(cli.create({ name: 'new', roles: ['user'] }) ?? '')).toMatchObject({ id: 'key:new' });
});

test('a file that becomes damaged is reported with its path and refuses no request with an error; the last good keys stay', () => {
  const path = place();
  const clock = handClock(1_000_000);
  const keys = keyFile(path, clock);
  const key = keys.create({ name: 'kept', roles: ['user'] }) ?? '';
  expect(keys.find(key)).toMatchObject({ id: 'key:kept' });
  const good = readFileSync(path, 'utf8');
  writeFileSync(path, good.slice(0, 20));
  clock.advance(60_000);
  expect(keys.find(key)).toMatchObject({ id: 'key:kept' });
  expect(keys.find('tgk_unknown')).toBeUndefined();
  expect(keys.problem()).toContain(`The key file ${path} is damaged`);
  expect(keyFile(path).find(key)).toBeUndefined();
  writeFileSync(path, good);
  clock.advance(-3_600_000); // a clock that is set back does not stop the checks
  expect(keys.problem()).toBeUndefined();
});
