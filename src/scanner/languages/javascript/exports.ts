import { boundNames } from '../../ir/names.js';
import type { Stmt } from '../../ir/nodes.js';
import { spotOf, type Context } from './context.js';
import { toExpr } from './expressions.js';
import { toClass, toFunction } from './functions.js';
import { toStmt } from './statements.js';
import type * as Babel from '@babel/types';

/** All forms of an export, TypeScript's `export =` among them. */
type ExportNode =
  Babel.ExportNamedDeclaration | Babel.ExportDefaultDeclaration | Babel.ExportAllDeclaration | Babel.TSExportAssignment;

/** Names of exports may be string literals since ES2022. */
const exportedName = (node: Babel.Identifier | Babel.StringLiteral): string =>
  node.type === 'Identifier' ? node.name : node.value;

/** Converts an export into its declaration, if any, and an export statement. */
export function toExport(node: ExportNode, context: Context): Stmt[] {
  const spot = spotOf(node);
  switch (node.type) {
    case 'ExportAllDeclaration':
      return node.exportKind === 'type'
        ? []
        : [
            {
              kind: 'export',
              source: node.source.value,
              names: [{ local: '*all', exported: '*all' }],
              start: spot.start,
              end: spot.end,
            },
          ];
    case 'TSExportAssignment': {
      // `export = x` is `module.exports = x` for the evaluation.
      const exports = {
        kind: 'member',
        object: { kind: 'name', name: 'module', start: spot.start, end: spot.end },
        property: 'exports',
        start: spot.start,
        end: spot.end,
      } as const;
      return [
        { kind: 'assign', target: exports, value: toExpr(node.expression, context), start: spot.start, end: spot.end },
      ];
    }
    case 'ExportDefaultDeclaration':
      return toDefault(node.declaration, context);
    default:
      return toNamed(node, context);
  }
}

/** Converts a default export; an anonymous one has no local name and carries its value. */
function toDefault(node: Babel.ExportDefaultDeclaration['declaration'], context: Context): Stmt[] {
  const spot = spotOf(node);
  // An overload signature has no body.
  if (node.type === 'TSDeclareFunction') return [];
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    const name = node.id?.name;
    if (name !== undefined)
      return [
        ...toStmt(node, context),
        { kind: 'export', names: [{ local: name, exported: 'default' }], start: spot.start, end: spot.end },
      ];
    const value =
      node.type === 'FunctionDeclaration'
        ? { kind: 'function' as const, fn: toFunction(node, context), start: spot.start, end: spot.end }
        : { kind: 'class' as const, cls: toClass(node, context), start: spot.start, end: spot.end };
    return [{ kind: 'export', names: [{ local: '', exported: 'default' }], value, start: spot.start, end: spot.end }];
  }
  return [
    {
      kind: 'export',
      names: [{ local: '', exported: 'default' }],
      value: toExpr(node, context),
      start: spot.start,
      end: spot.end,
    },
  ];
}

/** Converts `export { a as b }`, `export * as ns` and exported declarations. */
function toNamed(node: Babel.ExportNamedDeclaration, context: Context): Stmt[] {
  const spot = spotOf(node);
  // Types have no value at run time.
  if (node.exportKind === 'type') return [];
  if (node.declaration) {
    const declared = toStmt(node.declaration, context);
    const names = declared.flatMap(declaredNames).map((name) => ({ local: name, exported: name }));
    return [...declared, { kind: 'export', names, start: spot.start, end: spot.end }];
  }
  const names: { local: string; exported: string }[] = [];
  for (const each of node.specifiers) {
    if (each.type === 'ExportNamespaceSpecifier') names.push({ local: '*', exported: each.exported.name });
    else if (each.type === 'ExportSpecifier' && each.exportKind !== 'type')
      names.push({ local: exportedName(each.local), exported: exportedName(each.exported) });
  }
  return [
    { kind: 'export', ...(node.source ? { source: node.source.value } : {}), names, start: spot.start, end: spot.end },
  ];
}

/** Names that a declaration binds. */
function declaredNames(stmt: Stmt): string[] {
  if (stmt.kind === 'function') return stmt.fn.name === undefined ? [] : [stmt.fn.name];
  if (stmt.kind === 'class') return stmt.cls.name === undefined ? [] : [stmt.cls.name];
  if (stmt.kind !== 'assign') return [];
  return boundNames(stmt.target);
}
