import type { Expr } from '../../ir/nodes.js';
import type { Node } from '@babel/types';

/** Converts a TypeScript annotation that is a name (`server: McpServer`, `sdk.McpServer`, `Promise<McpServer>`); undefined for other types. */
export function toAnnotation(node: Node | null | undefined): Expr | undefined {
  if (!node) return undefined;
  if (node.type === 'TSTypeAnnotation') return toAnnotation(node.typeAnnotation);
  if (node.type !== 'TSTypeReference') return undefined;
  const target = toName(node.typeName);
  const [only] = node.typeParameters?.params ?? [];
  // The value behind a promise is what the analysis follows.
  if (target?.kind === 'name' && target.name === 'Promise' && only) return toAnnotation(only);
  return target;
}

/** A qualified name as member access. */
function toName(node: Node): Expr | undefined {
  if (node.type === 'Identifier') return { kind: 'name', name: node.name, start: node.start ?? 0, end: node.end ?? 0 };
  if (node.type !== 'TSQualifiedName') return undefined;
  const object = toName(node.left);
  return object && { kind: 'member', object, property: node.right.name, start: node.start ?? 0, end: node.end ?? 0 };
}
