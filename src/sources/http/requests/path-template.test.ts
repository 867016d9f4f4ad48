import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathTemplate } from './path-template.js';

const fill = (path: string, args: Readonly<Record<string, string | number | boolean>>) =>
  pathTemplate(path).fill((name) => args[name]);

test('an argument stays one segment, whatever it holds', () => {
  expect(fill('/a/{b}/c', { b: 'x y/z?q#f&%' })).toEqual({ ok: true, path: '/a/x%20y%2Fz%3Fq%23f%26%25/c' });
  expect(fill('/v{n}/{ok}', { n: 2, ok: true })).toEqual({ ok: true, path: '/v2/true' });
});

test.each([
  '',
  '.',
  '..',
  '../admin',
  'a/../b',
  'a/./b',
  '..\\admin',
  '%2e%2e',
  '%2E%2e/x',
  '%252e%252e%252fadmin',
  'a/%2e%2e/b',
  '..%2fadmin',
  'a\0b',
  'a\r\nb',
  '\ud800',
])('%j cannot stand in a path [CVE-2026-32871]', (value) => {
  expect(fill('/files/{name}/meta', { name: value })).toMatchObject({ ok: false, name: 'name' });
});

test('two arguments side by side cannot make what neither is alone [CVE-2026-32871]', () => {
  expect(fill('/x/{a}{b}', { a: '.', b: '.' })).toMatchObject({ ok: false });
  expect(fill('/x/.{a}/y', { a: '.' })).toMatchObject({ ok: false });
  expect(fill('/x/{a}.json', { a: 'report.v1' })).toEqual({ ok: true, path: '/x/report.v1.json' });
});

test('no argument leaves its segment, for any text [CVE-2026-32871]', () => {
  const pieces = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('.', '..', '/', '\\', '%2e', '%2f', '%252e', '?', '#', '@', 'a', '%'), { maxLength: 8 })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(pieces, pieces, (one, two) => {
      const filled = fill('/base/{a}/mid/{b}', { a: one, b: two });
      if (!filled.ok) return;
      const url = new URL(`http://api.example${filled.path}`);
      expect(url.pathname).toBe(filled.path);
      expect(url.pathname.split('/')).toHaveLength(5);
      expect([url.host, url.search, url.hash]).toEqual(['api.example', '', '']);
      expect(
        [url.pathname.split('/')[2], url.pathname.split('/')[4]].map((part) => decodeURIComponent(part ?? '')),
      ).toEqual([one, two]);
    }),
    { numRuns: 500 },
  );
});
