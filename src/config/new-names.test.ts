import { expect, test } from 'vitest';
import { expectedNames, nameCollisions } from './new-names.js';
import { schema } from './schema.js';

const ping = [{ name: 'ping', source: 'commands' }];

test.each([
  [{ up__a: { name: 'b' } }, []],
  [
    { up__a: { name: 'ping' } },
    ['tool.overrides.up__a.name: ping is already the name of the tool ping of source commands'],
  ],
  [{ up__a: { name: 'ping' }, ping: { name: 'probe' } }, []],
  [
    { up__a: { name: 'ping' }, ping: { name: 'ping' } },
    ['tool.overrides.up__a.name: ping is already the name of the tool ping of source commands'],
  ],
  [
    { up__a: { name: 'x' }, up__b: { name: 'x' } },
    ['tool.overrides.up__b.name: x is already the name of tool.overrides.up__a.name'],
  ],
  [
    { up__a: { name: 'up__b' }, up__b: { rate: 1 } },
    ['tool.overrides.up__a.name: up__b is already the name of tool.overrides.up__b'],
  ],
])('both places of a name that two tools would have are found: %j', (overrides, problems) => {
  const found = nameCollisions(schema.parse({ tool: { overrides } }).tool.overrides, ping);
  expect(found.map(({ path, message }) => `${path}: ${message}`)).toEqual(problems);
});

test('new names are expected of tools that are there or may appear', () => {
  const { overrides } = schema.parse({
    tool: { overrides: { up__a: { name: 'b' }, ping: { name: 'probe' }, gone: { name: 'c' }, up__d: { rate: 1 } } },
  }).tool;
  expect(expectedNames(overrides, new Set(['ping']), ['up__'])).toEqual(['b', 'probe']);
});

test.each(['two words', '', 'x'.repeat(65), 'a/b', 'CurlTool'])('%j cannot be a new name', (name) => {
  expect(schema.safeParse({ tool: { overrides: { a: { name } } } }).success).toBe(false);
});
