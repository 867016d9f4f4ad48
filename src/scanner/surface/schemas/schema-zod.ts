import type { Machine } from '../../evaluate/interpreter/abstract-machine.js';
import { soleOption, stringOf, type Result, type Value } from '../../evaluate/values/values.js';
import { toPlainData, schemaOf } from './schema.js';

/** One field of a schema, and whether a caller may leave it out. */
export interface Field {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly optional: boolean;
  readonly alias?: string | undefined;
}

/** Methods of zod that fix the JSON type. */
const zodJsonTypes = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['int', 'integer'],
  ['bigint', 'integer'],
  ['boolean', 'boolean'],
  ['array', 'array'],
  ['tuple', 'array'],
  ['object', 'object'],
  ['strictObject', 'object'],
  ['looseObject', 'object'],
  ['record', 'object'],
  ['map', 'object'],
  ['email', 'string'],
  ['url', 'string'],
  ['uuid', 'string'],
  ['date', 'string'],
  ['null', 'null'],
]);

/** Key of a field's refinement functions; a symbol, so that JSON reports omit it. */
export const refinedBy = Symbol('refined by');

/** A function that tests a value (`refine`), reports what is wrong with it (`superRefine`) or converts it (`transform`). */
export interface Refinement {
  readonly fn: Value;
  readonly kind: 'tests' | 'reports' | 'makes';
}

/** Reads a zod field from its call chain: wrappers from the outside in, then the base type. */
export function zodField(machine: Machine, value: Value): Field {
  const schema: Record<string | symbol, unknown> = {};
  let optional = false;
  let at: Value | undefined = value;
  // Bounded: a chain built in a loop would be endless.
  for (let depth = 0; at && depth < 40; depth += 1) {
    at = soleOption(at);
    if (at.kind === 'object') {
      const inner = schemaOf(machine, at);
      if (!('type' in schema) && inner && Object.keys(inner.properties).length > 0) Object.assign(schema, inner);
      break;
    }
    if (at.kind !== 'result') break;
    const [first] = at.args.positional;
    optional = applyModifier(machine, at, schema) || optional;
    const wrapped: Value | undefined =
      // Wrappers take a schema as an argument (`z.optional(s)`) or are chained on it (`s.optional()`).
      /^(?:optional|nullable|nullish|preprocess|lazy|catch|readonly|pipe|promise|effects)$/.test(at.method) &&
      !isChained(at)
        ? lastResult(at)
        : undefined;
    if (wrapped) at = wrapped;
    else if (isChained(at)) {
      // `.int()`, `.email()` and `.array()` are more specific than their receiver.
      const type = zodJsonTypes.get(at.method);
      if (type !== undefined) schema['type'] ??= type;
      at = at.receiver;
    } else {
      applyBase(machine, at, first, schema);
      break;
    }
  }
  return { schema, optional };
}

/** Whether a call is chained on a schema (`z.string().optional()`) and not a call on the library (`z.optional(x)`). */
const isChained = (value: Result): boolean => value.receiver?.kind === 'result' || value.receiver?.kind === 'object';
/** The wrapped schema: the last argument that can be one. */
const lastResult = (value: Result): Value | undefined =>
  value.args.positional.findLast((each) => each.kind === 'result' || each.kind === 'object');

/** String formats of zod with their names in JSON Schema. */
const formats = new Map([
  ['uuid', 'uuid'],
  ['email', 'email'],
  ['url', 'uri'],
  ['datetime', 'date-time'],
  ['ipv4', 'ipv4'],
  ['ipv6', 'ipv6'],
]);

/** The source of a regular expression; undefined with the `m` flag, which JSON Schema cannot express. */
function patternOf(value: Value | undefined): string | undefined {
  const name = value?.kind === 'native' ? value.name : '';
  const end = name.lastIndexOf('/');
  return name.startsWith('/') && end > 0 && !name.slice(end).includes('m') ? name.slice(1, end) : undefined;
}

/** The pattern in `(text) => /…/.test(text)`. */
function testedPattern(value: Value | undefined): string | undefined {
  const [only] = value?.kind === 'function' ? value.fn.body : [];
  const test = only?.kind === 'return' && only.value?.kind === 'call' ? only.value : undefined;
  if (test?.callee.kind !== 'member' || test.callee.property !== 'test' || test.callee.object.kind !== 'regex')
    return undefined;
  const { source, flags } = test.callee.object;
  return flags.includes('m') ? undefined : source;
}

/** Applies a wrapper to the schema; returns whether it makes the field optional. */
function applyModifier(machine: Machine, value: Result, schema: Record<string | symbol, unknown>): boolean {
  const [first] = value.args.positional;
  if (/^(?:refine|superRefine|check|transform)$/.test(value.method) && first?.kind === 'function') {
    // The chain is read from the outside in, so earlier refinements are prepended.
    const before = Array.isArray(schema[refinedBy]) ? schema[refinedBy] : [];
    const kind = value.method === 'transform' ? 'makes' : value.method === 'refine' ? 'tests' : 'reports';
    schema[refinedBy] = [{ fn: first, kind } satisfies Refinement, ...before];
  }
  const text = stringOf(first);
  if (value.method === 'describe' && text !== undefined) schema['description'] ??= text;
  if (value.method === 'describe' && first?.kind === 'text') schema['description'] ??= toPlainData(machine, first, 0);
  if ((value.method === 'meta' || value.method === 'register') && first?.kind === 'object') {
    const described = stringOf(first.props.get('description'));
    if (described !== undefined) schema['description'] ??= described;
  }
  const format = formats.get(value.method);
  if (format !== undefined) schema['format'] ??= format;
  const pattern =
    value.method === 'regex' ? patternOf(first) : value.method === 'refine' ? testedPattern(first) : undefined;
  if (pattern !== undefined) schema['pattern'] ??= pattern;
  // A default also makes the field optional for callers.
  if (value.method === 'default' || value.method === 'prefault') {
    if (first) schema['default'] ??= toPlainData(machine, first, 0);
    return true;
  }
  return value.method === 'optional' || value.method === 'nullish';
}

/** Applies the innermost call, which fixes the type. */
function applyBase(machine: Machine, value: Result, first: Value | undefined, schema: Record<string, unknown>): void {
  const type = zodJsonTypes.get(value.method);
  if (type !== undefined) schema['type'] ??= type;
  if (value.method === 'enum' || value.method === 'nativeEnum') {
    schema['type'] = 'string';
    const options = first && toPlainData(machine, first, 0);
    schema['enum'] = Array.isArray(options) ? options : Object.values((options ?? {}) as Record<string, unknown>);
  }
  if (value.method === 'literal' && first) schema['const'] = toPlainData(machine, first, 0);
  if (value.method === 'array' && first) schema['items'] = zodField(machine, first).schema;
  if (type === 'object' && first?.kind === 'object') Object.assign(schema, schemaOf(machine, value));
  if (value.method === 'union' && first?.kind === 'list')
    // Bounded: generated unions can be huge.
    schema['anyOf'] = first.items.slice(0, 50).map((item) => zodField(machine, item).schema);
}
