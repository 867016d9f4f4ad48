/** A JSON Schema, or a part of one; untrusted, so every field is read with care. */
export type Schema = Readonly<Record<string, unknown>>;

interface NodeBase {
  /** Where the node is in the arguments: `/filter/0/name`. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly fallback?: unknown;
}

/** One part of a form. */
export type FormNode =
  | (NodeBase & { readonly kind: 'object'; readonly fields: readonly FormField[] })
  | (NodeBase & { readonly kind: 'array'; readonly item: FormNode })
  | (NodeBase & { readonly kind: 'map'; readonly value: FormNode })
  | (NodeBase & { readonly kind: 'choice'; readonly options: readonly FormNode[] })
  | (NodeBase & { readonly kind: 'enum'; readonly values: readonly unknown[] })
  | (NodeBase & { readonly kind: 'text'; readonly format: string; readonly isLong: boolean })
  | (NodeBase & { readonly kind: 'number'; readonly isInteger: boolean; readonly range: string })
  | (NodeBase & { readonly kind: 'boolean' })
  | (NodeBase & { readonly kind: 'constant'; readonly value: unknown })
  /** A node that the form cannot draw is written as JSON, with the reason. */
  | (NodeBase & { readonly kind: 'json'; readonly reason: string });

export interface FormField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly node: FormNode;
}

