import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientLimits, decode, messageLimits } from './message.js';
import { clientJson, decodeJson } from './json.js';

const faultOf = (text: string | Buffer): string | undefined => {
  const decoded = decodeJson(Buffer.from(text as string), clientJson);
  return 'problem' in decoded ? decoded.problem.fault : undefined;
};

test('every value that JSON.stringify writes is accepted and comes back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const decoded = decodeJson(Buffer.from(JSON.stringify(value)), clientJson);
      expect('value' in decoded && decoded.value).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each([
  ['a key twice', '{"a":1,"a":1}', 'duplicate_key'],
  ['a key twice by an escape', '{"a":1,"\\u0061":2}', 'duplicate_key'],
  ['a key twice deep inside a list', '[{"x":[{"k":1,"k":[]}]}]', 'duplicate_key'],
  ['__proto__ twice', '{"__proto__":1,"__proto__":{}}', 'duplicate_key'],
  ['a lone high surrogate', '"\\ud800"', 'lone_surrogate'],
  ['a lone low surrogate in a key', '{"\\udc00":1}', 'lone_surrogate'],
  ['a reversed pair', '["\\udc00\\ud800"]', 'lone_surrogate'],
  ['a number beyond every double', '[1e999]', 'number_range'],
  ['a negative one', '{"n":-1e400}', 'number_range'],
  ['65 levels', '['.repeat(65) + ']'.repeat(65), 'too_deep'],
  ['a byte order mark', '\ufeff{}', 'not_json'],
  ['trailing text', '{} {}', 'not_json'],
  ['a comment', '{/*x*/}', 'not_json'],
  ['NaN', '[NaN]', 'not_json'],
  ['nothing', '', 'not_json'],
])('%s is refused', (_what, text, fault) => {
  expect(faultOf(text)).toBe(fault);
});

test.each([
  ['a cut sequence', [0x22, 0xc3, 0x22]],
  ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
  ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
])('%s is not UTF-8', (_what, bytes) => {
  expect(faultOf(Buffer.from(bytes))).toBe('not_utf8');
});

test.each([
  '{"a":{"a":1},"b":[{"a":1},{"a":1}]}',
  '{"__proto__":1,"constructor":2}',
  '"\\ud83d\\ude00"',
  '{":":":"}',
  '['.repeat(64) + ']'.repeat(64),
  '[1e308,12345678901234567890]',
])('%s is accepted', (text) => {
  expect(faultOf(text)).toBeUndefined();
});

test('a message that breaks I-JSON is refused under its id, so that its sender does not wait for ever', () => {
  const text = Buffer.from('{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\\ud800"}}');
  expect(decode(text, clientLimits)).toMatchObject({
    kind: 'invalid',
    id: 7,
    error: { code: -32600, data: { fault: 'lone_surrogate' } },
  });
  expect(decode(text, messageLimits)).toMatchObject({ kind: 'request', id: 7 });
});
