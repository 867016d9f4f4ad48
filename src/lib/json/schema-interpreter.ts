import { canonicalJson } from './canonical-json.js';
import { checkFormat, checkNumber, checkText, isOfType, matchesPattern } from './schema-scalars.js';
import type { SchemaViolation } from './schema.js';

type SchemaObject = Readonly<Record<string, unknown>>;

/** A schema that is checked without being compiled. */
export interface InterpretedSchema {
  readonly schema: SchemaObject;
  /** The schema behind a reference. */
  resolve(ref: string): unknown;
}

// More would not help the caller and would grow with the value.
const maxViolations = 20;
/** Deeper nesting of references without progress in the value is a cycle, and would overflow the stack. */
const maxSchemaNesting = 1_000;
// One object, compared by identity: its stack does not matter, and creating one per run is slow.
const budgetExceeded = new Error('schema validation exceeded its step limit');

/** Position in the value, as a linked list: most positions are never printed. */
interface Position {
  readonly parent: Position | undefined;
  readonly key: string | number;
}

/** Properties and items that a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

/** State of one validation: what it may still spend. */
interface Run {
  readonly resolve: InterpretedSchema['resolve'];
  steps: number;
  depth: number;
}

/**
 * Checks a value by walking the schema, up to a number of steps; undefined if the steps did not suffice. Nothing is compiled and
 * nothing is kept, so that the first call of an operation costs no more than the second, however large its schema is.
 */
export function interpretSchema(
  { schema, resolve }: InterpretedSchema,
  value: unknown,
  steps: number,
): readonly SchemaViolation[] | undefined {
  const found: SchemaViolation[] = [];
  try {
    check({ resolve, steps, depth: 0 }, schema, value, undefined, found, undefined);
  } catch (error) {
    // RangeError is the stack overflow of a deeply nested schema; the caller treats both as "could not be validated".
    if (error !== budgetExceeded && !(error instanceof RangeError)) throw error;
    return undefined;
  }
  return found;
}

/** Whether the value matches; `found` collects violations, and absent only the verdict counts. */
function check(
  run: Run,
  schema: unknown,
  value: unknown,
  at: Position | undefined,
  found: SchemaViolation[] | undefined,
  seen: Evaluated | undefined,
): boolean {
  // Counted per schema and value: nested anyOf can otherwise take exponential time (denial of service).
  run.steps -= 1;
  if (run.steps < 0 || run.depth > maxSchemaNesting) throw budgetExceeded;
  if (schema === true) return true;
  if (schema === false) {
    addViolation(found, at, { keyword: 'false schema', message: 'boolean schema is false' });
    return false;
  }
  // Draft 2020-12 allows only objects and booleans; anything else is ignored, as Ajv does.
  if (!isObject(schema)) return true;
  run.depth += 1;
  // A schema with these keywords collects for itself, and reports to its parent only if it is valid.
  const own =
    'unevaluatedProperties' in schema || 'unevaluatedItems' in schema
      ? { properties: new Set<string>(), items: new Set<number>() }
      : seen;
  let ok = checkValue(run, schema, value, at, found);
  // Without collected violations the first one decides.
  const goes = (): boolean => ok || found !== undefined;
  if (goes()) ok = checkCombined(run, schema, value, at, found, own) && ok;
  if (goes() && Array.isArray(value)) ok = checkItems(run, schema, value, at, found, own) && ok;
  if (goes() && isObject(value)) ok = checkProperties(run, schema, value, at, found, own) && ok;
  if (goes() && own !== undefined && own !== seen) ok = checkUnevaluated(run, schema, value, at, found, own) && ok;
  if (ok && own !== undefined && seen !== undefined && own !== seen) merge(own, seen);
  run.depth -= 1;
  return ok;
}

/** Keywords about the value itself. */
function checkValue(
  run: Run,
  schema: SchemaObject,
  value: unknown,
  at: Position | undefined,
  found: SchemaViolation[] | undefined,
): boolean {
  let ok = true;
  const fail = (violation: Omit<SchemaViolation, 'field'>): void => {
    ok = false;
    addViolation(found, at, violation);
  };
  const { type, enum: values } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).some((name) => isOfType(value, name)))
    fail({
      keyword: 'type',
      message: `must be ${Array.isArray(type) ? type.join(',') : String(type)}`,
      expected: type,
    });
  if (Array.isArray(values)) {
    // Long enumerations cost steps, too.
    run.steps -= values.length >> 3;
    if (!values.some((item) => isEqual(item, value)))
      fail({
        keyword: 'enum',
        message: `must be one of ${values.slice(0, 12).map(String).join(', ')}`,
        // The whole list for programs; the message is for people and is shortened.
        expected: values,
      });
  }
  if ('const' in schema && !isEqual(schema['const'], value))
    fail({ keyword: 'const', message: 'must be equal to constant' });
  if (typeof value === 'number') checkNumber(schema, value, fail);
  if (typeof value === 'string') checkText(schema, value, fail);
  if (schema['format'] !== undefined) checkFormat(schema['format'], value, fail);
  return ok;
}

