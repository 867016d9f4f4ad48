import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaults, toolDefaults } from '../src/config/defaults.js';
import { errors } from '../src/core/errors.js';

const rows = readFileSync('docs/limits.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| What'))
  .map((line) => line.slice(2, -2).split(' | '));
const keyed = rows.filter(([, place = '']) => /^`[a-z_.]+`$/.test(place));
const constant = rows.filter(([, place = '']) => place.startsWith('`src/'));

test('every row of the limits names a key or a constant', () => {
  expect(keyed.length + constant.length).toBe(rows.length);
  expect(keyed.length).toBeGreaterThan(10);
  expect(constant.length).toBeGreaterThan(20);
});

test.each(keyed)('%s: %s is %s', (_what, key = '', value) => {
  const steps = key.slice(1, -1).split('.');
  // Settings of tools have a default only where nothing is stated.
  const all = { ...defaults, tool: { ...toolDefaults, ...defaults.tool } };
  const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], all); // a tree of objects
  expect(String(found)).toBe(value);
});

test.each(constant)('%s: %s is %s', (_what, place = '', value) => {
  const [, file = '', name = ''] = /^`([^`]+)` (\w+)$/.exec(place) ?? [];
  const text = new RegExp(`\\b${name}(?: =|:) ([0-9_]+)`).exec(readFileSync(file, 'utf8'))?.[1];
  expect(text?.replaceAll('_', '')).toBe(value);
});

test('every refusal that is a code is one of the error table', () => {
  const codes = rows.map(([, , , refusal = '']) => /^`([a-z_]+)`$/.exec(refusal)?.[1]).filter((code) => code);
  expect(codes.length).toBeGreaterThan(4);
  for (const code of codes) expect(Object.keys(errors)).toContain(code);
});

test('every key that is a maximum is on the page', () => {
  const names = new Set(keyed.map(([, key = '']) => key.slice(1, -1)));
  const maxima = Object.entries(defaults).flatMap(([section, fields]) =>
    Object.entries(fields)
      .filter(([name, value]) => /^max_|_length$/.test(name) && typeof value === 'number')
      .map(([name]) => `${section}.${name}`),
  );
  const elsewhere = new Set([
    'tool.max_args_length', // a rule of arguments, in the guide of commands
    'tool.max_file_descriptors', // a limit of the process, in the guide of the sandbox
    'circuit_breaker.max_recovery_timeout', // a pause
    'audit.max_file_bytes', // a new file begins
  ]);
  expect(maxima.filter((key) => !names.has(key) && !elsewhere.has(key))).toEqual([]);
});
