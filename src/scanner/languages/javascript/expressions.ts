import type { Arg, Binary, Call, Dict, DictEntry, Expr, ListItem, List, Literal, Template } from '../../ir/nodes.js';
import { maxNodeDepth, opaque, spotOf, type Context } from './context.js';
import { toClass, toFunction } from './functions.js';
import { toPattern } from './patterns.js';
import type * as Babel from '@babel/types';
import type { Node } from '@babel/types';

/** Nodes that only state a type, or group; their value is that of the inner expression. */
const typeWrappers = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'ParenthesizedExpression',
  'TypeCastExpression',
  'ChainExpression',
]);

/** Converts a Babel expression into the IR; TypeScript type wrappers are removed. */
export function toExpr(node: Node, context: Context): Expr {
  let inner = node;
  while (typeWrappers.has(inner.type)) {
    // All wrapper nodes of the set store the wrapped node in `expression`.
    inner = (inner as Babel.TSAsExpression).expression;
  }
  // Deep nesting would overflow the stack of every later analysis; the part is left out and reported.
  if (context.depth >= maxNodeDepth) {
    context.partial = true;
    return opaque(inner);
  }
  context.depth += 1;
  const made = convertExpr(inner, context);
  context.depth -= 1;
  return made;
}

/** A literal with the source range of a node. */
export const toLiteral = (node: Node, value: Literal['value']): Literal => ({
  kind: 'literal',
  value,
  start: node.start ?? 0,
  end: node.end ?? 0,
});

/** Converts by node type; what the IR does not model becomes opaque with its parts, so that data still flows through it. */
function convertExpr(node: Node, context: Context): Expr {
  const start = node.start ?? 0;
  const end = node.end ?? 0;
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return toLiteral(node, node.value);
    case 'DirectiveLiteral':
    case 'BigIntLiteral':
    case 'DecimalLiteral':
      return toLiteral(node, node.value);
    case 'NullLiteral':
      return toLiteral(node, null);
    case 'RegExpLiteral':
      return { kind: 'regex', source: node.pattern, flags: node.flags, start, end };
    case 'TemplateLiteral':
      return toTemplate(node, context);
    case 'TaggedTemplateExpression':
      return {
        kind: 'tagged',
        tag: toExpr(node.tag, context),
        template: toTemplate(node.quasi, context),
        start,
        end,
      };
    case 'Identifier':
      // `undefined` is a name in JavaScript, but no program that matters redefines it.
      return node.name === 'undefined' ? toLiteral(node, undefined) : { kind: 'name', name: node.name, start, end };
    case 'ThisExpression':
      return { kind: 'name', name: 'this', start, end };
    case 'Super':
      return { kind: 'name', name: 'super', start, end };
    case 'MetaProperty':
      return { kind: 'name', name: `${node.meta.name}.${node.property.name}`, start, end };
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      return toMember(node, context);
    case 'CallExpression':
    case 'OptionalCallExpression':
    case 'NewExpression':
      return toCall(node, context);
    case 'ImportExpression':
      return { kind: 'import', source: toExpr(node.source, context), start, end };
    case 'ArrayExpression':
      return toList(node, context);
    case 'ObjectExpression':
      return toDict(node, context);
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return { kind: 'function', fn: toFunction(node, context), start, end };
    case 'ClassExpression':
      return { kind: 'class', cls: toClass(node, context), start, end };
    case 'BinaryExpression':
      return toBinary(node, context);
    case 'LogicalExpression':
      return {
        kind: 'logical',
        op: node.operator === '&&' ? 'and' : node.operator === '||' ? 'or' : '??',
        left: toExpr(node.left, context),
        right: toExpr(node.right, context),
        start,
        end,
      };
    case 'UnaryExpression':
      return {
        kind: 'unary',
        op: node.operator === '!' ? 'not' : node.operator,
        value: toExpr(node.argument, context),
        start,
        end,
      };
    case 'ConditionalExpression':
      return {
        kind: 'conditional',
        test: toExpr(node.test, context),
        yes: toExpr(node.consequent, context),
        no: toExpr(node.alternate, context),
        start,
        end,
      };
    case 'AssignmentExpression':
      return {
        kind: 'assign',
        target: toPattern(node.left, context),
        op: node.operator === '=' ? undefined : node.operator.slice(0, -1),
        value: toExpr(node.right, context),
        start,
        end,
      };
    case 'UpdateExpression':
      return {
        kind: 'assign',
        target: toPattern(node.argument, context),
        op: node.operator === '++' ? '+' : '-',
        value: toLiteral(node, 1),
        start,
        end,
      };
    case 'AwaitExpression':
      return { kind: 'await', value: toExpr(node.argument, context), start, end };
    case 'YieldExpression':
      return {
        kind: 'yield',
        value: node.argument ? toExpr(node.argument, context) : undefined,
        delegate: node.delegate,
        start,
        end,
      };
    case 'SequenceExpression':
      return { kind: 'sequence', items: node.expressions.map((each) => toExpr(each, context)), start, end };
    case 'JSXElement':
    case 'JSXFragment':
      return opaque(node, jsxParts(node, context));
    default:
      return opaque(node);
  }
}