/** Keywords that apply other schemas to the same value. */
function checkCombined(
  run: Run,
  schema: SchemaObject,
  value: unknown,
  at: Position | undefined,
  found: SchemaViolation[] | undefined,
  seen: Evaluated | undefined,
): boolean {
  let ok = true;
  const apply = (inner: unknown, into: SchemaViolation[] | undefined): boolean => {
    // A branch that fails must not mark what it saw as evaluated (annotations of failed schemas are dropped).
    const mine = seen && { properties: new Set<string>(), items: new Set<number>() };
    const isValid = check(run, inner, value, at, into, mine);
    if (isValid && mine && seen) merge(mine, seen);
    return isValid;
  };
  const { $ref: ref, allOf, anyOf, oneOf, not } = schema;
  if (typeof ref === 'string') ok = apply(run.resolve(ref), found) && ok;
  if (Array.isArray(allOf)) for (const inner of allOf) ok = apply(inner, found) && ok;
  if (Array.isArray(anyOf)) {
    const inside: SchemaViolation[] | undefined = found && [];
    let matches = 0;
    // With evaluated properties to collect, every branch counts, not only the first that matches.
    for (const inner of anyOf) if (matches === 0 || seen) matches += apply(inner, inside) ? 1 : 0;
    if (matches === 0) {
      ok = false;
      found?.push(...(inside ?? []).slice(0, maxViolations - found.length));
      addViolation(found, at, { keyword: 'anyOf', message: 'must match a schema in anyOf' });
    }
  }
  if (Array.isArray(oneOf)) {
    const inside: SchemaViolation[] | undefined = found && [];
    let matches = 0;
    // A third match cannot change the result.
    for (const inner of oneOf) if (matches < 2) matches += apply(inner, inside) ? 1 : 0;
    if (matches !== 1) {
      ok = false;
      // With two or more matches the violations inside are of no use: there are none.
      if (matches === 0) found?.push(...(inside ?? []).slice(0, maxViolations - found.length));
      addViolation(found, at, { keyword: 'oneOf', message: 'must match exactly one schema in oneOf' });
    }
  }
  // Without collecting: a violation inside `not` is a success.
  if (not !== undefined && check(run, not, value, at, undefined, undefined)) {
    ok = false;
    addViolation(found, at, { keyword: 'not', message: 'must NOT be valid' });
  }
  if (schema['if'] !== undefined) {
    // The condition itself never reports violations.
    const branch = apply(schema['if'], undefined) ? 'then' : 'else';
    if (schema[branch] !== undefined && !apply(schema[branch], found)) {
      ok = false;
      addViolation(found, at, { keyword: 'if', message: `must match "${branch}" schema` });
    }
  }
  if (isObject(schema['dependentSchemas']) && isObject(value))
    for (const [name, inner] of Object.entries(schema['dependentSchemas']))
      if (Object.hasOwn(value, name)) ok = apply(inner, found) && ok;
  return ok;
}

function checkItems(
  run: Run,
  schema: SchemaObject,
  value: readonly unknown[],
  at: Position | undefined,
  found: SchemaViolation[] | undefined,
  seen: Evaluated | undefined,
): boolean {
  let ok = true;
  const { minItems, maxItems, prefixItems, items, contains } = schema;
  const limit = (keyword: string, wrong: boolean, expected: unknown, what: string): void => {
    if (!wrong) return;
    ok = false;
    addViolation(found, at, { keyword, message: `must NOT have ${what} than ${String(expected)} items`, expected });
  };
  limit('minItems', typeof minItems === 'number' && value.length < minItems, minItems, 'fewer');
  limit('maxItems', typeof maxItems === 'number' && value.length > maxItems, maxItems, 'more');
  if (schema['uniqueItems'] === true) {
    // Charged in advance, because canonical JSON of every item is costly.
    run.steps -= value.length;
    // Canonical JSON, because key order does not matter for equality.
    if (new Set(value.map((item) => canonicalJson(item))).size < value.length) {
      ok = false;
      addViolation(found, at, { keyword: 'uniqueItems', message: 'must NOT have duplicate items' });
    }
  }
  const fixed: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  value.forEach((item, index) => {
    const inner = index < fixed.length ? fixed[index] : items;
    if (inner === undefined || (!ok && found === undefined)) return;
    seen?.items.add(index);
    ok = check(run, inner, item, { parent: at, key: index }, found, undefined) && ok;
  });
  if (contains !== undefined) {
    const { minContains: least = 1, maxContains: most = Infinity } = schema;
    let matches = 0;
    value.forEach((item, index) => {
      if (!check(run, contains, item, undefined, undefined, undefined)) return;
      matches += 1;
      seen?.items.add(index);
    });
    if (matches < Number(least) || matches > Number(most)) {
      ok = false;
      addViolation(found, at, {
        keyword: 'contains',
        message: `must contain at least ${String(least)} valid item(s)`,
      });
    }
  }
  return ok;
}

