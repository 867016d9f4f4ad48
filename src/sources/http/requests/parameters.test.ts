import { expect, test } from 'vitest';
import type { Parameter } from '../declarations.js';
import { parameterContract } from './parameters.js';

const all: readonly Parameter[] = [
  { name: 'city', type: 'string', required: true, description: 'Where' },
  { name: 'days', type: 'integer', required: false, default: 3 },
  { name: 'scale', type: 'float', required: false },
  { name: 'detailed', type: 'boolean', required: false },
  { name: 'tags', type: 'array', required: false },
  { name: 'filter', type: 'object', required: false },
  { name: 'units', type: 'string', required: false, enum: ['metric', 'imperial'], default: 'metric' },
];
const contract = parameterContract(all);

test('each type of the file is its type in JSON Schema; enum and default are shown [S2.14]', () => {
  expect(contract.schema).toEqual({
    type: 'object',
    required: ['city'],
    additionalProperties: false,
    properties: {
      city: { type: 'string', description: 'Where' },
      days: { type: 'integer', default: 3 },
      scale: { type: 'number' },
      detailed: { type: 'boolean' },
      tags: { type: 'array', items: {} },
      filter: { type: 'object' },
      units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
    },
  });
});

test('defaults are filled in where the caller gives nothing, and only there [S2.14]', async () => {
  expect(await contract.parse({ city: 'Bonn' })).toEqual({
    ok: true,
    value: { city: 'Bonn', days: 3, units: 'metric' },
  });
  expect(await contract.parse({ city: 'Bonn', days: 0, units: 'imperial' })).toEqual({
    ok: true,
    value: { city: 'Bonn', days: 0, units: 'imperial' },
  });
});

test.each([
  ['a missing one', {}],
  ['a value outside the enum', { city: 'x', units: 'kelvin' }],
  ['a text for a number', { city: 'x', days: '3' }],
  ['a fraction for an integer', { city: 'x', days: 1.5 }],
  ['a list for an object', { city: 'x', filter: [] }],
  ['an unknown one', { city: 'x', extra: 1 }],
  ['a prototype', JSON.parse('{"city":"x","__proto__":{"days":9}}')],
])('%s is refused [S2.14]', async (_, args) => {
  expect(await contract.parse(args)).toMatchObject({ ok: false });
});
