import type { ClassNode, Expr, FunctionNode, Module, Pattern, Stmt } from './nodes.js';

/** Callbacks of a walk; returning false skips the children of a node. */
export interface Visitor {
  readonly expr?: (expr: Expr) => boolean | void;
  readonly stmt?: (stmt: Stmt) => boolean | void;
  readonly fn?: (fn: FunctionNode, owner: ClassNode | undefined) => boolean | void;
  readonly cls?: (cls: ClassNode) => boolean | void;
  /** Text filter for deferred bodies; without it every deferred body is parsed. */
  readonly mayContain?: (text: string) => boolean;
}

/** Visits statements and everything inside them, in source order. */
export function walk(body: readonly Stmt[], visitor: Visitor): void {
  for (const stmt of body) walkStmt(stmt, visitor);
}

/** Visits everything in a module; a deferred module is parsed only if its text passes the filter. */
export function walkModule(module: Module, visitor: Visitor): void {
  const { deferred: unread } = module;
  if (!visitor.mayContain || !unread) walk(module.body, visitor);
  else if (visitor.mayContain(unread.text())) walk(unread.parseOnce(), visitor);
}

/** Visits one statement and its parts; avoids allocations, because every rule walks all of the code. */
function walkStmt(stmt: Stmt, visitor: Visitor): void {
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
  const { deferred: unread } = fn;
  if (visitor.mayContain && unread) {
    if (visitor.mayContain(unread.text())) walk(unread.parseOnce(), visitor);
  } else walk(fn.body, visitor);
}

/** Visits a class: its bases, members and body. */
function walkClass(cls: ClassNode, visitor: Visitor): void {
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
  // Explicit stack: a concatenation of ten thousand strings is one deep expression and would overflow the call stack.
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
    else pushParts(stack, at);
  }
}

type NodeStack = (Expr | Pattern)[];

function pushPart(stack: NodeStack, part: Expr | Pattern | undefined): void {
  if (part) stack.push(part);
}

/** Pushes the parts of an expression or pattern in reverse order; avoids a temporary list, since most have one or two. */
function pushParts(stack: NodeStack, at: Expr | Pattern): void {
  switch (at.kind) {
    case 'name':
    case 'literal':
      return;
    case 'member':
      stack.push(at.object);
      return;
    case 'call':
      for (let index = at.args.length - 1; index >= 0; index -= 1) pushPart(stack, at.args[index]?.value);
      stack.push(at.callee);
      return;
    case 'index':
      stack.push(at.index, at.object);
      return;
    case 'template':
      for (let index = at.parts.length - 1; index >= 0; index -= 1) {
        const part = at.parts[index];
        if (typeof part !== 'string') pushPart(stack, part);
      }
      return;
    case 'slice':
      pushPart(stack, at.step);
      pushPart(stack, at.upper);
      pushPart(stack, at.lower);
      return;
    case 'tagged':
      stack.push(at.template, at.tag);
      return;
    case 'list':
      for (let index = at.items.length - 1; index >= 0; index -= 1) pushPart(stack, at.items[index]?.value);
      return;
    case 'dict':
      for (let index = at.entries.length - 1; index >= 0; index -= 1) {
        pushPart(stack, at.entries[index]?.value);
        pushPart(stack, at.entries[index]?.key);
      }
      return;
    case 'binary':
    case 'logical':
      stack.push(at.right, at.left);
      return;
    case 'unary':
    case 'await':
    case 'yield':
      pushPart(stack, at.value);
      return;
    case 'conditional':
      stack.push(at.no, at.yes, at.test);
      return;
    case 'assign':
      stack.push(at.target, at.value);
      return;
    case 'comprehension':
      stack.push(at.element);
      pushPart(stack, at.key);
      for (const { iterable, target, conditions } of at.clauses.toReversed())
        stack.push(...conditions.toReversed(), target, iterable);
      return;
    case 'sequence':
      for (let index = at.items.length - 1; index >= 0; index -= 1) pushPart(stack, at.items[index]);
      return;
    case 'import':
      stack.push(at.source);
      return;
    case 'opaque':
      for (let index = at.parts.length - 1; index >= 0; index -= 1) pushPart(stack, at.parts[index]);
      return;
    case 'list-pattern':
      pushPart(stack, at.rest);
      for (let index = at.items.length - 1; index >= 0; index -= 1) pushPart(stack, at.items[index]);
      return;
    case 'dict-pattern':
      pushPart(stack, at.rest);
      for (const { key, target } of at.entries.toReversed()) stack.push(target, key);
      return;
    case 'default-pattern':
      stack.push(at.value, at.target);
      return;
    default:
  }
}
