import { expect, test } from 'vitest';
import type { Args } from '../../core/call.js';
import type { Condition } from './conditions.js';
import { compileCondition } from './conditions.js';

const fits = (path: string, wanted: Condition, args: Args, toAllow = true): boolean => {
  const made = compileCondition(path, wanted, toAllow);
  if (!made.ok) throw new Error(made.problem);
  return made.test(args);
};

test.each<[string, Condition, Args, boolean]>([
  ['a', { equals: 'x' }, { a: 'x' }, true],
  ['a', { equals: 'x' }, { a: 'X' }, false],
  ['a', { equals: 1 }, { a: '1' }, false],
  ['a', { one_of: ['x', 1, null] }, { a: null }, true],
  ['a', { glob: ['rel-*'] }, { a: 'rel-1' }, true],
  ['a', { glob: ['*'] }, { a: 1 }, false],
  ['a.b', { equals: 1 }, { a: { b: 1 } }, true],
  ['a.b', { equals: 1 }, { a: [{ b: 1 }, { b: 2 }] }, false],
  ['a', { cidr: ['10.0.0.0/8'] }, { a: '10.1.2.3' }, true],
  ['a', { cidr: ['10.0.0.0/8'] }, { a: '10.0.0.0/7' }, false],
  ['a', { cidr: ['10.0.0.0/8'] }, { a: '::ffff:10.1.1.1' }, true],
  ['a', { cidr: ['10.0.0.0/8'] }, { a: 'host.example' }, false],
  ['a', { domain: ['*.example.com'] }, { a: 'https://api.example.com/x?y=https://evil.net' }, true],
  ['a', { domain: ['*.example.com'] }, { a: 'https://example.com.evil.net/' }, false],
  ['a', { domain: ['*.example.com'] }, { a: 'https://api.example.com@evil.net/' }, false],
  ['a', { domain: ['*.example.com'] }, { a: 'https://evil.net\\@api.example.com/' }, false],
  ['a', { domain: ['api.example.com'] }, { a: 'API.EXAMPLE.COM.:443' }, true],
  ['a', { path_prefix: ['/srv/data'] }, { a: '/srv/data/x/../y' }, true],
  ['a', { path_prefix: ['/srv/data'] }, { a: '/srv/data/../../etc/passwd' }, false],
  ['a', { path_prefix: ['/srv/data'] }, { a: '/srv/database' }, false],
  ['a', { path_prefix: ['/srv/data'] }, { a: 'x' }, false],
  ['a', { path_prefix: ['/srv/data'] }, { a: '/srv/data/%2e%2e/x' }, false],
  ['a', { path_prefix: ['/srv/data/'] }, { a: '/srv/data' }, true],
  ['a', { min: 1, max: 5 }, { a: 5 }, true],
  ['a', { min: 1, max: 5 }, { a: 6 }, false],
  ['a', { max: 5 }, { a: '3' }, false],
  ['a', { max_length: 2 }, { a: ['x', 'y', 'z'] }, false],
  ['a', { min_length: 1 }, { a: '' }, false],
  ['a', { equals: 'x' }, {}, false],
  ['a', { equals: 'x', optional: true }, {}, true],
  ['a', { glob: ['ok-*'] }, { a: ['ok-1', 'bad'] }, false],
  ['constructor', { glob: ['*'] }, {}, false],
])('to allow, %s %j of %j is %s', (path, wanted, args, expected) => {
  expect(fits(path, wanted, args)).toBe(expected);
});

test.each<[string, Condition, Args, boolean]>([
  ['a', { glob: ['bad*'] }, { a: ['ok', 'bad1'] }, true],
  ['a', { cidr: ['10.1.0.0/16'] }, { a: '10.0.0.0/8' }, true],
  ['a', { domain: ['*.evil.net'] }, { a: 'https://x.evil.net\\@good.com' }, true],
  ['a', { path_prefix: ['/etc'] }, { a: '../../etc/passwd' }, true],
  ['a', { path_prefix: ['/etc'] }, { a: '/srv/%2e%2e/etc' }, true],
  ['a', { path_prefix: ['/etc'] }, { a: '/srv/x' }, false],
  ['a.b', { equals: 1 }, { a: [{ b: 2 }, { b: 1 }] }, true],
  ['a', { min: 100 }, { a: '100' }, true],
  ['a', { equals: 'x' }, {}, false],
])('to restrict, %s %j of %j is %s', (path, wanted, args, expected) => {
  expect(fits(path, wanted, args, false)).toBe(expected);
});

test.each<[Condition]>([[{}], [{ cidr: ['10.0.0.0/33'] }], [{ domain: ['not a name'] }]])(
  'a condition without any test, or with an invalid one, is a problem: %j',
  (wanted) => {
    expect(compileCondition('a', wanted, true).ok).toBe(false);
  },
);
