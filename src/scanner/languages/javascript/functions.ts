import type { Arg, ClassMember, ClassNode, Expr, FunctionNode, Param, Stmt, DeferredBody } from '../../ir/nodes.js';
import { spotOf, type Context, type FunctionHead, type LazyBody } from './context.js';
import { toExpr, toKey } from './expressions.js';
import { toPattern } from './patterns.js';
import { toStmts } from './statements.js';
import { toAnnotation } from './types.js';
import type * as Babel from '@babel/types';
import type { Node } from '@babel/types';

/** Every node that is a function. */
type FunctionLike =
  | Babel.FunctionDeclaration
  | Babel.FunctionExpression
  | Babel.ArrowFunctionExpression
  | Babel.ObjectMethod
  | Babel.ClassMethod
  | Babel.ClassPrivateMethod;

/** Converts any kind of function into a function node. */
export function toFunction(node: FunctionLike, context: Context): FunctionNode {
  const spot = spotOf(node);
  const name = functionName(node);
  const head = { isAsync: node.async ?? false, isGenerator: node.generator ?? false };
  // Bodies are parsed on demand: most functions of a bundle are never reached.
  const later =
    node.body.type === 'BlockStatement' ? context.lazyBody?.(node.body.start ?? -1, head, context.depth) : undefined;
  const params = node.params.map((param) => toParam(param, context));
  const isArrow = node.type === 'ArrowFunctionExpression';
  const decorators = decoratorsOf(node, context);
  const { isAsync, isGenerator } = head;
  const { start, end } = spot;
  return later
    ? new LazyFunction(name, params, head, isArrow, decorators, start, end, later)
    : {
        name,
        params,
        body: bodyOf(node, context),
        isAsync,
        isGenerator,
        isArrow,
        decorators,
        decoratedStart: start,
        start,
        end,
      };
}

/** A function whose body is parsed on first access. A class, because per-object getters cost a kilobyte each and bundles have a million functions. */
class LazyFunction implements FunctionNode {
  readonly name: string | undefined;
  readonly params: readonly Param[];
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  readonly isArrow: boolean;
  readonly decorators: readonly Expr[];
  readonly decoratedStart: number;
  readonly start: number;
  readonly end: number;
  readonly #later: LazyBody;

  constructor(
    name: string | undefined,
    params: readonly Param[],
    { isAsync, isGenerator }: FunctionHead,
    isArrow: boolean,
    decorators: readonly Expr[],
    start: number,
    end: number,
    later: LazyBody,
  ) {
    this.name = name;
    this.params = params;
    this.isAsync = isAsync;
    this.isGenerator = isGenerator;
    this.isArrow = isArrow;
    this.decorators = decorators;
    this.decoratedStart = start;
    this.start = start;
    this.end = end;
    this.#later = later;
  }

  get body(): readonly Stmt[] {
    return this.#later.body();
  }

  get deferred(): DeferredBody | undefined {
    return this.#later.unread();
  }
}

/** Statements of a body; an expression body returns its value. */
const bodyOf = (node: FunctionLike, context: Context): Stmt[] =>
  node.body.type === 'BlockStatement'
    ? toStmts(node.body.body, context)
    : [{ kind: 'return', value: toExpr(node.body, context), ...spotOf(node.body) }];

/** Declared name; arrows take theirs from where they are assigned. */
function functionName(node: FunctionLike): string | undefined {
  if (node.type === 'ArrowFunctionExpression') return undefined;
  if (node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') return node.id?.name;
  return plainKey(node.key, 'computed' in node && node.computed === true);
}

/** A property name that is known without evaluation. */
function plainKey(key: Node, computed: boolean): string | undefined {
  if (key.type === 'PrivateName') return `#${key.id.name}`;
  if (key.type === 'Identifier' && !computed) return key.name;
  if (key.type === 'StringLiteral') return key.value;
  if (key.type === 'NumericLiteral') return String(key.value);
  return undefined;
}

/** Shared empty list, since most functions have no decorators. */
const noDecorators: readonly Expr[] = [];

/** Decorators as expressions. */
function decoratorsOf(
  node: { readonly decorators?: readonly Babel.Decorator[] | null } | Node,
  context: Context,
): readonly Expr[] {
  const decorators = 'decorators' in node ? node.decorators : undefined;
  return decorators ? decorators.map((decorator) => toExpr(decorator.expression, context)) : noDecorators;
}

/** Converts a parameter; a TypeScript parameter property also declares a field. */
function toParam(node: Node, context: Context): Param {
  if (node.type === 'TSParameterProperty') return { ...toParam(node.parameter, context), isField: true };
  const spot = spotOf(node);
  if (node.type === 'AssignmentPattern') {
    return { ...toParam(node.left, context), default: toExpr(node.right, context), start: spot.start, end: spot.end };
  }
  if (node.type === 'RestElement')
    return { target: toPattern(node.argument, context), rest: 'list', start: spot.start, end: spot.end };
  const annotation = 'typeAnnotation' in node ? toAnnotation(node.typeAnnotation) : undefined;
  return { target: toPattern(node, context), annotation, start: spot.start, end: spot.end };
}

/** Converts a class into a class node; omits abstract members and index signatures, which have no run-time effect. */
export function toClass(node: Babel.ClassDeclaration | Babel.ClassExpression, context: Context): ClassNode {
  const members: ClassMember[] = [];
  const body: Stmt[] = [];
  for (const member of node.body.body) {
    const spot = spotOf(member);
    if (member.type === 'StaticBlock')
      body.push({ kind: 'block', body: toStmts(member.body, context), start: spot.start, end: spot.end });
    if (member.type === 'ClassMethod' || member.type === 'ClassPrivateMethod') {
      const kind = member.kind === 'get' ? 'getter' : member.kind === 'set' ? 'setter' : 'method';
      members.push({
        kind,
        name: memberName(member, context),
        isStatic: member.static === true,
        fn: toFunction(member, context),
        start: spot.start,
        end: spot.end,
      });
    }
    if (
      member.type === 'ClassProperty' ||
      member.type === 'ClassPrivateProperty' ||
      member.type === 'ClassAccessorProperty'
    ) {
      const annotation = 'typeAnnotation' in member ? toAnnotation(member.typeAnnotation) : undefined;
      members.push({
        kind: 'field',
        name: memberName(member, context),
        isStatic: member.static === true,
        value: member.value ? toExpr(member.value, context) : undefined,
        annotation,
        start: spot.start,
        end: spot.end,
      });
    }
  }
  const bases: Arg[] = node.superClass ? [{ value: toExpr(node.superClass, context) }] : [];
  return {
    name: node.id?.name,
    bases,
    members,
    body,
    decorators: decoratorsOf(node, context),
    start: node.start ?? 0,
    end: node.end ?? 0,
  };
}

/** Name of a member; a computed one that is not a literal gets a placeholder. */
function memberName(member: { readonly key: Node; readonly computed?: boolean | null }, context: Context): string {
  const key = toKey(member.key, member.computed === true, context);
  return key.kind === 'literal' && typeof key.value === 'string' ? key.value : '[computed]';
}
