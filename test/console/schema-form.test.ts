import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  initialValue,
  jsonNodes,
  toForm,
  withMember,
  type FormNode,
  type Schema,
} from '../../src/console/lib/schema-form.js';
import { loadedApi } from '../support/openapi.js';
import { sharedPath } from '../support/shared.js';

const folder = sharedPath('corpus/openapi');
const documents = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.yaml'));

const fieldsOf = (node: FormNode): Readonly<Record<string, FormNode>> =>
  node.kind === 'object' ? Object.fromEntries(node.fields.map((field) => [field.name, field.node])) : {};

test('references, allOf, choices, arrays, objects and maps become parts of a form', () => {
  const form = toForm({
    type: 'object',
    required: ['who'],
    properties: {
      who: { $ref: '#/$defs/person' },
      both: {
        allOf: [
          { $ref: '#/$defs/person' },
          { properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] },
        ],
      },
      either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
      one: {
        oneOf: [
          { const: 'a' },
          { type: 'object', properties: { deep: { type: 'array', items: { $ref: '#/$defs/person' } } } },
        ],
      },
      maybe: { type: ['string', 'null'] },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      level: { enum: ['low', 'high'], default: 'low' },
    },
    $defs: { person: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  });
  const fields = fieldsOf(form);
  expect(fieldsOf(fields['who'] as FormNode)['name']).toMatchObject({ kind: 'text' });
  expect(Object.keys(fieldsOf(fields['both'] as FormNode))).toEqual(['name', 'age']);
  expect(fields['either']).toMatchObject({
    kind: 'choice',
    options: [{ kind: 'text' }, { kind: 'array', item: { kind: 'number' } }],
  });
  expect(fields['one']).toMatchObject({ kind: 'choice', options: [{ kind: 'constant' }, { kind: 'object' }] });
  expect(fields['maybe']).toMatchObject({
    kind: 'choice',
    options: [{ kind: 'text' }, { kind: 'constant', value: null }],
  });
  expect(fields['labels']).toMatchObject({ kind: 'map', value: { kind: 'text' } });
  expect(fields['level']).toMatchObject({ kind: 'enum', fallback: 'low' });
  expect(jsonNodes(form)).toEqual([]);
  expect(initialValue(form, true)).toEqual({ who: {} });
});

test('an unusual node falls back to JSON alone, with its reason', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      plain: { type: 'string' },
      loop: { $ref: '#/$defs/loop' },
      away: { $ref: 'https://example.com/x.json' },
      gone: { $ref: '#/$defs/none' },
      any: {},
      tuple: { type: 'array', prefixItems: [{ type: 'string' }] },
      differ: { allOf: [{ type: 'string' }, { type: 'integer' }] },
      not: { type: 'string', not: { const: 'x' } },
    },
    $defs: { loop: { type: 'object', properties: { again: { $ref: '#/$defs/loop' } } } },
  };
  const found = jsonNodes(toForm(schema)).map(({ path, reason }) => [path, reason]);
  expect(found).toEqual([
    ['/loop/again', 'contains itself'],
    ['/away', 'refers to another document'],
    ['/gone', 'refers to nothing'],
    ['/any', 'accepts any value'],
    ['/tuple', 'uses prefixItems'],
    ['/differ', 'combines schemas that differ'],
    ['/not', 'uses not'],
  ]);
});

test('hostile names change no prototype, and hostile shapes end', () => {
  const properties = JSON.parse(
    '{"__proto__":{"type":"object","properties":{"polluted":{"type":"string","default":"x"}},"required":["polluted"]}}',
  );
  const form = toForm({ type: 'object', properties, required: ['__proto__'] });
  const value = initialValue(form, true);
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.getPrototypeOf(withMember({}, '__proto__', { polluted: 1 }))).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  const wide = { anyOf: Array.from({ length: 6 }, () => ({ $ref: '#/$defs/wide' })) };
  const deep = {
    type: 'object',
    properties: { a: wide },
    $defs: { wide: { type: 'object', properties: { b: { anyOf: wide.anyOf } } } },
  };
  expect(toForm(deep).kind).toBe('object');
  for (const odd of [{ type: 7 }, { properties: [] }, { allOf: [1] }, { $ref: 3 }, { type: [] }, { enum: [] }])
    expect(toForm(odd as Schema).kind).toBeTypeOf('string');
});

test.skipIf(documents.length === 0)(
  'every tool of real OpenAPI documents renders, or names the node that fell back',
  { timeout: 240_000 },
  async () => {
    let tools = 0;
    let drawn = 0;
    const reasons = new Map<string, number>();
    for (const name of documents) {
      const { tools: found } = await loadedApi(undefined, { document: join(folder ?? '', name) });
      for (const { input } of found) {
        tools += 1;
        const form = toForm(input.schema as Schema);
        const fallen = jsonNodes(form);
        if (fallen.length === 0) drawn += 1;
        for (const { path, reason } of fallen) {
          expect(reason).not.toBe('');
          // The whole form is JSON only for a schema that is no object at all.
          expect([name, path]).not.toEqual([name, '']);
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        }
      }
    }
    console.log(`${drawn} of ${tools} tools without JSON; ${JSON.stringify([...reasons])}`);
    expect(tools).toBeGreaterThan(100);
    expect(drawn / tools).toBeGreaterThan(0.7);
  },
);
