import type { Case, Dict, DictEntry, Handler, ImportBinding, Pattern, Stmt } from '../../ir/nodes.js';
import { withStmtDepth, spotOf, type Context } from './context.js';
import { toLiteral, toExpr } from './expressions.js';
import { toClass, toFunction } from './functions.js';
import { toExport } from './exports.js';
import { toPattern } from './patterns.js';
import { toAnnotation } from './types.js';
import type * as Babel from '@babel/types';
import type { Node } from '@babel/types';

/** Converts Babel statements into the IR; declarations without run-time effect are removed. */
export function toStmts(nodes: readonly Node[], context: Context): Stmt[] {
  return withStmtDepth(context, () => {
    const made: Stmt[] = [];
    for (const node of nodes) for (const stmt of toStmt(node, context)) made.push(stmt);
    return made;
  });
}

/** Statements of a body that may be a block or a single statement. */
const toBody = (node: Node | null | undefined, context: Context): Stmt[] => {
  if (!node) return [];
  return node.type === 'BlockStatement' ? toStmts(node.body, context) : toStmts([node], context);
};

/** Converts one statement into zero or more IR statements. */
export function toStmt(node: Node, context: Context): Stmt[] {
  const spot = spotOf(node);
  const expr = (inner: Node) => toExpr(inner, context);
  switch (node.type) {
    case 'ExpressionStatement':
      return [{ kind: 'expr', value: expr(node.expression), start: spot.start, end: spot.end }];
    case 'VariableDeclaration':
      return node.declare ? [] : toDeclarations(node, context);
    case 'FunctionDeclaration':
      return [{ kind: 'function', fn: toFunction(node, context), start: spot.start, end: spot.end }];
    case 'ClassDeclaration':
      return node.declare ? [] : [{ kind: 'class', cls: toClass(node, context), start: spot.start, end: spot.end }];
    case 'ReturnStatement':
      return [
        { kind: 'return', value: node.argument ? expr(node.argument) : undefined, start: spot.start, end: spot.end },
      ];
    case 'ThrowStatement':
      return [{ kind: 'throw', value: expr(node.argument), start: spot.start, end: spot.end }];
    case 'IfStatement':
      return [
        {
          kind: 'if',
          test: expr(node.test),
          yes: toBody(node.consequent, context),
          no: toBody(node.alternate, context),
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'BlockStatement':
      return [{ kind: 'block', body: toStmts(node.body, context), start: spot.start, end: spot.end }];
    // Labels only matter to jumps, which end the analysis of a path anyway.
    case 'LabeledStatement':
      return toStmt(node.body, context);
    // The body of `do` runs at least once, which makes no difference to an over-approximation.
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [
        {
          kind: 'while',
          init: [],
          test: expr(node.test),
          body: toBody(node.body, context),
          else: [],
          update: undefined,
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'ForStatement':
      return [
        {
          kind: 'while',
          init: forInit(node.init, context),
          test: node.test ? expr(node.test) : undefined,
          body: toBody(node.body, context),
          else: [],
          update: node.update ? expr(node.update) : undefined,
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'ForOfStatement':
    case 'ForInStatement':
      return [
        {
          kind: 'for',
          ...forTarget(node.left, context),
          iterable: expr(node.right),
          over: node.type === 'ForInStatement' ? 'keys' : 'values',
          body: toBody(node.body, context),
          else: [],
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'TryStatement':
      return [
        {
          kind: 'try',
          body: toStmts(node.block.body, context),
          handlers: toHandlers(node.handler, context),
          else: [],
          finally: toBody(node.finalizer, context),
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'SwitchStatement':
      return [
        {
          kind: 'switch',
          subject: expr(node.discriminant),
          cases: node.cases.map((each) => toCase(each, context)),
          fallsThrough: true,
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'BreakStatement':
      return [{ kind: 'break', start: spot.start, end: spot.end }];
    case 'ContinueStatement':
      return [{ kind: 'continue', start: spot.start, end: spot.end }];
    // `with` changes name lookup; the body is analysed as if it did not.
    case 'WithStatement':
      return toBody(node.body, context);
    case 'ImportDeclaration':
      return [
        {
          kind: 'import',
          source: node.source.value,
          bindings: bindingsOf(node),
          typeOnly: node.importKind === 'type',
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
    case 'TSExportAssignment':
      return toExport(node, context);
    case 'TSImportEqualsDeclaration':
      return toImportEquals(node);
    case 'TSEnumDeclaration':
      return node.declare
        ? []
        : [
            {
              kind: 'assign',
              target: toPattern(node.id, context),
              value: toEnum(node, context),
              declares: 'const',
              start: spot.start,
              end: spot.end,
            },
          ];
    // Namespaces are flattened: their members are reached by name.
    case 'TSModuleDeclaration':
      return node.declare || node.body.type !== 'TSModuleBlock' ? [] : toStmts(node.body.body, context);
    default:
      return [];
  }
}

/** Converts declarations one by one, with their annotations. */
function toDeclarations(node: Babel.VariableDeclaration, context: Context): Stmt[] {
  const declares = node.kind === 'const' || node.kind === 'var' ? node.kind : 'let';
  return node.declarations.map((each): Stmt => {
    const annotation = 'typeAnnotation' in each.id ? toAnnotation(each.id.typeAnnotation) : undefined;
    return {
      kind: 'assign',
      target: toPattern(each.id, context),
      declares,
      value: each.init ? toExpr(each.init, context) : undefined,
      annotation,
      start: each.start ?? 0,
      end: each.end ?? 0,
    };
  });
}

/** The first part of a `for` statement. */
function forInit(node: Node | null | undefined, context: Context): Stmt[] {
  if (!node) return [];
  if (node.type === 'VariableDeclaration') return toDeclarations(node, context);
  return [{ kind: 'expr', value: toExpr(node, context), start: node.start ?? 0, end: node.end ?? 0 }];
}

/** The variable of a loop over values or keys. */
function forTarget(node: Node, context: Context): { target: Pattern; declares?: 'const' | 'let' | 'var' } {
  if (node.type !== 'VariableDeclaration') return { target: toPattern(node, context) };
  const target = node.declarations[0]?.id ?? node;
  return {
    target: toPattern(target, context),
    declares: node.kind === 'const' || node.kind === 'var' ? node.kind : 'let',
  };
}

/** JavaScript has one handler, without a type. */
function toHandlers(node: Babel.CatchClause | null | undefined, context: Context): Handler[] {
  if (!node) return [];
  return [
    {
      param: node.param ? toPattern(node.param, context) : undefined,
      body: toStmts(node.body.body, context),
      start: node.start ?? 0,
      end: node.end ?? 0,
    },
  ];
}

/** A case of a switch; the default has no tests. */
const toCase = (node: Babel.SwitchCase, context: Context): Case => ({
  tests: node.test ? [toExpr(node.test, context)] : [],
  body: toStmts(node.consequent, context),
  ...spotOf(node),
});

/** Names that an import binds; type imports bind nothing at run time. */
function bindingsOf(node: Babel.ImportDeclaration): ImportBinding[] {
  const bindings: ImportBinding[] = [];
  for (const each of node.specifiers) {
    if (each.type === 'ImportDefaultSpecifier') bindings.push({ imported: 'default', local: each.local.name });
    else if (each.type === 'ImportNamespaceSpecifier') bindings.push({ imported: '*', local: each.local.name });
    else if (each.importKind !== 'type') {
      bindings.push({
        imported: each.imported.type === 'Identifier' ? each.imported.name : each.imported.value,
        local: each.local.name,
      });
    }
  }
  return bindings;
}

/** `import x = require('y')`; aliases of namespaces have no effect. */
function toImportEquals(node: Babel.TSImportEqualsDeclaration): Stmt[] {
  if (node.moduleReference.type !== 'TSExternalModuleReference') return [];
  const bindings = [{ imported: '*', local: node.id.name }];
  return [
    {
      kind: 'import',
      source: node.moduleReference.expression.value,
      typeOnly: node.importKind === 'type',
      bindings,
      start: node.start ?? 0,
      end: node.end ?? 0,
    },
  ];
}

/** Converts an enum into the object it compiles to; numeric members auto-increment. */
function toEnum(node: Babel.TSEnumDeclaration, context: Context): Dict {
  const members = node.body?.members ?? node.members ?? [];
  const entries: DictEntry[] = [];
  let next = 0;
  for (const member of members) {
    const key = toLiteral(member, member.id.type === 'Identifier' ? member.id.name : member.id.value);
    const value = member.initializer ? toExpr(member.initializer, context) : toLiteral(member, next);
    if (value.kind === 'literal' && typeof value.value === 'number') next = value.value + 1;
    entries.push({ key, value });
  }
  return { kind: 'dict', entries, start: node.start ?? 0, end: node.end ?? 0 };
}
