import * as fc from 'fast-check';
import type { Schema } from '../../src/sources/openapi/schemas/converter.js';
import type { OperationTool } from '../../src/sources/openapi/tools/operation-tool.js';

/** Texts made to leave where they are put. */
const nasty = [
  '.',
  '..',
  '../',
  '..%2f',
  '%2e%2e',
  '%2E.',
  '/',
  '//evil.test',
  '\\',
  '?admin=1',
  '#',
  '&a=b',
  ';x=1',
  '@evil.test',
  'http://evil.test',
  ':80',
  '\r\nx-admin: 1',
  '\0',
  ' ',
  '',
  'a; admin=1',
  '%00',
  '\u2215',
  '\uff0e\uff0e',
  '...',
  '\ud800',
  '%',
  '%zz',
  '+',
  ',',
  '=',
  '[a]',
  '{p}',
];

const text = fc.oneof(
  fc.constantFrom(...nasty),
  fc.array(fc.constantFrom(...nasty), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ maxLength: 12, unit: 'binary' }),
);
const anything: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(text, text, { maxKeys: 3 }),
);

/** A value that has a chance to fit a schema. */
function fitting(schema: Schema): fc.Arbitrary<unknown> {
  const { enum: values, type } = schema;
  if (Array.isArray(values) && values.length > 0) return fc.oneof(fc.constantFrom(...values), text);
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === 'integer' || kind === 'number')
    return fc.oneof({ arbitrary: fc.integer({ min: 0, max: 100 }), weight: 3 }, { arbitrary: text, weight: 1 });
  if (kind === 'boolean') return fc.boolean();
  if (kind === 'array')
    return fc.array(
      typeof schema['items'] === 'object' && schema['items'] !== null ? fitting(schema['items'] as Schema) : text,
      { maxLength: 3 },
    );
  if (kind === 'object') return fc.dictionary(text, text, { maxKeys: 3 });
  return kind === 'string' ? text : anything;
}

/** Arguments for a tool, each there or not, each as nasty as its type lets it be. */
export function argumentsOf(tool: OperationTool): fc.Arbitrary<Record<string, unknown>> {
  const properties = tool.input.schema['properties'] as Readonly<Record<string, Schema>>; // every tool of this source has them
  const required = new Set(tool.input.schema['required'] as readonly string[] | undefined);
  return fc.record(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fitting(schema)])), {
    requiredKeys: Object.keys(properties).filter((name) => required.has(name)),
  });
}
