import type {
  Arg,
  Binary,
  Clause,
  Comprehension,
  DictEntry,
  Expr,
  ListItem,
  Literal,
  Pattern,
} from '../../ir/nodes.js';
import { childByField, namedChildren, opaque, nodeText, type Context } from './context.js';
import { toLambda } from './functions.js';
import { toPattern } from './patterns.js';
import { toString } from './strings.js';
import type { Syntax } from './tree.js';

/** Source range of a node. */
const spotOf = (node: Syntax) => ({ start: node.start, end: node.end });
/** Stands in for a part that a syntax error has removed. */
const missingExpr = (node: Syntax): Expr => opaque(node);

/** Converts a Python expression into the IR; annotations are expressions too. */
export function toExpr(node: Syntax, context: Context): Expr {
  const spot = spotOf(node);
  // A missing child becomes opaque instead of failing: the parser recovers from errors.
  const to = (inner: Syntax | undefined): Expr => (inner ? toExpr(inner, context) : missingExpr(node));
  const field = (name: string): Expr => to(childByField(node, name));
  switch (node.type) {
    case 'identifier':
      return { kind: 'name', name: nodeText(node, context), start: spot.start, end: spot.end };
    case 'string':
    case 'concatenated_string':
      return toString(node, context);
    case 'integer':
    case 'float':
      return toNumber(node, context);
    case 'true':
    case 'false':
      return { kind: 'literal', value: node.type === 'true', start: spot.start, end: spot.end };
    case 'none':
      return { kind: 'literal', value: null, start: spot.start, end: spot.end };
    case 'attribute':
      return {
        kind: 'member',
        object: field('object'),
        property: nodeText(childByField(node, 'attribute') ?? node, context),
        start: spot.start,
        end: spot.end,
      };
    case 'subscript':
      return {
        kind: 'index',
        object: field('value'),
        index: tupleOf(
          node,
          node.children.filter((each) => each.field === 'subscript'),
          context,
        ),
        start: spot.start,
        end: spot.end,
      };
    case 'slice':
      return toSlice(node, context);
    case 'call':
      return {
        kind: 'call',
        callee: field('function'),
        args: toArgs(childByField(node, 'arguments'), context),
        isNew: false,
        start: spot.start,
        end: spot.end,
      };
    case 'list':
    case 'set':
    case 'tuple':
      return { kind: 'list', of: node.type, items: toItems(node, context), start: spot.start, end: spot.end };
    case 'expression_list':
    case 'pattern_list':
      return { kind: 'list', of: 'tuple', items: toItems(node, context), start: spot.start, end: spot.end };
    case 'dictionary':
      return { kind: 'dict', entries: toEntries(node, context), start: spot.start, end: spot.end };
    case 'list_comprehension':
    case 'set_comprehension':
    case 'dictionary_comprehension':
    case 'generator_expression':
      return toComprehension(node, context);
    case 'lambda':
      return { kind: 'function', fn: toLambda(node, context), start: spot.start, end: spot.end };
    case 'binary_operator':
      return {
        kind: 'binary',
        op: operatorOf(node, context),
        left: field('left'),
        right: field('right'),
        start: spot.start,
        end: spot.end,
      };
    case 'boolean_operator':
      return {
        kind: 'logical',
        op: operatorOf(node, context) === 'and' ? 'and' : 'or',
        left: field('left'),
        right: field('right'),
        start: spot.start,
        end: spot.end,
      };
    case 'comparison_operator':
      return toComparison(node, context);
    case 'not_operator':
      return { kind: 'unary', op: 'not', value: field('argument'), start: spot.start, end: spot.end };
    case 'unary_operator':
      return {
        kind: 'unary',
        op: operatorOf(node, context),
        value: field('argument'),
        start: spot.start,
        end: spot.end,
      };
    case 'conditional_expression': {
      const [yes, test, no] = namedChildren(node);
      return { kind: 'conditional', test: to(test), yes: to(yes), no: to(no), start: spot.start, end: spot.end };
    }
    case 'named_expression': {
      const target = childByField(node, 'name');
      return {
        kind: 'assign',
        target: target ? toPattern(target, context) : opaque(node),
        value: field('value'),
        start: spot.start,
        end: spot.end,
      };
    }
    case 'assignment':
    case 'augmented_assignment': {
      const target = childByField(node, 'left');
      const op = node.type === 'assignment' ? {} : { op: operatorOf(node, context).slice(0, -1) };
      return {
        kind: 'assign',
        target: target ? toPattern(target, context) : opaque(node),
        ...op,
        value: field('right'),
        start: spot.start,
        end: spot.end,
      };
    }
    case 'await':
      return { kind: 'await', value: to(namedChildren(node)[0]), start: spot.start, end: spot.end };
    case 'yield': {
      // A function with a yield is a generator; the flag is read when its body ends.
      context.sawYield = true;
      const [value] = namedChildren(node);
      return {
        kind: 'yield',
        ...(value ? { value: to(value) } : {}),
        delegate: node.children.some((each) => each.type === 'from'),
        start: spot.start,
        end: spot.end,
      };
    }
    case 'parenthesized_expression':
    case 'type':
    case 'constrained_type':
      return to(namedChildren(node)[0]);
    case 'generic_type':
      return toGeneric(node, context);
    case 'union_type': {
      const [left, right] = namedChildren(node);
      return { kind: 'binary', op: '|', left: to(left), right: to(right), start: spot.start, end: spot.end };
    }
    case 'member_type': {
      const [object, property] = namedChildren(node);
      return {
        kind: 'member',
        object: to(object),
        property: property ? nodeText(property, context) : '',
        start: spot.start,
        end: spot.end,
      };
    }
    case 'dotted_name':
      return toDotted(node, context);
    case 'ellipsis':
      return { kind: 'opaque', what: 'ellipsis', parts: [], start: spot.start, end: spot.end };
    default:
      return opaque(
        node,
        namedChildren(node).map((each) => toExpr(each, context)),
      );
  }
}

