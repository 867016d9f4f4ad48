import type { Case, Expr, Handler, ImportBinding, Pattern, Stmt } from '../../ir/nodes.js';
import { ifChain, type Branch } from './if-chain.js';
import { childByField, namedChildren, opaque, nodeText, type Context } from './context.js';
import { toExpr } from './expressions.js';
import { toClass, toFunction } from './functions.js';
import { toPattern } from './patterns.js';
import type { Syntax } from './tree.js';

/** Converts a block or module into statements; statements inside a syntax error are kept. */
export function toStmts(node: Syntax | undefined, context: Context): Stmt[] {
  return node ? namedChildren(node).flatMap((each) => toStmt(each, context)) : [];
}

/** Converts by node type; unknown statements have no effect on the analysis. */
function toStmt(node: Syntax, context: Context): Stmt[] {
  const spot = { start: node.start, end: node.end };
  const expr = (inner: Syntax | undefined): Expr => (inner ? toExpr(inner, context) : opaque(node));
  const body = (field: string) => toStmts(childByField(node, field), context);
  const [first] = namedChildren(node);
  switch (node.type) {
    case 'expression_statement':
      return toExpressionStmt(node, context);
    case 'function_definition':
      return [{ kind: 'function', fn: toFunction(node, [], context), start: spot.start, end: spot.end }];
    case 'class_definition':
      return [{ kind: 'class', cls: toClass(node, [], context), start: spot.start, end: spot.end }];
    case 'decorated_definition':
      return toDecorated(node, context);
    case 'return_statement':
      return [{ kind: 'return', ...(first ? { value: expr(first) } : {}), start: spot.start, end: spot.end }];
    case 'raise_statement':
      return [{ kind: 'throw', ...(first ? { value: expr(first) } : {}), start: spot.start, end: spot.end }];
    case 'if_statement':
      return [toIf(node, context)];
    case 'while_statement':
      return [
        {
          kind: 'while',
          init: [],
          test: expr(childByField(node, 'condition')),
          body: body('body'),
          else: elseOf(node, context),
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'for_statement': {
      const left = childByField(node, 'left');
      return [
        {
          kind: 'for',
          target: left ? toPattern(left, context) : opaque(node),
          iterable: expr(childByField(node, 'right')),
          over: 'values',
          body: body('body'),
          else: elseOf(node, context),
          start: spot.start,
          end: spot.end,
        },
      ];
    }
    case 'try_statement':
      return [toTry(node, context)];
    case 'with_statement':
      return [
        { kind: 'with', items: toWithItems(node, context), body: body('body'), start: spot.start, end: spot.end },
      ];
    case 'match_statement':
      return [toMatch(node, context)];
    case 'import_statement':
    case 'import_from_statement':
      return toImport(node, context);
    case 'assert_statement':
      return [{ kind: 'assert', test: expr(first), start: spot.start, end: spot.end }];
    case 'break_statement':
      return [{ kind: 'break', start: spot.start, end: spot.end }];
    case 'continue_statement':
      return [{ kind: 'continue', start: spot.start, end: spot.end }];
    case 'global_statement':
    case 'nonlocal_statement':
      return [
        {
          kind: 'scope',
          scope: node.type === 'global_statement' ? 'global' : 'nonlocal',
          names: namedChildren(node).map((each) => nodeText(each, context)),
          start: spot.start,
          end: spot.end,
        },
      ];
    // Their operands may still contain calls.
    case 'delete_statement':
    case 'print_statement':
    case 'exec_statement':
      return [
        {
          kind: 'expr',
          value: opaque(
            node,
            namedChildren(node).map((each) => toExpr(each, context)),
          ),
          start: spot.start,
          end: spot.end,
        },
      ];
    case 'type_alias_statement': {
      const [left, right] = [childByField(node, 'left'), childByField(node, 'right')];
      return left && right
        ? [
            {
              kind: 'assign',
              target: toPattern(namedChildren(left)[0] ?? left, context),
              value: toExpr(right, context),
              start: spot.start,
              end: spot.end,
            },
          ]
        : [];
    }
    // A syntax error keeps the statements that could be read.
    case 'ERROR':
    case 'block':
      return toStmts(node, context);
    default:
      return [];
  }
}

/** Converts an expression statement, which also holds assignments in this grammar. */
function toExpressionStmt(node: Syntax, context: Context): Stmt[] {
  const parts = namedChildren(node);
  const [first] = parts;
  const spot = { start: node.start, end: node.end };
  if (!first) return [];
  // `a; b` on one line is one node with several parts.
  if (parts.length > 1)
    return parts.map((each) => ({ kind: 'expr', value: toExpr(each, context), start: each.start, end: each.end }));
  if (first.type !== 'assignment') {
    const value = toExpr(first, context);
    if (value.kind === 'assign' && first.type === 'augmented_assignment') {
      return [
        {
          kind: 'assign',
          target: value.target,
          ...(value.op === undefined ? {} : { op: value.op }),
          value: value.value,
          start: spot.start,
          end: spot.end,
        },
      ];
    }
    return [{ kind: 'expr', value, start: spot.start, end: spot.end }];
  }
  const [left, right, type] = [childByField(first, 'left'), childByField(first, 'right'), childByField(first, 'type')];
  return [
    {
      kind: 'assign',
      target: left ? toPattern(left, context) : opaque(first),
      ...(right ? { value: toExpr(right, context) } : {}),
      ...(type ? { annotation: toExpr(type, context) } : {}),
      start: spot.start,
      end: spot.end,
    },
  ];
}

/** Converts a decorated function or class with its decorators. */
function toDecorated(node: Syntax, context: Context): Stmt[] {
  const decorators = node.children.filter((each) => each.type === 'decorator');
  const definition = childByField(node, 'definition');
  const spot = { start: node.start, end: node.end };
  if (definition?.type === 'function_definition')
    return [{ kind: 'function', fn: toFunction(definition, decorators, context), start: spot.start, end: spot.end }];
  if (definition?.type === 'class_definition')
    return [{ kind: 'class', cls: toClass(definition, decorators, context), start: spot.start, end: spot.end }];
  return [];
}

/** Converts `if` with its chain of alternatives. */
function toIf(node: Syntax, context: Context): Stmt {
  const clauses = node.children.filter((each) => each.field === 'alternative');
  const last = clauses.find((clause) => clause.type === 'else_clause');
  const others = clauses.filter((clause) => clause !== last).map((clause) => branchOf(clause, context));
  return ifChain(branchOf(node, context), others, last ? toStmts(childByField(last, 'body'), context) : [], node.end);
}

/** One branch of a condition. */
function branchOf(node: Syntax, context: Context): Branch {
  const test = childByField(node, 'condition');
  return {
    test: test ? toExpr(test, context) : opaque(node),
    body: toStmts(childByField(node, 'consequence'), context),
    start: node.start,
    end: node.end,
  };
}

/** The `else` of a loop or `try`. */
const elseOf = (node: Syntax, context: Context): Stmt[] => {
  const clause = node.children.find((each) => each.type === 'else_clause');
  return clause ? toStmts(childByField(clause, 'body'), context) : [];
};

/** The block of a clause, which has no field name in the grammar. */
const blockOf = (node: Syntax): Syntax | undefined => node.children.find((each) => each.type === 'block');

/** Converts `try`; the exception may be bound by `as` in two forms. */
function toTry(node: Syntax, context: Context): Stmt {
  const handlers: Handler[] = [];
  for (const clause of node.children.filter((each) => each.type.startsWith('except'))) {
    const [value, alias] = [
      childByField(clause, 'value') ?? namedChildren(clause).find((each) => each.type !== 'block'),
      childByField(clause, 'alias'),
    ];
    const bound = value?.type === 'as_pattern' ? childByField(value, 'alias') : alias;
    const type = value?.type === 'as_pattern' ? namedChildren(value)[0] : value;
    handlers.push({
      ...(bound ? { param: toPattern(bound, context) } : {}),
      ...(type ? { type: toExpr(type, context) } : {}),
      body: toStmts(blockOf(clause), context),
      start: clause.start,
      end: clause.end,
    });
  }
  const last = node.children.find((each) => each.type === 'finally_clause');
  return {
    kind: 'try',
    body: toStmts(childByField(node, 'body'), context),
    handlers,
    else: elseOf(node, context),
    finally: last ? toStmts(blockOf(last), context) : [],
    start: node.start,
    end: node.end,
  };
}

/** Items of `with`, each with its optional target. */
function toWithItems(node: Syntax, context: Context): { context: Expr; target?: Pattern }[] {
  const clause = node.children.find((each) => each.type === 'with_clause');
  return (clause ? namedChildren(clause) : []).map((item) => {
    const given = childByField(item, 'value') ?? item;
    const [held] = namedChildren(given);
    // tree-sitter parses `with (open(x) as file):` as one parenthesised expression.
    const value = given.type === 'parenthesized_expression' && held?.type === 'as_pattern' ? held : given;
    const alias = value.type === 'as_pattern' ? childByField(value, 'alias') : undefined;
    const inner = value.type === 'as_pattern' ? (namedChildren(value)[0] ?? value) : value;
    return { context: toExpr(inner, context), ...(alias ? { target: toPattern(alias, context) } : {}) };
  });
}

/** Converts `match` into a switch without fall-through. */
function toMatch(node: Syntax, context: Context): Stmt {
  const subject = childByField(node, 'subject');
  const cases: Case[] = [];
  for (const clause of (blockOf(node)?.children ?? node.children).filter((each) => each.type === 'case_clause')) {
    const patterns = clause.children.filter((each) => each.type === 'case_pattern');
    const tests = patterns.flatMap((pattern) => toTests(pattern, context));
    cases.push({
      tests,
      body: toStmts(childByField(clause, 'consequence'), context),
      start: clause.start,
      end: clause.end,
    });
  }
  return {
    kind: 'switch',
    subject: subject ? toExpr(subject, context) : opaque(node),
    cases,
    fallsThrough: false,
    start: node.start,
    end: node.end,
  };
}

/** Values that a pattern compares with. */
function toTests(pattern: Syntax, context: Context): Expr[] {
  const [inner] = namedChildren(pattern);
  if (!inner) return [];
  if (inner.type === 'union_pattern') return namedChildren(inner).map((each) => toExpr(each, context));
  if (inner.type === 'as_pattern') return toTests(inner, context);
  const made = toExpr(inner, context);
  // A bare name matches anything, so the case is the default one.
  return made.kind === 'name' ? [] : [made];
}

/** Converts imports; `from x import *` binds every name. */
function toImport(node: Syntax, context: Context): Stmt[] {
  const spot = { start: node.start, end: node.end };
  const names = node.children
    .filter((each) => each.field === 'name')
    .map((each) => {
      const [name, alias] =
        each.type === 'aliased_import' ? [childByField(each, 'name'), childByField(each, 'alias')] : [each, undefined];
      return {
        // White space between the parts of a dotted name is legal.
        name: name ? nodeText(name, context).replace(/\s/g, '') : '',
        alias: alias ? nodeText(alias, context) : undefined,
      };
    });
  if (node.type === 'import_statement') {
    return names.map(({ name, alias }) => ({
      kind: 'import',
      source: name,
      bindings: [{ imported: '*', local: alias ?? name }],
      typeOnly: false,
      start: spot.start,
      end: spot.end,
    }));
  }
  const source = childByField(node, 'module_name');
  const bindings: ImportBinding[] = node.children.some((each) => each.type === 'wildcard_import')
    ? [{ imported: '*all', local: '' }]
    : names.map(({ name, alias }) => ({ imported: name, local: alias ?? name }));
  return [
    {
      kind: 'import',
      source: source ? nodeText(source, context).replace(/\s/g, '') : '',
      bindings,
      typeOnly: false,
      start: spot.start,
      end: spot.end,
    },
  ];
}