/** Bounds recursion over an untrusted schema: `$ref` and `allOf` can expand exponentially. */
const maxSchemaDepth = 7;
/** Bounds the number of drawn inputs, which cost far more than the schema text. */
const maxNodes = 3_000;
/** Keywords whose meaning a form cannot show. */
const unusual = ['not', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems', 'unevaluatedProperties'] as const;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
// Own properties only: a schema named `__proto__` or `constructor` must not read the prototype (prototype pollution).
const own = (schema: Schema, key: string): unknown => (Object.hasOwn(schema, key) ? schema[key] : undefined);

/** The form of a schema: whatever cannot be drawn becomes JSON, for that node alone. */
export function toForm(root: Schema): FormNode {
  let nodes = 0;

  /** The schema behind `$ref`, with what stands beside the reference; a text is the reason why there is none. */
  const resolve = (schema: Schema, seen: readonly string[]): { schema: Schema; seen: readonly string[] } | string => {
    const ref = own(schema, '$ref');
    if (ref === undefined) return { schema, seen };
    // Other documents are never fetched: a schema could otherwise make the browser send requests (SSRF from the operator's network).
    if (typeof ref !== 'string' || !ref.startsWith('#')) return 'refers to another document';
    // A recursive type has no finite form; the inner occurrence is written as JSON.
    if (seen.includes(ref)) return 'contains itself';
    const target = followPointer(root, ref);
    if (!isSchema(target)) return 'refers to nothing';
    const { $ref: _ref, ...beside } = schema;
    return resolve({ ...target, ...beside }, [...seen, ref]);
  };

  const build = (given: unknown, path: string, depth: number, refs: readonly string[]): FormNode => {
    nodes += 1;
    const base = { path, title: '', description: '' };
    // The schema `true` and the empty schema accept everything, so no input type is right for them.
    if (given === true || (isSchema(given) && Object.keys(given).length === 0))
      return { ...base, kind: 'json', reason: 'accepts any value' };
    if (!isSchema(given)) return { ...base, kind: 'json', reason: 'its schema is not an object' };
    const resolved = resolve(given, refs);
    if (typeof resolved === 'string') return { ...base, ...labels(given), kind: 'json', reason: resolved };
    const merged = mergeAll(resolved.schema, (part) => {
      const found = resolve(part, resolved.seen);
      return typeof found === 'string' ? found : found.schema;
    });
    if (typeof merged === 'string') return { ...base, ...labels(resolved.schema), kind: 'json', reason: merged };
    const node = { ...base, ...labels(merged) };
    // Checked after resolving, so that the JSON field still has the title and description of the target.
    if (depth > maxSchemaDepth) return { ...node, kind: 'json', reason: 'nested too deeply' };
    if (nodes > maxNodes) return { ...node, kind: 'json', reason: 'the schema is too large' };
    const strange = unusual.find((keyword) => own(merged, keyword) !== undefined);
    if (strange !== undefined) return { ...node, kind: 'json', reason: `uses ${strange}` };
    const next = (schema: unknown, at: string): FormNode => build(schema, `${path}/${at}`, depth + 1, resolved.seen);

    // `const` and `enum` come before `type`: they are stricter, and a select is safer than free text.
    if (own(merged, 'const') !== undefined) return { ...node, kind: 'constant', value: merged['const'] };
    const values = own(merged, 'enum');
    if (Array.isArray(values)) return { ...node, kind: 'enum', values };
    for (const keyword of ['anyOf', 'oneOf']) {
      const options = own(merged, keyword);
      if (!Array.isArray(options)) continue;
      const { [keyword]: _options, ...beside } = merged;
      const rest = Object.fromEntries(Object.entries(beside).filter(([key]) => structural.has(key)));
      return {
        ...node,
        kind: 'choice',
        // What stands beside the choice holds for each of its options.
        options: options.map((option: unknown) =>
          build(
            isSchema(option) && Object.keys(rest).length > 0 ? { allOf: [rest, option] } : option,
            path,
            depth + 1,
            resolved.seen,
          ),
        ),
      };
    }
    const type = own(merged, 'type');
    if (Array.isArray(type)) {
      if (type.length === 1) return build({ ...merged, type: type[0] as unknown }, path, depth, resolved.seen);
      return {
        ...node,
        kind: 'choice',
        options: type.map((each: unknown) => build({ ...merged, type: each }, path, depth + 1, resolved.seen)),
      };
    }
    const properties = own(merged, 'properties');
    const extra = own(merged, 'additionalProperties');
    if (type === 'object' || (type === undefined && isSchema(properties))) {
      const fields = isSchema(properties) ? Object.entries(properties) : [];
      if (fields.length === 0 && isSchema(extra)) return { ...node, kind: 'map', value: next(extra, '*') };
      // At the root an object without properties means "no arguments", deeper it means "any object".
      if (fields.length === 0 && extra !== false && depth > 0)
        return { ...node, kind: 'json', reason: 'accepts any object' };
      const required = own(merged, 'required');
      return {
        ...node,
        kind: 'object',
        fields: fields.map(([name, schema]) => ({
          name,
          isRequired: Array.isArray(required) && required.includes(name),
          node: next(schema, name),
        })),
      };
    }
    if (type === 'array') return { ...node, kind: 'array', item: next(own(merged, 'items') ?? true, '*') };
    if (type === 'boolean') return { ...node, kind: 'boolean' };
    if (type === 'null') return { ...node, kind: 'constant', value: null };
    if (type === 'integer' || type === 'number')
      return { ...node, kind: 'number', isInteger: type === 'integer', range: rangeOf(merged) };
    if (type === 'string')
      return {
        ...node,
        kind: 'text',
        format: textOf(own(merged, 'format')),
        isLong: Number(own(merged, 'maxLength') ?? 0) > 200,
      };
    return { ...node, kind: 'json', reason: type === undefined ? 'has no type' : `has an unknown type` };
  };
  return build(root, '', 0, []);
}

/** Keywords that decide what a node is, as opposed to its labels. */
const structural = new Set(['type', 'properties', 'required', 'additionalProperties', 'items', '$defs', 'definitions']);

const labels = (schema: Schema): { title: string; description: string; fallback?: unknown } => ({
  title: textOf(own(schema, 'title')),
  description: textOf(own(schema, 'description')),
  ...(own(schema, 'default') !== undefined && { fallback: schema['default'] }),
});

function rangeOf(schema: Schema): string {
  const [least, most] = [own(schema, 'minimum'), own(schema, 'maximum')];
  if (typeof least === 'number' && typeof most === 'number') return `${least} to ${most}`;
  if (typeof least === 'number') return `at least ${least}`;
  return typeof most === 'number' ? `at most ${most}` : '';
}

/** A schema with the parts of `allOf` merged into it; a text is the reason why that is not possible. */
function mergeAll(schema: Schema, resolve: (part: Schema) => Schema | string, depth = 0): Schema | string {
  const parts = own(schema, 'allOf');
  if (!Array.isArray(parts)) return schema;
  if (depth > maxSchemaDepth) return 'nested too deeply';
  const { allOf: _parts, ...beside } = schema;
  let merged: Schema = beside;
  for (const part of parts) {
    if (!isSchema(part)) return 'has a part that is not a schema';
    const found = resolve(part);
    const whole = typeof found === 'string' ? found : mergeAll(found, resolve, depth + 1);
    if (typeof whole === 'string') return whole;
    const joined = mergeTwo(merged, whole);
    if (joined === undefined) return 'combines schemas that differ';
    merged = joined;
  }
  return merged;
}

function mergeTwo(one: Schema, other: Schema): Schema | undefined {
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = own(one, key);
    if (before === undefined || key === 'title' || key === 'description' || key === 'default')
      define(merged, key, before ?? value);
    else if (key === 'properties' && isSchema(before) && isSchema(value)) {
      const joined: Record<string, unknown> = { ...before };
      for (const [name, each] of Object.entries(value))
        define(joined, name, Object.hasOwn(before, name) ? { allOf: [before[name], each] } : each);
      merged[key] = joined;
    } else if (key === 'required' && Array.isArray(before) && Array.isArray(value))
      merged[key] = [...new Set([...(before as unknown[]), ...(value as unknown[])])];
    // The first one wins: these decide about members that the form does not draw, and the gateway validates them.
    else if (key === 'additionalProperties' || key === '$defs' || key === 'definitions') continue;
    // Two different values of any other keyword have no general intersection; guessing would draw the wrong input.
    else if (JSON.stringify(before) !== JSON.stringify(value)) return undefined;
  }
  return merged;
}

