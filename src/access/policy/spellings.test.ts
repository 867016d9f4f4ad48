import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../core/json.js';
import { parseCidr, overlaps } from '../../net/addresses/cidrs.js';
import type { Condition } from './conditions.js';
import { compileCondition } from './conditions.js';
import { compileExpression, type Facts } from './expressions.js';

const matches = (wanted: Condition, value: Json, toAllow: boolean): boolean => {
  const made = compileCondition('a', wanted, toAllow);
  if (!made.ok) throw new Error(made.problem);
  return made.test({ a: value });
};

const local: Condition = { cidr: ['127.0.0.0/8', '10.0.0.0/8', '::1'] };
const evil: Condition = { domain: ['evil.com', '*.evil.com'] };

/** Spellings of an address in a denied network. */
const addresses: readonly Json[] = [
  '127.0.0.1',
  ' 127.0.0.1',
  '127.0.0.1\n',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '0X7F.0.0.1',
  '0177.0.0.1',
  '0177.1',
  '017700000001',
  '2130706433',
  2130706433,
  '127.0.0.1.',
  '127.0.0.1:80',
  '127.0.0.1:',
  '127.0.0.1/x',
  '127.0.0.1?x',
  '127.0.0.1#x',
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/x',
  'HTTP://127.0.0.1',
  'http:127.0.0.1',
  'http:/127.0.0.1',
  'http:///127.0.0.1',
  'http:\\\\127.0.0.1',
  'http://127.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://user@127.0.0.1/',
  'http://good.com@127.0.0.1/',
  'http://127.0.0.1\\@good.com/',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:70/_x',
  'dict://127.0.0.1:11211/',
  'custom+scheme://127.0.0.1',
  'jar:http://127.0.0.1!/x',
  '//127.0.0.1/x',
  '///127.0.0.1/x',
  '/\\127.0.0.1',
  '\\\\127.0.0.1\\share',
  'user@127.0.0.1',
  '127%2e0.0.1',
  'http://127%2e0%2e0%2e1/',
  'http://%31%32%37.0.0.1/',
  '①②⑦.⓪.⓪.①',
  '１２７.0.0.1',
  '127。0。0。1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:7f00:1',
  '[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]:80/',
  '64:ff9b::7f00:1',
  '64:ff9b::127.0.0.1',
  '64:ff9b:1::7f00:1',
  '64:ff9b::/96',
  '2002:7f00:1::',
  '::127.0.0.1',
  '::1',
  '[::1]',
  '[::1]:80',
  '::1:80',
  '::1%lo',
  '[::1%25lo]',
  'http://[::1]/',
  '0:0:0:0:0:0:0:1',
  '0.0.0.0',
  '0',
  '::',
  'localhost',
  'LOCALHOST.',
  'x.localhost',
  'http://localhost:3000/',
  '10.0.0.0/7',
  '0.0.0.0/0',
  '::/0',
  '10.0.0.1-20',
  '10.0.0.*',
  '10.0.0.1,2',
  '10.0-5.0.1',
  '127.0.0.1/33',
  ['127.0.0.1'],
  [['127.0.0.1']],
  ['8.8.8.8', [[['127.1']]]],
  { host: '127.0.0.1' },
];

/** Spellings of a denied name. */
const names: readonly Json[] = [
  'evil.com',
  'EVIL.com',
  'evil.com.',
  'evil.com..',
  'sub.evil.com',
  '_srv.evil.com',
  'evil.com:443',
  'evil.com:',
  'evil.com/x',
  'evil.com?x',
  'evil.com#x',
  'http://evil.com',
  'http:evil.com',
  'http:/evil.com',
  'http:///evil.com',
  'https:evil.com',
  'ws:evil.com',
  '//evil.com/x',
  '///evil.com/x',
  '/\\evil.com',
  '\\/evil.com',
  '\\\\evil.com',
  'http:\\\\evil.com',
  'http://good.com@evil.com',
  'http://good.com:80@evil.com/',
  'http://evil.com\\@good.com',
  'http://evil.com#@good.com',
  'good.com@evil.com',
  'mailto:x@evil.com',
  'ssh://git@evil.com/x',
  'git@evil.com:x/y',
  'evil.com:x/y',
  'http://ev%69l.com',
  'ev%69l.com',
  'http://e\tvil.com',
  'ht\ntp://evil.com',
  ' http://evil.com',
  'http://evil.com ',
  'curl http://evil.com',
  'ｅｖｉｌ.com',
  'evil。com',
  'evil．com',
  'ev\u00adil.com',
  'http://evil.com／good.com',
  'http://evil.com%2fgood.com',
  'http://evil.com%00.good.com',
  'evil.com,good.com',
  '*.evil.com',
  '.evil.com',
  'view-source:http://evil.com',
  'blob:http://evil.com/x',
  'foo:///evil.com',
  'http://evil.com:99999/',
  '-evil.com',
  ['good.com', 'evil.com'],
  [['evil.com']],
  [[[['http:evil.com']]]],
  { url: 'evil.com' },
];

