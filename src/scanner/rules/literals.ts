import type { Expr, Module, Stmt } from '../ir/nodes.js';
import { locationOf, positionAt, type Location } from '../ir/positions.js';
import { walk, walkModule } from '../ir/walk.js';
import { isAside } from '../project/aside.js';
import type { Scanned } from './rule.js';

/** Modules that belong to the program, not to its tests and examples. */
export const servedModules = (scanned: Scanned): readonly Module[] =>
  [...scanned.project.modules.values()].filter(
    (module) => !isAside(module.path) || scanned.machine.runs.has(module.path),
  );

/** The place of an offset in a module. */
export function spotAt(module: Module, start: number, length = 1): Location {
  const { line, column } = positionAt(module, start);
  return { file: module.path, startLine: line, startColumn: column, endLine: line, endColumn: column + length };
}

/** Every expression of a module; bodies that cannot hold what is looked for may be left out by their text. */
export function eachExpr(module: Module, visit: (expr: Expr) => void, mayHold?: (text: string) => boolean): void {
  walkModule(module, { expr: (expr) => visit(expr), ...(mayHold ? { mayHold } : {}) });
}

/** Every statement of a module. */
export function eachStmt(module: Module, visit: (stmt: Stmt) => void): void {
  walk(module.body, { stmt: (stmt) => visit(stmt) });
}

/** The place of a node. */
export const nodeAt = (module: Module, node: { readonly start: number; readonly end: number }): Location =>
  locationOf(module, node);

/** Whether an offset stands in a comment, as far as its own line tells. */
export function isComment(module: Module, at: number): boolean {
  const start = module.text.lastIndexOf('\n', at) + 1;
  return /^\s*(?:#|\/\/|\*|\/\*)/.test(module.text.slice(start, start + 200));
}