/** Defines instead of assigning: assignment to a key named `__proto__` would change the prototype (prototype pollution). */
const define = (record: Record<string, unknown>, key: string, value: unknown): void =>
  void Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });

function followPointer(root: Schema, ref: string): unknown {
  let at: unknown = root;
  // Percent-decoding before `~1` and `~0`: a JSON Pointer in a fragment is encoded in that order (RFC 6901, section 6).
  for (const step of ref
    .slice(1)
    .split('/')
    .filter((part) => part !== '')) {
    let key: string;
    try {
      key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    } catch {
      return undefined;
    }
    if ((!isSchema(at) && !Array.isArray(at)) || !Object.hasOwn(at, key)) return undefined;
    at = (at as Schema)[key];
  }
  return at;
}

/** Nodes of a form that are written as JSON. */
export function jsonNodes(node: FormNode): readonly Extract<FormNode, { kind: 'json' }>[] {
  if (node.kind === 'json') return [node];
  if (node.kind === 'object') return node.fields.flatMap((field) => jsonNodes(field.node));
  if (node.kind === 'array') return jsonNodes(node.item);
  if (node.kind === 'map') return jsonNodes(node.value);
  return node.kind === 'choice' ? node.options.flatMap(jsonNodes) : [];
}

/** First value of a node: its default, or the least that its type needs; undefined leaves it out. */
export function initialValue(node: FormNode, isRequired: boolean): unknown {
  if (node.fallback !== undefined && isRequired) return node.fallback;
  // Optional members are left out, so that the defaults of the server apply and not those of the form.
  if (!isRequired) return undefined;
  switch (node.kind) {
    case 'object': {
      const value: Record<string, unknown> = {};
      for (const { name, isRequired: needed, node: field } of node.fields) {
        const first = initialValue(field, needed);
        if (first !== undefined) define(value, name, first);
      }
      return value;
    }
    case 'array':
      return [];
    case 'map':
      return {};
    case 'choice': {
      const [first] = node.options;
      return first && initialValue(first, true);
    }
    case 'enum':
      return node.values[0];
    case 'constant':
      return node.value;
    case 'boolean':
      return false;
    default:
      return undefined;
  }
}

/** A copy of an object with one member set, or left out if undefined. */
export function withMember(value: unknown, name: string, member: unknown): Readonly<Record<string, unknown>> {
  const copy: Record<string, unknown> = isSchema(value) ? { ...value } : {};
  if (member === undefined) delete copy[name];
  else define(copy, name, member);
  return copy;
}