test.each(addresses)('a rule that restricts 127.0.0.0/8, 10.0.0.0/8 and ::1 matches %j', (value) => {
  expect(matches(local, value, false)).toBe(true);
});

test.each(names)('a rule that restricts evil.com matches %j', (value) => {
  expect(matches(evil, value, false)).toBe(true);
});

test('there are at least eighty spellings', () => {
  expect(addresses.length).toBeGreaterThanOrEqual(80);
  expect(names.length).toBeGreaterThanOrEqual(50);
});

test.each<[Condition, Json]>([
  [local, '8.8.8.8'],
  [local, '8.8.8.8:53'],
  [local, 'https://8.8.8.8/x?y=127.0.0.1'],
  [local, '192.168.0.0/16'],
  [local, 'host.example'],
  [local, 'https://host.example/127.0.0.1'],
  [local, '2001:4860:4860::8888'],
  [local, '/127.0.0.1'],
  [local, ''],
  [local, null],
  [local, true],
  [evil, 'good.com'],
  [evil, 'notevil.com'],
  [evil, 'evil.com.good.com'],
  [evil, 'https://good.com/evil.com?x=evil.com#evil.com'],
  [evil, 'good.com:8080/evil.com'],
  [evil, '127.0.0.1'],
  [evil, '/evil.com'],
  [evil, ['good.com', ['better.com']]],
])('a restricting %j does not match %j, which every program reads the same', (wanted, value) => {
  expect(matches(wanted, value, false)).toBe(false);
});

test('an allow rule matches no spelling that is not plain', () => {
  const plainAddresses = new Set<Json>(['127.0.0.1', ' 127.0.0.1', '127.0.0.1\n', '::1', '0:0:0:0:0:0:0:1']);
  for (const value of addresses) {
    const mapped = typeof value === 'string' && /^(?:0:0:0:0:0|:):ffff:[\d.a-f:]+$/.test(value);
    if (matches(local, value, true) && !plainAddresses.has(value) && !mapped && !Array.isArray(value))
      throw new Error(`allowed ${JSON.stringify(value)}`);
  }
  for (const value of [
    'http:evil.com',
    '//evil.com',
    'http://x@evil.com',
    'ev%69l.com',
    'evil.com,x',
    { a: 'evil.com' },
  ])
    expect([value, matches(evil, value, true)]).toEqual([value, false]);
});

test.each<[Condition, Json]>([
  [{ equals: 5 }, '5'],
  [{ equals: 5 }, '5.0'],
  [{ equals: true }, 'true'],
  [{ one_of: ['1', 'x'] }, 1],
  [{ glob: ['5*'] }, 57],
  [{ glob: ['rm *'] }, [['rm -rf /']]],
  [{ min: 4 }, [[5]]],
  [{ min_length: 3 }, [['a', 'b', 'c']]],
  [{ path_prefix: ['/etc'] }, [[['/etc/passwd']]]],
  [{ path_prefix: ['/etc'] }, '/%65tc/passwd'],
  [{ path_prefix: ['/etc'] }, '/proc/self/root/etc/passwd'],
  [{ path_prefix: ['/etc'] }, '/e?c/passwd'],
  [{ path_prefix: ['/etc'] }, 'file:///etc/passwd'],
  [{ path_prefix: ['/home/ada'] }, '$HOME/x'],
  [{ path_prefix: ['/etc'] }, { path: '/etc' }],
])('a restricting %j matches %j, which a program may convert', (wanted, value) => {
  expect(matches(wanted, value, false)).toBe(true);
});

test('a path with brackets in another folder is not restricted', () => {
  expect(matches({ path_prefix: ['/etc'] }, '/app/[id]/page.tsx', false)).toBe(false);
});

