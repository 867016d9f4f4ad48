/** A value with defaults, and the JSON pointers of the values that were filled in. */
interface FilledValue {
  readonly value: unknown;
  readonly filled: readonly string[];
}

/** Fills defaults into a copy of a value; `except` are pointers that stay empty. */
type FillDefaults = (value: unknown, except?: ReadonlySet<string>) => FilledValue;

/**
 * `required` fills only what the caller would have to send: the defaults of an OpenAPI document describe what the service assumes, and
 * some services reject two optional parameters together although both have a default.
 */
export type WhichDefaults = 'all' | 'required';

/** What a reference leads to; a document keeps its definitions beside the schemas of its operations. */
export type ResolveReference = (ref: string) => unknown;

/** Where defaults are, compiled from a schema. */
interface DefaultsNode {
  /** Defaults by property, and what is inside each property. */
  readonly properties: ReadonlyMap<string, { readonly byDefault?: unknown; readonly inside?: DefaultsNode }>;
  readonly items?: DefaultsNode;
}

type Schema = Readonly<Record<string, unknown>>;

/** Schema nodes that are searched for defaults; a schema is untrusted and may be large or recursive. */
const maxSchemaNodes = 5_000;
const maxSchemaDepth = 16;
/** Values of one call that are filled in or looked into. */
const maxVisits = 10_000;
const maxDefaultLength = 16_384;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Compiles the defaults of a schema: in `properties`, `items` and `allOf`, through local references. Branches that may not apply
 * (`anyOf`, `oneOf`, `if`) are left alone. Undefined if there are none, so that most calls pay nothing.
 */
export function schemaDefaults(
  schema: object,
  which: WhichDefaults = 'all',
  lookUp: ResolveReference = localReference(schema),
): FillDefaults | undefined {
  const root = compileDefaults(schema, which, lookUp);
  return root && ((value, except) => fillDefaults(root, value, except));
}

/** References of a schema to its own parts. */
const localReference =
  (schema: object): ResolveReference =>
  (ref) => {
    if (!ref.startsWith('#/')) return undefined;
    let target: unknown = schema;
    for (const part of ref.slice(2).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (!isObject(target) || !Object.hasOwn(target, key)) return undefined;
      target = target[key];
    }
    return target;
  };

function compileDefaults(schema: object, which: WhichDefaults, lookUp: ResolveReference): DefaultsNode | undefined {
  let nodes = 0;

  const resolve = (node: Schema): Schema | undefined => {
    let found: unknown = node;
    // Bounded: two references may point at each other.
    for (let hops = 0; hops < 8 && isObject(found) && found['$ref'] !== undefined; hops += 1)
      found = typeof found['$ref'] === 'string' ? lookUp(found['$ref']) : undefined;
    return isObject(found) ? found : undefined;
  };

  const compile = (given: unknown, depth: number): DefaultsNode | undefined => {
    nodes += 1;
    if (!isObject(given) || nodes > maxSchemaNodes || depth > maxSchemaDepth) return undefined;
    const node = resolve(given);
    if (node === undefined) return undefined;
    const properties = new Map<string, { byDefault?: unknown; inside?: DefaultsNode }>();
    const isFilled = (name: string): boolean => which === 'all' || requiredOf(node).includes(name);
    let items = compile(node['items'], depth + 1);
    for (const part of Array.isArray(node['allOf']) ? node['allOf'] : []) {
      const merged = compile(part, depth + 1);
      for (const [name, entry] of merged?.properties ?? []) properties.set(name, entry);
      items ??= merged?.items;
    }
    for (const [name, shape] of Object.entries(isObject(node['properties']) ? node['properties'] : {})) {
      // `__proto__` as a name would set the prototype of the filled object (prototype pollution).
      if (name === '__proto__' || !isObject(shape)) continue;
      const inside = compile(shape, depth + 1);
      const byDefault = isFilled(name) ? (findDefault(shape) ?? findDefault(resolve(shape))) : undefined;
      if (inside || byDefault) properties.set(name, { ...byDefault, ...(inside && { inside }) });
    }
    return properties.size === 0 && items === undefined ? undefined : { properties, ...(items && { items }) };
  };
  return compile(schema, 0);
}

/** Names that an object schema requires, also by its direct `allOf`. */
function requiredOf({ required, allOf }: Schema): readonly unknown[] {
  const parts: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
  return [required, ...parts.map((part) => (isObject(part) ? part['required'] : undefined))].flatMap((names) =>
    Array.isArray(names) ? names : [],
  );
}

/** The default of a property; dropped if it is too large to be sent with every call. */
function findDefault(shape: Schema | undefined): { readonly byDefault: unknown } | undefined {
  if (shape === undefined || !Object.hasOwn(shape, 'default')) return undefined;
  const byDefault = shape['default'];
  const text = JSON.stringify(byDefault) as string | undefined;
  return text === undefined || text.length > maxDefaultLength ? undefined : { byDefault };
}

function fillDefaults(root: DefaultsNode, given: unknown, except?: ReadonlySet<string>): FilledValue {
  const filled: string[] = [];
  let visits = 0;

  const fill = (value: unknown, node: DefaultsNode, path: string): unknown => {
    visits += 1;
    if (visits > maxVisits) return value;
    if (Array.isArray(value)) {
      const { items } = node;
      if (items === undefined) return value;
      const copy = value.map((item: unknown, index) => fill(item, items, `${path}/${index}`));
      return copy.some((item, index) => item !== value[index]) ? copy : value;
    }
    if (!isObject(value) || node.properties.size === 0) return value;
    let copy: Record<string, unknown> | undefined;
    for (const [name, { inside, ...rest }] of node.properties) {
      const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (Object.hasOwn(value, name)) {
        const inner = inside ? fill(value[name], inside, at) : value[name];
        if (inner !== value[name]) (copy ??= { ...value })[name] = inner;
      } else if ('byDefault' in rest && visits < maxVisits && except?.has(at) !== true) {
        visits += 1;
        filled.push(at);
        // A copy: the schema is shared by all calls.
        (copy ??= { ...value })[name] = structuredClone(rest.byDefault);
      }
    }
    return copy ?? value;
  };
  return { value: fill(given, root, ''), filled };
}