/** A template literal as known text and expressions. */
function toTemplate(node: Babel.TemplateLiteral, context: Context): Template {
  const parts: (string | Expr)[] = [];
  node.quasis.forEach((quasi, index) => {
    // An invalid escape has no cooked value in a tagged template.
    const text = quasi.value.cooked ?? quasi.value.raw;
    if (text !== '') parts.push(text);
    const inner = node.expressions[index];
    if (inner) parts.push(toExpr(inner, context));
  });
  return { kind: 'template', parts, start: node.start ?? 0, end: node.end ?? 0 };
}

/** Converts member access; a computed access with a literal is a plain member. */
function toMember(node: Babel.MemberExpression | Babel.OptionalMemberExpression, context: Context): Expr {
  const object = toExpr(node.object, context);
  const spot = spotOf(node);
  if (!node.computed && node.property.type === 'Identifier')
    return { kind: 'member', object, property: node.property.name, start: spot.start, end: spot.end };
  if (node.property.type === 'PrivateName')
    return { kind: 'member', object, property: `#${node.property.id.name}`, start: spot.start, end: spot.end };
  if (node.property.type === 'StringLiteral')
    return { kind: 'member', object, property: node.property.value, start: spot.start, end: spot.end };
  return { kind: 'index', object, index: toExpr(node.property, context), start: spot.start, end: spot.end };
}

/** Converts calls, `new` and dynamic imports. */
function toCall(
  node: Babel.CallExpression | Babel.OptionalCallExpression | Babel.NewExpression,
  context: Context,
): Call | Expr {
  const spot = spotOf(node);
  const args: Arg[] = [];
  for (const arg of node.arguments) {
    const isSpread = arg.type === 'SpreadElement';
    args.push({ value: toExpr(isSpread ? arg.argument : arg, context), spread: isSpread ? 'list' : undefined });
  }
  if (node.callee.type === 'Import')
    return { kind: 'import', source: args[0]?.value ?? opaque(node), start: spot.start, end: spot.end };
  return {
    kind: 'call',
    callee: toExpr(node.callee, context),
    args,
    isNew: node.type === 'NewExpression',
    start: spot.start,
    end: spot.end,
  };
}

/** Converts an array; holes are undefined. */
function toList(node: Babel.ArrayExpression, context: Context): List {
  const items: ListItem[] = [];
  for (const element of node.elements) {
    if (element === null) items.push({ value: toLiteral(node, undefined), spread: false });
    else if (element.type === 'SpreadElement') items.push({ value: toExpr(element.argument, context), spread: true });
    else items.push({ value: toExpr(element, context), spread: false });
  }
  return { kind: 'list', of: 'list', items, start: node.start ?? 0, end: node.end ?? 0 };
}

/** The key of a property as an expression: a plain name is a literal, a computed one stays an expression. */
export function toKey(key: Node, computed: boolean, context: Context): Expr {
  if (!computed && key.type === 'Identifier') return toLiteral(key, key.name);
  if (key.type === 'PrivateName') return toLiteral(key, `#${key.id.name}`);
  if (!computed && key.type === 'NumericLiteral') return toLiteral(key, String(key.value));
  return toExpr(key, context);
}

/** Converts an object; spreads are entries without a key. */
function toDict(node: Babel.ObjectExpression, context: Context): Dict {
  const entries: DictEntry[] = [];
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') entries.push({ value: toExpr(property.argument, context) });
    else if (property.type === 'ObjectMethod') {
      entries.push({
        key: toKey(property.key, property.computed, context),
        value: { kind: 'function', fn: toFunction(property, context), ...spotOf(property) },
        ...(property.kind === 'method' ? {} : { accessor: property.kind }),
      });
    } else
      entries.push({ key: toKey(property.key, property.computed, context), value: toExpr(property.value, context) });
  }
  return { kind: 'dict', entries, start: node.start ?? 0, end: node.end ?? 0 };
}

/** Converts operators; strict and loose equality are the same for the analysis. */
function toBinary(node: Babel.BinaryExpression, context: Context): Expr {
  // `'a' + 'b' + …` is left-deep: a loop avoids a stack overflow with ten thousand terms.
  const chain: Babel.BinaryExpression[] = [];
  let first: Node = node;
  while (first.type === 'BinaryExpression') {
    chain.push(first);
    first = first.left;
  }
  let left = toExpr(first, context);
  for (const each of chain.toReversed()) {
    const made: Binary = {
      kind: 'binary',
      op: each.operator === '===' ? '==' : each.operator === '!==' ? '!=' : each.operator,
      left,
      right: toExpr(each.right, context),
      start: each.start ?? 0,
      end: each.end ?? 0,
    };
    left = made;
  }
  return left;
}

/** Expressions inside of JSX, whose structure does not matter here. */
function jsxParts(node: Babel.JSXElement | Babel.JSXFragment, context: Context): Expr[] {
  const parts: Expr[] = [];
  const add = (inner: Node | null | undefined) => {
    if (inner && inner.type !== 'JSXEmptyExpression') parts.push(toExpr(inner, context));
  };
  if (node.type === 'JSXElement') {
    for (const attribute of node.openingElement.attributes) {
      if (attribute.type === 'JSXSpreadAttribute') add(attribute.argument);
      else if (attribute.value?.type === 'JSXExpressionContainer') add(attribute.value.expression);
      else if (attribute.value?.type === 'StringLiteral') add(attribute.value);
    }
  }
  for (const child of node.children) {
    if (child.type === 'JSXExpressionContainer' || child.type === 'JSXSpreadChild') add(child.expression);
    else if (child.type === 'JSXElement' || child.type === 'JSXFragment') add(child);
  }
  return parts;
}
