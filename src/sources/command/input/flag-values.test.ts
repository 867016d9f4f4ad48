import { expect, test } from 'vitest';
import { flagSchema, type Flag } from '../manifest/flag.js';
import { parseFlagValue, parseFlagWord, toFlagSchema } from './flag-values.js';

const flag = (over: object): Flag => flagSchema.parse({ flag: '-x', ...over });
const ports = flag({ type: 'ports' });
const small = flag({ type: 'integer', min: 0, max: 9 });
const rate = flag({ type: 'integer', min: 1, max: 10_000 });
const seconds = flag({ type: 'number', min: 1, max: 3600 });
const method = flag({ type: 'enum', values: ['GET', 'POST'] });
const name = flag({ type: 'string', pattern: '[a-z0-9-]+' });
const names = flag({ type: 'list', pattern: '[a-z0-9-]+', max_items: 3 });
const address = flag({ type: 'address' });
const many = flag({ type: 'integer', min: 1, max: 5, repeatable: true, max_items: 2 });

test.each([
  [ports, '80'],
  [ports, '1-65535'],
  [ports, '22,80-443,8080'],
  [small, 0],
  [small, 9],
  [rate, 10_000],
  [seconds, 1.5],
  [seconds, 3600],
  [method, 'GET'],
  [name, 'http-title'],
  [address, '10.0.0.1'],
  [address, 'fe80::1'],
  [address, '::ffff:10.0.0.1'],
])('%# a value within its rule is taken as it is [S0.47] [S0.48] [S0.50]', (rule, value) => {
  expect(parseFlagValue(rule, value)).toEqual({ ok: true, value });
});

test.each([
  [ports, '443-80'],
  [ports, '0'],
  [ports, '65536'],
  [ports, '80-'],
  [ports, '-80'],
  [ports, '-'],
  [ports, ''],
  [ports, '80,,443'],
  [ports, '80;id'],
  [ports, ' 80'],
  [ports, '１２'],
  [ports, '/etc/passwd'],
  [ports, 'T:80'],
  [ports, Array.from({ length: 101 }, () => '1').join(',')],
  [ports, 80],
  [small, -1],
  [small, 10],
  [small, 1.5],
  [small, '5'],
  [small, Number.NaN],
  [small, null],
  [small, [5]],
  [rate, 0],
  [rate, 10_001],
  [seconds, 0.5],
  [seconds, 3600.5],
  [seconds, Number.POSITIVE_INFINITY],
  [method, 'get'],
  [method, 'TRACE'],
  [method, 'GET '],
  [name, '-x'],
  [name, 'a b'],
  [name, 'a\0'],
  [name, 'a\nb'],
  [name, 'é'],
  [name, 'a'.repeat(129)],
  [name, '../x'],
  [name, './x.nse'],
  [name, {}],
  [names, 'a,b,c,d'],
  [names, ''],
  [names, ['a,b']],
  [names, ['a', '-b']],
  [names, 'a,'],
  [address, 'localhost'],
  [address, '10.0.0.1 '],
  [address, '-10.0.0.1'],
  [address, 'fe80::1%eth0'],
  [address, '0x7f.1'],
  [many, [1, 2, 3]],
  [many, []],
  [many, [6]],
])('%# a value outside its rule is refused, with what was expected [S0.44] [S0.47] [S0.48]', (rule, value) => {
  const reading = parseFlagValue(rule, value);
  expect(reading).toMatchObject({
    ok: false,
    message: expect.any(String),
    expected: expect.any(String),
    example: expect.any(String),
  });
});

test('a word of extra_args is read by the very same rule as a property', () => {
  expect(parseFlagWord(small, '5')).toEqual(parseFlagValue(small, 5));
  expect(parseFlagWord(seconds, '1.5')).toEqual(parseFlagValue(seconds, 1.5));
  expect(parseFlagWord(names, 'a,b')).toEqual({ ok: true, value: ['a', 'b'] });
  for (const word of ['05x', '0x5', '1e1', '+5', '5.', '', '99', '1_0'])
    expect(parseFlagWord(small, word)).toMatchObject({ ok: false });
});

test('a backwards range names the value and gives an example [S0.47]', () => {
  expect(parseFlagValue(ports, '443-80')).toMatchObject({
    message: 'the range 443-80 begins above its end',
    example: '80-443',
  });
});

test('each type becomes a typed JSON Schema [S0.32]', () => {
  expect(toFlagSchema(small)).toEqual({ type: 'integer', minimum: 0, maximum: 9 });
  expect(toFlagSchema(method)).toEqual({ type: 'string', enum: ['GET', 'POST'] });
  expect(toFlagSchema(name)).toEqual({ type: 'string', pattern: '^(?:[a-z0-9-]+)$', maxLength: 128 });
  expect(toFlagSchema(many)).toEqual({
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: 5 },
    minItems: 1,
    maxItems: 2,
  });
  expect(toFlagSchema(names)).toMatchObject({ type: 'array', items: { type: 'string' }, maxItems: 3 });
});
