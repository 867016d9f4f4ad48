import type { ClassNode, Expr, FunctionNode, Module, Pattern, Stmt } from './nodes.js';

/** Called on each node; returning false keeps the walk out of that node's parts. */
export interface Visitor {
  readonly expr?: (expr: Expr) => boolean | void;
  readonly stmt?: (stmt: Stmt) => boolean | void;
  readonly fn?: (fn: FunctionNode, owner: ClassNode | undefined) => boolean | void;
  readonly cls?: (cls: ClassNode) => boolean | void;
  /** Whether a body that was not read yet, given as text, may hold what is looked for; without this every body is read. */
  readonly mayHold?: (text: string) => boolean;
}

/** Visits statements and everything inside them, in source order. */
export function walk(body: readonly Stmt[], visitor: Visitor): void {
  for (const stmt of body) walkStmt(stmt, visitor);
}

/** Visits everything in a module; one that is not in memory is looked into only where its text may hold what is looked for. */
export function walkModule(module: Module, visitor: Visitor): void {
  const { unread } = module;
  if (!visitor.mayHold || !unread) walk(module.body, visitor);
  else if (visitor.mayHold(unread.text())) walk(unread.glance(), visitor);
}

/** Visits one statement and its parts. */
export function walkStmt(stmt: Stmt, visitor: Visitor): void {
  if (visitor.stmt?.(stmt) === false) return;
  for (const part of partsOf(stmt)) {
    if (part.expr) walkExpr(part.expr, visitor);
    if (part.body) walk(part.body, visitor);
    if (part.fn) walkFunction(part.fn, undefined, visitor);
    if (part.cls) walkClass(part.cls, visitor);
  }
}

interface Part {
  readonly expr?: Expr | Pattern | undefined;
  readonly body?: readonly Stmt[];
  readonly fn?: FunctionNode;
  readonly cls?: ClassNode;
}

function partsOf(stmt: Stmt): Part[] {
  switch (stmt.kind) {
    case 'expr':
      return [{ expr: stmt.value }];
    case 'assign':
      return [{ expr: stmt.value }, { expr: stmt.target }, { expr: stmt.annotation }];
    case 'return':
    case 'throw':
      return [{ expr: stmt.value }];
    case 'assert':
      return [{ expr: stmt.test }];
    case 'if':
      return [{ expr: stmt.test }, { body: stmt.yes }, { body: stmt.no }];
    case 'while':
      return [
        { body: stmt.init },
        { expr: stmt.test },
        { body: stmt.body },
        { expr: stmt.update },
        { body: stmt.else },
      ];
    case 'for':
      return [{ expr: stmt.iterable }, { expr: stmt.target }, { body: stmt.body }, { body: stmt.else }];
    case 'try':
      return [
        { body: stmt.body },
        ...stmt.handlers.flatMap((handler) => [{ expr: handler.type }, { body: handler.body }]),
        { body: stmt.else },
        { body: stmt.finally },
      ];
    case 'with':
      return [...stmt.items.flatMap((item) => [{ expr: item.context }, { expr: item.target }]), { body: stmt.body }];
    case 'switch':
      return [
        { expr: stmt.subject },
        ...stmt.cases.flatMap((one) => [...one.tests.map((expr) => ({ expr })), { body: one.body }]),
      ];
    case 'function':
      return [{ fn: stmt.fn }];
    case 'class':
      return [{ cls: stmt.cls }];
    case 'export':
      return [{ expr: stmt.value }];
    case 'block':
      return [{ body: stmt.body }];
    default:
      return [];
  }
}

/** Visits a function: its decorators, parameter defaults and body. */
export function walkFunction(fn: FunctionNode, owner: ClassNode | undefined, visitor: Visitor): void {
  if (visitor.fn?.(fn, owner) === false) return;
  for (const decorator of fn.decorators) walkExpr(decorator, visitor);
  for (const param of fn.params) {
    if (param.annotation) walkExpr(param.annotation, visitor);
    if (param.default) walkExpr(param.default, visitor);
    if (param.target.kind !== 'name') walkExpr(param.target, visitor);
  }
  const { unread } = fn;
  if (visitor.mayHold && unread) {
    if (visitor.mayHold(unread.text())) walk(unread.glance(), visitor);
  } else walk(fn.body, visitor);
}

/** Visits a class: its bases, members and body. */
export function walkClass(cls: ClassNode, visitor: Visitor): void {
  if (visitor.cls?.(cls) === false) return;
  for (const decorator of cls.decorators) walkExpr(decorator, visitor);
  for (const base of cls.bases) walkExpr(base.value, visitor);
  for (const member of cls.members) {
    if (member.fn) walkFunction(member.fn, cls, visitor);
    if (member.value) walkExpr(member.value, visitor);
    if (member.annotation) walkExpr(member.annotation, visitor);
  }
  walk(cls.body, visitor);
}

/** Visits an expression or pattern and its parts. */
export function walkExpr(root: Expr | Pattern, visitor: Visitor): void {
  // A stack of our own: a sum of ten thousand strings is one deep expression, and must not end the process.
  const stack: (Expr | Pattern)[] = [root];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (
      at.kind !== 'list-pattern' &&
      at.kind !== 'dict-pattern' &&
      at.kind !== 'default-pattern' &&
      visitor.expr?.(at) === false
    )
      continue;
    if (at.kind === 'function') walkFunction(at.fn, undefined, visitor);
    else if (at.kind === 'class') walkClass(at.cls, visitor);
    else {
      const inner = childrenOf(at);
      for (let index = inner.length - 1; index >= 0; index -= 1) {
        const child = inner[index];
        if (child) stack.push(child);
      }
    }
  }
}

/** The direct sub-expressions of an expression or pattern, in evaluation order; functions and classes have none. */
export function childrenOf(at: Expr | Pattern): readonly (Expr | Pattern | undefined)[] {
  switch (at.kind) {
    case 'template':
      return at.parts.filter((part): part is Expr => typeof part !== 'string');
    case 'member':
      return [at.object];
    case 'index':
      return [at.object, at.index];
    case 'slice':
      return [at.lower, at.upper, at.step];
    case 'call':
      return [at.callee, ...at.args.map((arg) => arg.value)];
    case 'tagged':
      return [at.tag, at.template];
    case 'list':
      return at.items.map((item) => item.value);
    case 'dict':
      return at.entries.flatMap((entry) => (entry.key ? [entry.key, entry.value] : [entry.value]));
    case 'binary':
    case 'logical':
      return [at.left, at.right];
    case 'unary':
    case 'await':
      return [at.value];
    case 'yield':
      return [at.value];
    case 'conditional':
      return [at.test, at.yes, at.no];
    case 'assign':
      return [at.value, at.target];
    case 'comprehension':
      return [
        ...at.clauses.flatMap((clause) => [clause.iterable, clause.target, ...clause.conditions]),
        at.key,
        at.element,
      ];
    case 'sequence':
      return at.items;
    case 'import':
      return [at.source];
    case 'opaque':
      return at.parts;
    case 'list-pattern':
      return [...at.items, at.rest];
    case 'dict-pattern':
      return [...at.entries.flatMap((entry) => [entry.key, entry.target]), at.rest];
    case 'default-pattern':
      return [at.target, at.value];
    default:
      return [];
  }
}