/** The operator text of a node. */
function operatorOf(node: Syntax, context: Context): string {
  const token = childByField(node, 'operator');
  return token ? nodeText(token, context) : '';
}

/** Identity is treated as equality: the analysis has no object identity for constants. */
const identityOperators = new Map([
  ['is', '=='],
  ['is not', '!='],
  ['<>', '!='],
]);

/** Converts `a < b < c` into a conjunction of comparisons. */
function toComparison(node: Syntax, context: Context): Expr {
  const operands = namedChildren(node)
    .filter((each) => each.field !== 'operators')
    .map((each) => toExpr(each, context));
  const ops = node.children
    .filter((each) => each.field === 'operators')
    .map((each) => nodeText(each, context).replace(/\s+/g, ' '));
  let made: Expr | undefined;
  ops.forEach((op, index) => {
    const [left, right] = [operands[index], operands[index + 1]];
    if (!left || !right) return;
    const one: Binary = {
      kind: 'binary',
      op: identityOperators.get(op) ?? op,
      left,
      right,
      start: node.start,
      end: node.end,
    };
    made = made ? { kind: 'logical', op: 'and', left: made, right: one, start: node.start, end: node.end } : one;
  });
  return made ?? opaque(node, operands);
}

/** Underscores in numbers are separators. */
function toNumber(node: Syntax, context: Context): Literal {
  const text = nodeText(node, context).replaceAll('_', '');
  return { kind: 'literal', value: Number(text), start: node.start, end: node.end };
}

/** Converts a slice; each part may be missing. */
function toSlice(node: Syntax, context: Context): Expr {
  const found: (Expr | undefined)[] = [undefined, undefined, undefined];
  let at = 0;
  for (const each of node.children) {
    if (each.type === ':') at += 1;
    else if (each.named && at < 3) found[at] = toExpr(each, context);
  }
  return { kind: 'slice', lower: found[0], upper: found[1], step: found[2], start: node.start, end: node.end };
}

/** One part, or several as a tuple, as in `x[a, b]`. */
function tupleOf(node: Syntax, parts: readonly Syntax[], context: Context): Expr {
  const [first] = parts;
  if (!first) return missingExpr(node);
  if (parts.length === 1) return toExpr(first, context);
  return {
    kind: 'list',
    of: 'tuple',
    items: parts.map((each) => ({ value: toExpr(each, context), spread: false })),
    start: node.start,
    end: node.end,
  };
}