function checkProperties(
  run: Run,
  schema: SchemaObject,
  value: SchemaObject,
  at: Position | undefined,
  found: SchemaViolation[] | undefined,
  seen: Evaluated | undefined,
): boolean {
  let ok = true;
  const { minProperties, maxProperties, required, properties, patternProperties, additionalProperties } = schema;
  const fail = (violation: Omit<SchemaViolation, 'field'>, name?: string): void => {
    ok = false;
    addViolation(found, at, violation, name);
  };
  const names = Object.keys(value);
  run.steps -= names.length >> 2;
  if (typeof minProperties === 'number' && names.length < minProperties)
    fail({
      keyword: 'minProperties',
      message: `must NOT have fewer than ${minProperties} properties`,
      expected: minProperties,
    });
  if (typeof maxProperties === 'number' && names.length > maxProperties)
    fail({
      keyword: 'maxProperties',
      message: `must NOT have more than ${maxProperties} properties`,
      expected: maxProperties,
    });
  if (Array.isArray(required))
    for (const name of required)
      // Own properties only: `required: ["toString"]` must not be satisfied by the prototype.
      if (typeof name === 'string' && !Object.hasOwn(value, name))
        fail({ keyword: 'required', message: 'is required' }, name);
  for (const [name, needed] of isObject(schema['dependentRequired']) ? Object.entries(schema['dependentRequired']) : [])
    if (Object.hasOwn(value, name) && Array.isArray(needed))
      for (const other of needed)
        if (!Object.hasOwn(value, String(other)))
          fail({ keyword: 'dependentRequired', message: 'is required' }, String(other));
  const declared = isObject(properties) ? properties : {};
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  for (const name of names) {
    if (!ok && found === undefined) break;
    const item = value[name];
    const here: Position = { parent: at, key: name };
    const inners = [
      ...(Object.hasOwn(declared, name) ? [declared[name]] : []),
      ...patterns.filter(([source]) => matchesPattern(source, name)).map(([, inner]) => inner),
    ];
    // Every matching schema applies, not only the first.
    for (const inner of inners) ok = check(run, inner, item, here, found, undefined) && ok;
    if (inners.length === 0 && additionalProperties === false)
      fail({ keyword: 'additionalProperties', message: 'is not a known argument' }, name);
    else if (inners.length === 0 && additionalProperties !== undefined)
      ok = check(run, additionalProperties, item, here, found, undefined) && ok;
    // Evaluated by additionalProperties as well, which is what unevaluatedProperties builds on.
    if (inners.length > 0 || additionalProperties !== undefined) seen?.properties.add(name);
    if (
      schema['propertyNames'] !== undefined &&
      !check(run, schema['propertyNames'], name, undefined, undefined, undefined)
    )
      fail({ keyword: 'propertyNames', message: 'property name must be valid' }, name);
  }
  return ok;
}

function checkUnevaluated(
  run: Run,
  schema: SchemaObject,
  value: unknown,
  at: Position | undefined,
  found: SchemaViolation[] | undefined,
  own: Evaluated,
): boolean {
  let ok = true;
  const { unevaluatedProperties: properties, unevaluatedItems: items } = schema;
  if (properties !== undefined && isObject(value))
    for (const name of Object.keys(value)) {
      if (own.properties.has(name)) continue;
      own.properties.add(name);
      // Violations inside are not collected: one message per property is enough.
      if (check(run, properties, value[name], { parent: at, key: name }, undefined, undefined)) continue;
      ok = false;
      addViolation(
        found,
        at,
        { keyword: 'unevaluatedProperties', message: 'must NOT have unevaluated properties' },
        name,
      );
    }
  if (items !== undefined && Array.isArray(value))
    value.forEach((item, index) => {
      if (own.items.has(index)) return;
      own.items.add(index);
      if (check(run, items, item, { parent: at, key: index }, undefined, undefined)) return;
      ok = false;
      addViolation(found, at, { keyword: 'unevaluatedItems', message: 'must NOT have unevaluated items' });
    });
  return ok;
}

const isObject = (value: unknown): value is SchemaObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === 'object' && typeof other === 'object' && canonicalJson(one) === canonicalJson(other));

function merge(from: Evaluated, into: Evaluated): void {
  for (const name of from.properties) into.properties.add(name);
  for (const index of from.items) into.items.add(index);
}

function addViolation(
  found: SchemaViolation[] | undefined,
  at: Position | undefined,
  violation: Omit<SchemaViolation, 'field'>,
  name?: string,
): void {
  // Branches that only decide have no list.
  if (found === undefined || found.length >= maxViolations) return;
  found.push({ field: `${pointerOf(at)}${name === undefined ? '' : `/${name}`}`, ...violation });
}

function pointerOf(at: Position | undefined): string {
  let text = '';
  for (let here = at; here !== undefined; here = here.parent)
    // Escapes of JSON Pointer (RFC 6901).
    text = `/${String(here.key).replaceAll('~', '~0').replaceAll('/', '~1')}${text}`;
  return text;
}
