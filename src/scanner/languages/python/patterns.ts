import type { Pattern } from '../../ir/nodes.js';
import { namedChildren, opaque, type Context } from './context.js';
import { toExpr } from './expressions.js';
import type { Syntax } from './tree.js';

/** Nodes that unpack several values. */
const groups = new Set([
  'pattern_list',
  'tuple_pattern',
  'list_pattern',
  'tuple',
  'list',
  'expression_list',
  'as_pattern_target_list',
]);

/** Converts an assignment target or loop variable into a pattern. */
export function toPattern(node: Syntax, context: Context): Pattern {
  if (groups.has(node.type)) {
    const items: (Pattern | undefined)[] = [];
    let rest: Pattern | undefined;
    for (const each of namedChildren(node)) {
      const [inner] = namedChildren(each);
      if ((each.type === 'list_splat_pattern' || each.type === 'list_splat') && inner) rest = toPattern(inner, context);
      else items.push(toPattern(each, context));
    }
    return { kind: 'list-pattern', items, ...(rest ? { rest } : {}), start: node.start, end: node.end };
  }
  // Parentheses and `as` targets only wrap the pattern.
  const [only] = namedChildren(node);
  if ((node.type === 'as_pattern_target' || node.type === 'parenthesized_expression') && only)
    return toPattern(only, context);
  const target = toExpr(node, context);
  return target.kind === 'name' || target.kind === 'member' || target.kind === 'index'
    ? target
    : opaque(node, [target]);
}