test('in_cidr() fails closed for what is not certainly inside or outside', () => {
  const when = (source: string, x: string): boolean | 'error' => {
    const made = compileExpression(source);
    if (!made.ok) throw new Error(made.problem);
    return made.test({ args: { x } } as unknown as Facts); // the expression reads only `args`
  };
  const inside = 'in_cidr(args.x, "127.0.0.0/8")';
  expect(when(inside, '127.0.0.1')).toBe(true);
  expect(when(inside, 'http://127.0.0.1:80/')).toBe(true);
  expect(when(inside, '8.8.8.8')).toBe(false);
  expect(when(inside, 'host.example')).toBe(false);
  for (const odd of ['127.1', '0.0.0.0/0', '64:ff9b::7f00:1', 'http:127.0.0.1', 'x@127.0.0.1'])
    expect([odd, when(inside, odd)]).toEqual([odd, 'error']);
});

/** Readings of a text as a host by the WHATWG parser, in every way that programs use it. */
const whatwg = (text: string): readonly string[] =>
  [text, `http://${text}`, `http:${text}`]
    .flatMap((one) => [URL.parse(one), URL.parse(one, 'http://base.invalid/x')])
    .flatMap((url) =>
      url === null || url.hostname === 'base.invalid' ? [] : [url.hostname.replace(/^\[|\]$|\.$/g, '')],
    );

/** The reading of inet_aton: one to four parts, decimal, octal or hexadecimal. */
function inetAton(text: string): string | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  const numbers = parts.map((part) =>
    /^0x[0-9a-f]+$/i.test(part)
      ? parseInt(part, 16)
      : /^0[0-7]+$/.test(part)
        ? parseInt(part, 8)
        : /^\d+$/.test(part)
          ? Number(part)
          : NaN,
  );
  const last = numbers.pop() ?? NaN;
  if (Number.isNaN(last) || numbers.some((one) => Number.isNaN(one) || one > 255)) return undefined;
  if (last >= 256 ** (4 - numbers.length)) return undefined;
  const value = numbers.reduce((sum, one, index) => sum + one * 256 ** (3 - index), last);
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

const octet = fc.integer({ min: 0, max: 255 });
const spelledPart = octet.chain((part) =>
  fc.constantFrom(String(part), `0x${part.toString(16)}`, `0${part.toString(8)}`, `%3${part % 10}`),
);
const spelledAddress = fc.oneof(
  fc
    .tuple(fc.constantFrom('127', '10', '0x7f', '0177', '8', '0xa', '012'), fc.array(spelledPart, { maxLength: 3 }))
    .map(([first, rest]) => [first, ...rest].join('.')),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }).map(String),
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((one) => `[::ffff:${one}]`),
);
const spelledHost = fc.oneof(
  spelledAddress,
  fc.constantFrom(
    'evil.com',
    'EVIL.COM',
    'evil。com',
    'ev%69l.com',
    'ｅvil.com',
    'good.com',
    'a.evil.com',
    'localhost',
  ),
);
const wrapped = fc
  .tuple(
    fc.constantFrom('', '', 'http://', 'http:', 'HTTPS:/', '//', '/\\', 'foo://', 'ws:\\\\', ' ', 'http:\t//'),
    fc.constantFrom('', '', 'user@', 'good.com@', 'a:b@', 'good.com#@', 'good.com\\@'),
    spelledHost,
    fc.constantFrom('', '.', ':80', ':', '/', '/x', '?x', '#x', '\\x', '@good.com', '%00', '\n'),
  )
  .map((parts) => parts.join(''));

test('for every value of which some program reads a denied host, the restricting rule matches', () => {
  const denied = ['127.0.0.0/8', '10.0.0.0/8', '::1'].flatMap((text) => parseCidr(text) ?? []);
  const isDenied = (host: string): boolean => {
    const network = parseCidr(host);
    return network !== undefined && denied.some((one) => overlaps(one, network));
  };
  fc.assert(
    fc.property(wrapped, (text) => {
      const hosts = [...whatwg(text), ...[text, ...whatwg(text)].flatMap((one) => inetAton(one) ?? [])];
      if (hosts.some(isDenied) && !matches(local, text, false)) throw new Error(`cidr spared ${JSON.stringify(text)}`);
      if (hosts.some((host) => host === 'evil.com' || host.endsWith('.evil.com')) && !matches(evil, text, false))
        throw new Error(`domain spared ${JSON.stringify(text)}`);
    }),
    { numRuns: 20_000 },
  );
});
