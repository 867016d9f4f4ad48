import type { Expr, FunctionNode, Module } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import type { CallSeen } from '../evaluate/machine.js';
import { external, type Value } from '../evaluate/values.js';

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

const known = new WeakMap<FunctionNode, string | undefined>();
const carriers = new WeakMap<Module, boolean>();

/** Whether the library's own code is in this file. */
function carriesZod(module: Module): boolean {
  const before = carriers.get(module);
  if (before !== undefined) return before;
  const found = /_zod\b|typeName:|ZodFirstPartyTypeKind/.test(module.text);
  carriers.set(module, found);
  return found;
}

/**
 * A bundle carries zod itself. Its constructors are told by the definition they build (`type: "string"`, or
 * `typeName: …ZodString`), and their answer is the same symbol that the outside library would give.
 */
export function bundledSchema(seen: CallSeen): Value | undefined {
  if (seen.callee.kind !== 'function') return undefined;
  const { fn, module } = seen.callee;
  if (!carriesZod(module)) return undefined;
  if (!known.has(fn)) known.set(fn, typeBuilt(fn));
  const type = known.get(fn);
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

function typeBuilt(fn: FunctionNode): string | undefined {
  if (fn.end - fn.start > 1_500) return undefined;
  let type: string | undefined;
  let makes = false;
  walk(fn.body, {
    expr: (expr) => {
      if (expr.kind === 'call' && expr.isNew) makes = true;
      if (expr.kind === 'dict') type ??= typeIn(expr);
      return expr.kind !== 'function' && expr.kind !== 'class';
    },
  });
  return makes ? type : undefined;
}

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

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