/** Converts `List[int]` in an annotation into an index expression. */
function toGeneric(node: Syntax, context: Context): Expr {
  const [base, parameters] = namedChildren(node);
  if (!base) return missingExpr(node);
  const object = toExpr(base, context);
  return parameters
    ? {
        kind: 'index',
        object,
        index: tupleOf(parameters, namedChildren(parameters), context),
        start: node.start,
        end: node.end,
      }
    : object;
}

/** Converts `a.b.c` into member accesses. */
function toDotted(node: Syntax, context: Context): Expr {
  let made: Expr | undefined;
  for (const part of namedChildren(node)) {
    const name = nodeText(part, context);
    made = made
      ? { kind: 'member', object: made, property: name, start: node.start, end: part.end }
      : { kind: 'name', name, start: part.start, end: part.end };
  }
  return made ?? missingExpr(node);
}

/** Converts the arguments of a call or the bases of a class. */
export function toArgs(node: Syntax | undefined, context: Context): Arg[] {
  if (!node) return [];
  // `f(x for x in y)` has no separate parentheses around the generator.
  if (node.type === 'generator_expression') return [{ value: toExpr(node, context) }];
  return namedChildren(node).map((each): Arg => {
    const [inner] = namedChildren(each);
    if (each.type === 'keyword_argument') {
      const [name, value] = [childByField(each, 'name'), childByField(each, 'value')];
      return {
        value: value ? toExpr(value, context) : missingExpr(each),
        ...(name ? { name: nodeText(name, context) } : {}),
      };
    }
    if (each.type === 'list_splat' && inner) return { value: toExpr(inner, context), spread: 'list' };
    if (each.type === 'dictionary_splat' && inner) return { value: toExpr(inner, context), spread: 'dict' };
    return { value: toExpr(each, context) };
  });
}

/** Converts items; a splat spreads its value. */
function toItems(node: Syntax, context: Context): ListItem[] {
  return namedChildren(node).map((each): ListItem => {
    const [inner] = namedChildren(each);
    if (each.type === 'list_splat' && inner) return { value: toExpr(inner, context), spread: true };
    return { value: toExpr(each, context), spread: false };
  });
}

/** Converts entries; `**other` has no key. */
function toEntries(node: Syntax, context: Context): DictEntry[] {
  return namedChildren(node).map((each): DictEntry => {
    const [inner] = namedChildren(each);
    if (each.type === 'dictionary_splat' && inner) return { value: toExpr(inner, context) };
    const [key, value] = [childByField(each, 'key'), childByField(each, 'value')];
    return {
      ...(key ? { key: toExpr(key, context) } : {}),
      value: value ? toExpr(value, context) : toExpr(each, context),
    };
  });
}

/** Kinds of comprehensions. */
const comprehensionOf = new Map<string, Comprehension['of']>([
  ['list_comprehension', 'list'],
  ['set_comprehension', 'set'],
  ['dictionary_comprehension', 'dict'],
  ['generator_expression', 'generator'],
]);

/** Converts clauses and conditions in their order, which is also that of evaluation. */
function toComprehension(node: Syntax, context: Context): Comprehension {
  const clauses: { target: Pattern; iterable: Expr; conditions: Expr[] }[] = [];
  for (const each of namedChildren(node)) {
    if (each.type === 'for_in_clause') {
      const [left, right] = [
        childByField(each, 'left'),
        each.children.filter((part) => part.field === 'right' && part.named),
      ];
      clauses.push({
        target: left ? toPattern(left, context) : opaque(each),
        iterable: tupleOf(each, right, context),
        conditions: [],
      });
    } else if (each.type === 'if_clause') {
      const [test] = namedChildren(each);
      if (test) clauses.at(-1)?.conditions.push(toExpr(test, context));
    }
  }
  const body = childByField(node, 'body');
  const [key, value] =
    body?.type === 'pair' ? [childByField(body, 'key'), childByField(body, 'value')] : [undefined, body];
  const made: readonly Clause[] = clauses;
  return {
    kind: 'comprehension',
    of: comprehensionOf.get(node.type) ?? 'list',
    clauses: made,
    ...(key ? { key: toExpr(key, context) } : {}),
    element: value ? toExpr(value, context) : missingExpr(node),
    ...spotOf(node),
  };
}
