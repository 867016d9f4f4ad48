import type { ClassNode, Expr, FunctionNode, Param, Stmt } from '../../ir/nodes.js';
import { childByField, namedChildren, opaque, nodeText, type Context } from './context.js';
import { toArgs, toExpr } from './expressions.js';
import { docstringOf, membersOf } from './members.js';
import { toPattern } from './patterns.js';
import { toStmts } from './statements.js';
import type { Syntax } from './tree.js';

/** Converts `def` into a function node. */
export function toFunction(node: Syntax, decorators: readonly Syntax[], context: Context): FunctionNode {
  // Saved, because a nested function has its own flag.
  const outer = context.sawYield;
  context.sawYield = false;
  const name = childByField(node, 'name');
  const returns = childByField(node, 'return_type');
  const body = toStmts(childByField(node, 'body'), context);
  const isGenerator = context.sawYield;
  context.sawYield = outer;
  const docstring = docstringOf(body);
  return {
    ...(name ? { name: nodeText(name, context) } : {}),
    params: toParams(childByField(node, 'parameters'), context),
    body,
    isAsync: node.children.some((each) => each.type === 'async'),
    isGenerator,
    isArrow: false,
    decorators: toDecorators(decorators, context),
    ...(docstring === undefined ? {} : { docstring }),
    ...(returns ? { returns: toExpr(returns, context) } : {}),
    decoratedStart: decorators[0]?.start ?? node.start,
    start: node.start,
    end: node.end,
  };
}

/** Turns a lambda into a function that returns its expression. */
export function toLambda(node: Syntax, context: Context): FunctionNode {
  const body = childByField(node, 'body');
  const returned: Stmt[] = body
    ? [{ kind: 'return', value: toExpr(body, context), start: body.start, end: body.end }]
    : [];
  return {
    params: toParams(childByField(node, 'parameters'), context),
    body: returned,
    isAsync: false,
    isGenerator: false,
    isArrow: true,
    decorators: [],
    decoratedStart: node.start,
    start: node.start,
    end: node.end,
  };
}

/** Decorators as expressions. */
const toDecorators = (decorators: readonly Syntax[], context: Context): Expr[] =>
  decorators.map((each) => {
    const [inner] = namedChildren(each);
    return inner ? toExpr(inner, context) : opaque(each);
  });

/** Converts parameters; everything after `*` or `*args` can only be given by name. */
function toParams(node: Syntax | undefined, context: Context): Param[] {
  const params: Param[] = [];
  let keywordOnly = false;
  for (const each of node ? namedChildren(node) : []) {
    if (each.type === 'keyword_separator') keywordOnly = true;
    if (each.type === 'keyword_separator' || each.type === 'positional_separator') continue;
    const param = toParam(each, context);
    if (param) params.push(keywordOnly && !param.rest ? { ...param, keywordOnly } : param);
    if (param?.rest === 'list') keywordOnly = true;
  }
  return params;
}

/** Converts one parameter; undefined for syntax that declares none. */
function toParam(node: Syntax, context: Context): Param | undefined {
  const spot = { start: node.start, end: node.end };
  const [type, value, name] = [childByField(node, 'type'), childByField(node, 'value'), childByField(node, 'name')];
  const extras = {
    ...(type ? { annotation: toExpr(type, context) } : {}),
    ...(value ? { default: toExpr(value, context) } : {}),
  };
  const [first] = namedChildren(node);
  switch (node.type) {
    case 'identifier':
    case 'tuple_pattern':
      return { target: toPattern(node, context), start: spot.start, end: spot.end };
    case 'default_parameter':
    case 'typed_default_parameter':
      return name && { target: toPattern(name, context), ...extras, start: spot.start, end: spot.end };
    case 'typed_parameter': {
      const inner = first && toParam(first, context);
      return inner && { ...inner, ...extras, start: spot.start, end: spot.end };
    }
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern':
      return (
        first && {
          target: toPattern(first, context),
          rest: node.type === 'list_splat_pattern' ? 'list' : 'dict',
          start: spot.start,
          end: spot.end,
        }
      );
    default:
      return undefined;
  }
}

/** Converts `class` into a class node: functions become methods, assignments static fields, the rest stays in the body. */
export function toClass(node: Syntax, decorators: readonly Syntax[], context: Context): ClassNode {
  const name = childByField(node, 'name');
  const stmts = toStmts(childByField(node, 'body'), context);
  const docstring = docstringOf(stmts);
  return {
    ...(name ? { name: nodeText(name, context) } : {}),
    bases: toArgs(childByField(node, 'superclasses'), context),
    ...membersOf(stmts),
    decorators: toDecorators(decorators, context),
    ...(docstring === undefined ? {} : { docstring }),
    start: node.start,
    end: node.end,
  };
}
