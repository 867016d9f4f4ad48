import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { redactConfig } from '../../config/redact-config.js';
import { resolveSecret, secretsIn, secretText, type SecretText } from './secret-text.js';

function secret(template: string): SecretText {
  const made = secretText(template);
  if (!made.ok) throw new Error(made.message);
  return made.secret;
}

test.each([
  ['plain', {}, 'plain'],
  ['${A}', { A: 'x' }, 'x'],
  ['Bearer ${A}', { A: 'x' }, 'Bearer x'],
  ['${A}:${B_2}', { A: 'x', B_2: 'y' }, 'x:y'],
  ['$$5 and $x and $', {}, '$5 and $x and $'],
  ['$${A}', { A: 'x' }, '${A}'],
  ['${A}', { A: '${B} $$ $&' }, '${B} $$ $&'],
])('%s with %j is %s [S2.18]', (template, env, value) => {
  expect(resolveSecret(secret(template), env)).toEqual({ ok: true, value });
});

test.each([
  ['${A} ${B} ${A}', { B: 'y' }, ['A']],
  ['${A}', { A: '' }, ['A']],
  ['${constructor}', {}, ['constructor']],
  ['${__proto__}', {}, ['__proto__']],
])('%s with %j names what is not set: %j [S2.18]', (template, env, unset) => {
  expect(resolveSecret(secret(template), env)).toEqual({ ok: false, unset });
});

test.each(['${', '${A', '${}', '${1A}', '${A B}', '${A:-x}', '${${A}}', `\${${'A'.repeat(129)}}`])(
  '%s is a broken reference',
  (template) => {
    expect(secretText(template)).toMatchObject({ ok: false, message: expect.stringContaining('invalid reference') });
  },
);

test('stored references resolve to their values, and their text never contains them', () => {
  const text = secret('Bearer ${secret:op://vault/item} ${file:/run/secrets/x} ${env:A} $$');
  expect(text.names).toEqual(['secret:op://vault/item', 'file:/run/secrets/x', 'A']);
  expect(text.resolve({ A: 'a' })).toEqual({ ok: false, unset: ['secret:op://vault/item', 'file:/run/secrets/x'] });
  text.bind(
    new Map([
      ['secret:op://vault/item', 'hunter2'],
      ['file:/run/secrets/x', 'f'],
    ]),
  );
  expect(text.resolve({ A: 'a' })).toEqual({ ok: true, value: 'Bearer hunter2 f a $' });
  expect(text.describe()).toBe('Bearer $secret:op://vault/item $file:/run/secrets/x $A $');
  expect(text.storedValues()).toEqual(['hunter2', 'f']);
  expect(inspect(text, { showHidden: true }) + JSON.stringify(text)).not.toContain('hunter2');
  expect(text.equals(secret('Bearer ${secret:op://vault/item} ${file:/run/secrets/x} ${env:A} $$'))).toBe(false);
});

test.each(['${secret:}', '${secret:-x}', '${secret:a b}', '${file:relative}', '${file:}', '${env:1}', '${vault:x}'])(
  '%s is an invalid reference',
  (template) => expect(secretText(template).ok).toBe(false),
);

test('a secret is never shown, however it is printed [S2.18]', () => {
  const reference = secret('Bearer ${TOKEN} hunter2');
  const literal = secret('hunter2');
  const shown = [reference, literal].flatMap((one) => [
    String(one),
    `${one}`,
    JSON.stringify({ one }),
    inspect({ one }, { depth: 9, showHidden: true }),
    JSON.stringify({ ...one }),
    JSON.stringify(Object.entries(one)),
    inspect(structuredClone({ ...one })),
    String(Object.values(one)),
  ]);
  expect(shown.join('\n')).not.toContain('hunter2');
  expect(String(reference)).toBe('[redacted ${TOKEN}]');
  expect(String(literal)).toBe('[redacted]');
});

test('the configuration is shown without secrets, also those written where none belong [S2.18]', () => {
  const shown = redactConfig({
    headers: { a: secret('${A}') },
    extra: { Authorization: 'Bearer abc123def456ghi', Accept: 'text/html', note: '${B}' },
    list: [secret('x')],
  });
  expect(shown).toEqual({
    headers: { a: '[redacted ${A}]' },
    extra: { Authorization: '[redacted]', Accept: 'text/html', note: '${B}' },
    list: ['[redacted]'],
  });
});

test('every secret is found with its place', () => {
  expect([...secretsIn({ a: [{ b: secret('${X}') }], c: secret('y'), d: 'z' })].map(({ path }) => path)).toEqual([
    ['a', 0, 'b'],
    ['c'],
  ]);
});

test('two secrets are the same when they were written the same', () => {
  expect(secret('${A}').equals(secret('${A}'))).toBe(true);
  expect(secret('a').equals(secret('b'))).toBe(false);
});
