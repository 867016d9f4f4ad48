import type { Pattern } from '../../ir/nodes.js';
import { withDepth, opaque, spotOf, type Context } from './context.js';
import { toExpr, toKey } from './expressions.js';
import type { Node } from '@babel/types';

/** Converts an assignment target or a parameter into a pattern. */
export function toPattern(node: Node, context: Context): Pattern {
  return withDepth<Pattern>(node, context, () => convertPattern(node, context));
}

/** Converts by node type; unusual targets become opaque. */
function convertPattern(node: Node, context: Context): Pattern {
  const spot = spotOf(node);
  switch (node.type) {
    case 'Identifier':
      return { kind: 'name', name: node.name, start: spot.start, end: spot.end };
    case 'ObjectPattern': {
      const entries: { key: ReturnType<typeof toKey>; target: Pattern }[] = [];
      let rest: Pattern | undefined;
      for (const property of node.properties) {
        // A rest element is always last.
        if (property.type === 'RestElement') rest = toPattern(property.argument, context);
        else
          entries.push({
            key: toKey(property.key, property.computed, context),
            target: toPattern(property.value, context),
          });
      }
      return { kind: 'dict-pattern', entries, rest, start: spot.start, end: spot.end };
    }
    case 'ArrayPattern': {
      const items: (Pattern | undefined)[] = [];
      let rest: Pattern | undefined;
      for (const element of node.elements) {
        if (element?.type === 'RestElement') rest = toPattern(element.argument, context);
        else items.push(element ? toPattern(element, context) : undefined);
      }
      return { kind: 'list-pattern', items, rest, start: spot.start, end: spot.end };
    }
    case 'AssignmentPattern':
      return {
        kind: 'default-pattern',
        target: toPattern(node.left, context),
        value: toExpr(node.right, context),
        start: spot.start,
        end: spot.end,
      };
    case 'RestElement':
      return toPattern(node.argument, context);
    default: {
      const target = toExpr(node, context);
      if (target.kind === 'name' || target.kind === 'member' || target.kind === 'index') return target;
      return opaque(node, [target]);
    }
  }
}
