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

/** Visits one statement and its parts; nothing is made for it, since every rule walks all of the code. */
export function walkStmt(stmt: Stmt, visitor: Visitor): void {
  if (visitor.stmt?.(stmt) === false) return;
  switch (stmt.kind) {
    case 'expr':
    case 'return':
    case 'throw':
    case 'export':
      if (stmt.value) walkExpr(stmt.value, visitor);
      return;
    case 'assign':
      if (stmt.value) walkExpr(stmt.value, visitor);
      walkExpr(stmt.target, visitor);
      if (stmt.annotation) walkExpr(stmt.annotation, visitor);
      return;
    case 'assert':
      walkExpr(stmt.test, visitor);
      return;
    case 'if':
      walkExpr(stmt.test, visitor);
      walk(stmt.yes, visitor);
      walk(stmt.no, visitor);
      return;
    case 'while':
      walk(stmt.init, visitor);
      if (stmt.test) walkExpr(stmt.test, visitor);
      walk(stmt.body, visitor);
      if (stmt.update) walkExpr(stmt.update, visitor);
      walk(stmt.else, visitor);
      return;
    case 'for':
      walkExpr(stmt.iterable, visitor);
      walkExpr(stmt.target, visitor);
      walk(stmt.body, visitor);
      walk(stmt.else, visitor);
      return;
    case 'try':
      walk(stmt.body, visitor);
      for (const handler of stmt.handlers) {
        if (handler.type) walkExpr(handler.type, visitor);
        walk(handler.body, visitor);
      }
      walk(stmt.else, visitor);
      walk(stmt.finally, visitor);
      return;
    case 'with':
      for (const item of stmt.items) {
        walkExpr(item.context, visitor);
        if (item.target) walkExpr(item.target, visitor);
      }
      walk(stmt.body, visitor);
      return;
    case 'switch':
      walkExpr(stmt.subject, visitor);
      for (const one of stmt.cases) {
        for (const test of one.tests) walkExpr(test, visitor);
        walk(one.body, visitor);
      }
      return;
    case 'function':
      walkFunction(stmt.fn, undefined, visitor);
      return;
    case 'class':
      walkClass(stmt.cls, visitor);
      return;
    case 'block':
      walk(stmt.body, visitor);
      return;
    default:
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
