import type { Expr, FunctionNode, Module } from '../../ir/nodes.js';
import { walk } from '../../ir/walk.js';
import type { ObservedCall } from '../../evaluate/interpreter/abstract-machine.js';
import { external, type Value } from '../../evaluate/values/values.js';

/** Type names of zod 3 and 4 definitions. */
const zodTypes = new Set([
  'string',
  'number',
  'boolean',
  'object',
  'array',
  'enum',
  'literal',
  'union',
  'record',
  'any',
  'unknown',
  'optional',
  'nullable',
  'default',
  'tuple',
  'date',
  'null',
  'undefined',
  'void',
  'never',
  'map',
  'set',
  'intersection',
  'lazy',
  'promise',
  'bigint',
  'symbol',
  'nan',
  'pipe',
  'transform',
  'catch',
  'readonly',
  'prefault',
  'nonoptional',
  'custom',
  'int',
  'discriminatedUnion',
  'nativeEnum',
  'template_literal',
  'success',
  'file',
]);

/** Type that a constructor builds; undefined is a result, too. */
const builtTypes = new WeakMap<FunctionNode, string | undefined>();
/** Whether a module bundles zod; a text search per module, not per call. */
const modulesWithZod = new WeakMap<Module, boolean>();

/** Whether the file contains the code of zod. */
function bundlesZod(module: Module): boolean {
  const before = modulesWithZod.get(module);
  if (before !== undefined) return before;
  const found = /_zod\b|typeName:|ZodFirstPartyTypeKind/.test(module.text);
  modulesWithZod.set(module, found);
  return found;
}

/**
 * Recognises bundled zod constructors by the definition they build (`type: "string"`, or `typeName: …ZodString`), and
 * returns the same symbolic value as for a call of the external library.
 */
export function bundledSchema(seen: ObservedCall): Value | undefined {
  if (seen.callee.kind !== 'function') return undefined;
  const { fn, module } = seen.callee;
  if (!bundlesZod(module)) return undefined;
  if (!builtTypes.has(fn)) builtTypes.set(fn, builtTypeOf(fn));
  const type = builtTypes.get(fn);
  if (type === undefined) return undefined;
  // zod 4 passes the class to build first: `_string(ZodString, params)`.
  const [first, ...rest] = seen.args.positional;
  const positional = first?.kind === 'function' || first?.kind === 'class' ? rest : seen.args.positional;
  return {
    kind: 'result',
    callee: external('zod', ['z', type]),
    method: type,
    args: { ...seen.args, positional },
    at: seen.at,
    props: new Map(),
  };
}

/** The type that a function constructs, if it is a constructor of zod. */
function builtTypeOf(fn: FunctionNode): string | undefined {
  // Constructors are short; searching large functions would cost too much.
  if (fn.end - fn.start > 1_500) return undefined;
  let type: string | undefined;
  let constructs = false;
  walk(fn.body, {
    expr: (expr) => {
      if (expr.kind === 'call' && expr.isNew) constructs = true;
      if (expr.kind === 'dict') type ??= typeIn(expr);
      // Functions inside build other values.
      return expr.kind !== 'function' && expr.kind !== 'class';
    },
  });
  return constructs ? type : undefined;
}

/** The type in a definition object of zod 3 or 4. */
function typeIn(dict: Expr & { kind: 'dict' }): string | undefined {
  for (const { key, value } of dict.entries) {
    if (key?.kind !== 'literal') continue;
    if (key.value === 'typeName' && value.kind === 'member' && /^Zod[A-Z]/.test(value.property))
      return lowerFirst(value.property.slice(3));
    if (
      key.value === 'type' &&
      value.kind === 'literal' &&
      typeof value.value === 'string' &&
      zodTypes.has(value.value)
    )
      return value.value;
  }
  return undefined;
}

/** `String` as `string`. */
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
