import type { Expr, Module } from '../ir/nodes.js';
import { locationOf, positionAt, type Location } from '../ir/positions.js';
import { walkModule } from '../ir/walk.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import type { RuleContext } from './rule.js';

/** Modules of the program itself, without tests and examples that nothing imports. */
export const servedModules = (context: RuleContext): readonly Module[] =>
  [...context.project.modules.values()].filter(
    (module) => !isAuxiliary(module.path) || context.machine.runs.has(module.path),
  );

/** The location of an offset in a module. */
export function locationAt(module: Module, start: number, length = 1): Location {
  const { line, column } = positionAt(module, start);
  return { file: module.path, startLine: line, startColumn: column, endLine: line, endColumn: column + length };
}

/** Visits every expression of a module; the text filter skips deferred bodies without parsing them. */
export function visitExprs(module: Module, visit: (expr: Expr) => void, mayHold?: (text: string) => boolean): void {
  walkModule(module, { expr: (expr) => visit(expr), ...(mayHold ? { mayContain: mayHold } : {}) });
}

/** The location of a node. */
export const nodeLocation = (module: Module, node: { readonly start: number; readonly end: number }): Location =>
  locationOf(module, node);

/** Whether the line of an offset starts as a comment. */
export function isComment(module: Module, at: number): boolean {
  const start = module.text.lastIndexOf('\n', at) + 1;
  return /^\s*(?:#|\/\/|\*|\/\*)/.test(module.text.slice(start, start + 200));
}
