import { expect, test } from 'vitest';
import { secretRedactor } from './secret-redactor.js';

test('a secret is taken out as it stands, as base64, in a URL and in JSON; overlapping ones together', () => {
  const hide = secretRedactor(['Bearer s3cr/t"key', 's3cr/t"key']);
  const basic = Buffer.from('user:s3cr/t"key').toString('base64');
  const text = `a Bearer s3cr/t"key b s3cr%2Ft%22key c ${JSON.stringify('s3cr/t"key')} d ${basic}`;
  const hidden = hide(text);
  expect(hidden).toMatch(/^a \[redacted\] b \[redacted\] c "\[redacted\]" d /);
  expect(hidden).not.toContain(basic);
});

test('without secrets, and with ones too short to mean anything, text stays as it is', () => {
  expect(secretRedactor([])('root')).toBe('root');
  expect(secretRedactor(['root'])('root')).toBe('root');
});
