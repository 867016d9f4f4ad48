import { dottedName } from '../../ir/names.js';
import type { Expr, Param } from '../../ir/nodes.js';
import { evaluate } from '../../evaluate/interpreter/expressions.js';
import type { Frame, Machine } from '../../evaluate/interpreter/abstract-machine.js';
import type { Scope } from '../../evaluate/values/scope.js';
import { lookup } from '../../evaluate/values/scope.js';
import { stringOf, type ClassValue, type FunctionValue, type Value } from '../../evaluate/values/values.js';
import type { InputSchema } from '../report.js';
import { toPlainData, schemaOf } from './schema.js';
import type { Field } from './schema-zod.js';

/** Where the names of an annotation are resolved. */
interface ResolutionScope {
  readonly scope: Scope;
  readonly module: ClassValue['module'];
}

/** Python types with their JSON Schema type. */
const jsonTypes = new Map([
  ['str', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['Dict', 'object'],
  ['list', 'array'],
  ['List', 'array'],
  ['Sequence', 'array'],
  ['set', 'array'],
  ['tuple', 'array'],
  ['Tuple', 'array'],
  ['bytes', 'string'],
  ['datetime', 'string'],
  ['date', 'string'],
  ['Path', 'string'],
  ['AnyUrl', 'string'],
  ['HttpUrl', 'string'],
  ['Mapping', 'object'],
]);

/** The input schema of a Python handler's parameters, without those injected by the framework. */
export function paramSchema(machine: Machine, fn: FunctionValue): InputSchema {
  const properties = new Map<string, unknown>();
  const required: string[] = [];
  let partial = false;
  fn.fn.params.forEach((param, index) => {
    if (param.target.kind !== 'name') return;
    const { name } = param.target;
    // `*args` and `**kwargs` accept anything, so the schema is incomplete.
    if (param.rest) {
      partial = true;
      return;
    }
    // The instance is not an argument of the tool.
    if (index === 0 && (name === 'self' || name === 'cls')) return;
    if (isInjected(param)) return;
    const field =
      param.annotation || param.default
        ? pythonField(machine, param.annotation, param.default, fn)
        : { schema: {}, optional: false };
    properties.set(name, field.schema);
    if (!field.optional) required.push(name);
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    ...(partial ? { partial } : {}),
  };
}

/** Whether the framework injects a parameter: a context, a dependency or a resolved value. */
function isInjected(param: Param): boolean {
  const text = param.annotation ? annotationNames(param.annotation) : [];
  if (text.includes('Context') || text.includes('ToolContext')) return true;
  const byDefault = param.default?.kind === 'call' ? (dottedName(param.default.callee) ?? '') : '';
  return (
    /(?:^|\.)(?:Depends|CurrentContext|CurrentFastMCP|CurrentRequest|Progress|CurrentDocket|CurrentWorker|TokenClaim)$/.test(
      byDefault,
    ) || text.includes('Resolve')
  );
}

/** All names that occur in an annotation, also in a quoted one. */
function annotationNames(expr: Expr): string[] {
  switch (expr.kind) {
    case 'name':
      return [expr.name];
    case 'member':
      return [expr.property];
    case 'literal':
      return typeof expr.value === 'string' ? (expr.value.match(/\w+/g) ?? []) : [];
    case 'index':
      return [...annotationNames(expr.object), ...annotationNames(expr.index)];
    case 'list':
      return expr.items.flatMap((item) => annotationNames(item.value));
    case 'binary':
      return [...annotationNames(expr.left), ...annotationNames(expr.right)];
    case 'call':
      return annotationNames(expr.callee);
    default:
      return [];
  }
}

/** The schema of one annotated field or parameter. */
export function pythonField(
  machine: Machine,
  annotation: Expr | undefined,
  value: Expr | undefined,
  where: ResolutionScope,
): Field {
  const run = machine.runs.get(where.module.path);
  const frame: Frame | undefined = run && { run, returned: undefined, yielded: [], isGenerator: false };
  const read = (expr: Expr): Value | undefined => frame && evaluate(machine, expr, where.scope, frame);
  const schema: Record<string, unknown> = annotation ? typeSchema(machine, annotation, where, read, 0) : {};
  // A default value makes the parameter optional.
  let optional = value !== undefined;
  let alias: string | undefined;
  if (value) {
    const made = value.kind === 'call' ? fieldCall(machine, value, read) : undefined;
    if (made) {
      // Metadata of `Field` is more specific than the annotation.
      Object.assign(schema, made.schema);
      optional = made.optional;
      alias = made.alias;
    } else {
      const known = read(value);
      if (known?.kind === 'constant') schema['default'] = known.value ?? null;
    }
  }
  return { schema, optional, ...(alias === undefined ? {} : { alias }) };
}

/** Reads `Field(default, description=…)` and `Param(…)`. */
function fieldCall(
  machine: Machine,
  expr: Expr & { kind: 'call' },
  read: (expr: Expr) => Value | undefined,
): Field | undefined {
  if (!/(?:^|\.)(?:Field|Query|Param|Body)$/.test(dottedName(expr.callee) ?? '')) return undefined;
  const schema: Record<string, unknown> = {};
  const named = new Map(expr.args.flatMap((arg) => (arg.name === undefined ? [] : [[arg.name, arg.value] as const])));
  const [first] = expr.args.filter((arg) => arg.name === undefined && !arg.spread);
  const description = named.get('description');
  const text = description && read(description);
  if (text) schema['description'] = toPlainData(machine, text, 0);
  const pattern = named.get('pattern') ?? named.get('regex');
  const source = pattern && stringOf(read(pattern));
  if (source !== undefined) schema['pattern'] = source;
  const given = named.get('default') ?? first?.value;
  // `Field(...)` with an ellipsis means required.
  const isRequired = !given ? !named.has('default_factory') : given.kind === 'opaque' && given.what === 'ellipsis';
  if (given && !isRequired) {
    const known = read(given);
    if (known?.kind === 'constant') schema['default'] = known.value ?? null;
  }
  const alias = named.get('alias');
  return { schema, optional: !isRequired, alias: alias && stringOf(read(alias)) };
}

/** JSON Schema of a type annotation; unknown types have no constraint. */
function typeSchema(
  machine: Machine,
  expr: Expr,
  where: ResolutionScope,
  read: (expr: Expr) => Value | undefined,
  depth: number,
): Record<string, unknown> {
  // Recursive models must end somewhere.
  if (depth > 6) return {};
  const inner = (each: Expr) => typeSchema(machine, each, where, read, depth + 1);
  if (expr.kind === 'binary' && expr.op === '|')
    // `None | T` and `T | None` describe T.
    return inner(expr.left.kind === 'literal' && expr.left.value === null ? expr.right : expr.left);
  const name = (dottedName(expr.kind === 'index' ? expr.object : expr) ?? '').split('.').at(-1) ?? '';
  if (expr.kind === 'index') {
    const parts = expr.index.kind === 'list' ? expr.index.items.map((item) => item.value) : [expr.index];
    const [first, ...rest] = parts;
    if (name === 'Optional' || name === 'Union') return first ? inner(first) : {};
    if (name === 'Literal')
      return { type: 'string', enum: parts.flatMap((part) => (part.kind === 'literal' ? [part.value] : [])) };
    if (name === 'Annotated') return { ...(first ? inner(first) : {}), ...annotatedSchema(machine, rest, read) };
    const type = jsonTypes.get(name);
    return type === 'array' && first ? { type, items: inner(first) } : type === undefined ? {} : { type };
  }
  const type = jsonTypes.get(name);
  if (type !== undefined) return { type };
  // A class of the project: an enum or a model.
  const known = expr.kind === 'name' ? lookup(where.scope, expr.name) : read(expr);
  if (known?.kind === 'class' && depth < 4) {
    const members = [...known.statics.values()].flatMap((each) =>
      each.kind === 'object' && each.cls === known ? [toPlainData(machine, each, 0)] : [],
    );
    return members.length > 0 ? { type: 'string', enum: members } : { ...schemaOf(machine, known) };
  }
  return {};
}

/** Reads the metadata of `Annotated[T, …]`: a plain string or a `Field` call. */
function annotatedSchema(
  machine: Machine,
  extras: readonly Expr[],
  read: (expr: Expr) => Value | undefined,
): Record<string, unknown> {
  for (const extra of extras) {
    if (extra.kind === 'literal' && typeof extra.value === 'string') return { description: extra.value };
    const field = extra.kind === 'call' ? fieldCall(machine, extra, read) : undefined;
    if (field) return { ...field.schema };
  }
  return {};
}
