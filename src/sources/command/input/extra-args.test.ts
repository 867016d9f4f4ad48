import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { extraArgsParser } from './extra-args.js';
import { flagSchema, type Flag } from '../manifest/flag.js';
import { parseFlagValue } from './flag-values.js';

const flags: Readonly<Record<string, Flag>> = {
  count: flagSchema.parse({ flag: ['-c', '--count'], type: 'integer', min: 1, max: 10 }),
  ports: flagSchema.parse({ flag: '-p', type: 'ports' }),
  timing: flagSchema.parse({ flag: '-T', type: 'integer', min: 0, max: 4, form: 'attached' }),
  versions: flagSchema.parse({ flag: '-sV', type: 'boolean' }),
  script: flagSchema.parse({ flag: '--script', type: 'list', pattern: '[a-z0-9-]+' }),
  short: flagSchema.parse({ flag: '+short', type: 'boolean' }),
  server: flagSchema.parse({ flag: '@', type: 'address', form: 'attached' }),
  label: flagSchema.parse({ flag: '--label', type: 'string', pattern: '[a-z]+', repeatable: true, max_items: 2 }),
};
const fold = extraArgsParser(flags, 200);

test.each([
  ['', {}],
  ['-c 4', { count: 4 }],
  ['--count=4 -sV', { count: 4, versions: true }],
  ['--count 4', { count: 4 }],
  ['-c4 -p80,443 -T3', { count: 4, ports: '80,443', timing: 3 }],
  [`-p '80'`, { ports: '80' }],
  ['--script a,b', { script: ['a', 'b'] }],
  ['+short @10.0.0.1', { short: true, server: '10.0.0.1' }],
  ['--label a --label b', { label: ['a', 'b'] }],
])('%j is read as typed arguments [S0.41]', (text, values) => {
  const folded = fold(text);
  expect(folded.ok && Object.fromEntries(folded.values)).toEqual(values);
});

test.each([
  ['-p', '-p requires a value', 'S0.43'],
  ['-c', '-c requires a value', 'S0.43'],
  ['-p --script=evil', '-p requires a value', 'S0.44'],
  ['-p=--script', 'must not begin with a hyphen', 'S0.44'],
  ['-p /etc/passwd', 'the value of -p', 'S0.44'],
  ['-sV 31337', 'Non-flag token blocked', 'S0.40'],
  ['10.0.0.1', 'Non-flag token blocked', 'S0.40'],
  ['-sV=1', '-sV takes no value', 'S0.41'],
  ['--evil', `Flag not allowed: '--evil'`, 'S0.41'],
  ['--evil=1', `Flag not allowed: '--evil'`, 'S0.41'],
  ['--script-args x', `Flag not allowed: '--script-args'`, 'S0.41'],
  ['--', `Flag not allowed: '--'`, 'S0.40'],
  ['-', `Flag not allowed: '-'`, 'S0.40'],
  ['-sVv', `Flag not allowed: '-sVv'`, 'S0.41'],
  ['-c 4 -c 5', '-c is given twice', 'S0.41'],
  ['-sV -sV', '-sV is given twice', 'S0.41'],
  ['--label a --label b --label c', 'more than 2 times', 'S0.41'],
  ['-p-', 'must not begin with a hyphen', 'S0.47'],
  ['-T5', 'a whole number from 0 to 4', 'S0.48'],
  ['-c 11', 'a whole number from 1 to 10', 'S0.48'],
  [`-p "80`, 'unbalanced quote', 'S0.39'],
  [`''`, 'a character that is not allowed', 'S0.38'],
  ['-p 80*', 'a character that is not allowed', 'S0.38'],
  ['-~', 'a character that is not allowed', 'S0.38'],
  ['-p ８０', 'a character that is not allowed', 'S0.38'],
  ['-c 4;id', 'forbidden metacharacters', 'S0.37'],
  ['-c 4\nid', 'forbidden metacharacters', 'S0.37'],
  ['-c 4\0', 'control characters', 'S0.37'],
  ['-c \u0085', 'control characters', 'S0.37'],
  ['-c 4 '.repeat(60), 'longer than 200', 'S0.37'],
])('%j is refused: %s [S0.37] [S0.38] [S0.40] [S0.41] [S0.43] [S0.44]', (text, message) => {
  const folded = fold(text);
  expect(folded.ok ? folded : folded.objection.message).toContain(message);
});

test('whatever the string, it is refused or holds only values that keep their own rule', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '-c',
      '--count',
      '-p',
      '-T',
      '-sV',
      '--script',
      '+short',
      '@',
      '--label',
      '=',
      ' ',
      "'",
      '"',
      '\\',
      '--',
      '-',
      ',',
      '/etc/passwd',
      '../',
      '4',
      '80',
      'a',
      '10.0.0.1',
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const folded = fold(pieces.join(''));
      if (!folded.ok) return;
      for (const [name, value] of folded.values)
        expect(parseFlagValue(flags[name]!, value)).toEqual({ ok: true, value });
    }),
    { numRuns: 3000 },
  );
});
