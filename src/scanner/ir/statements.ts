/** The statements of the intermediate representation. */
import type { ClassNode, Expr, FunctionNode, Pattern, Spot } from './nodes.js';

interface ExprStmt extends Spot {
  readonly kind: 'expr';
  readonly value: Expr;
}

/** Assignments and declarations; `value` is absent for a bare declaration. */
interface AssignStmt extends Spot {
  readonly kind: 'assign';
  readonly target: Pattern;
  readonly op?: string | undefined;
  readonly value?: Expr | undefined;
  readonly annotation?: Expr | undefined;
  /** Set when the statement makes a new binding (`const`, `let`, `var`). */
  readonly declares?: 'const' | 'let' | 'var' | undefined;
}

interface ReturnStmt extends Spot {
  readonly kind: 'return';
  readonly value?: Expr | undefined;
}

interface ThrowStmt extends Spot {
  readonly kind: 'throw';
  readonly value?: Expr | undefined;
}

export interface IfStmt extends Spot {
  readonly kind: 'if';
  readonly test: Expr;
  readonly yes: readonly Stmt[];
  readonly no: readonly Stmt[];
}

/** `while`, `do` and the three-part `for`; `update` runs after each iteration. */
export interface WhileStmt extends Spot {
  readonly kind: 'while';
  readonly init: readonly Stmt[];
  readonly test?: Expr | undefined;
  readonly update?: Expr | undefined;
  readonly body: readonly Stmt[];
  readonly else: readonly Stmt[];
}

export interface ForStmt extends Spot {
  readonly kind: 'for';
  readonly target: Pattern;
  readonly declares?: 'const' | 'let' | 'var' | undefined;
  readonly iterable: Expr;
  /** JavaScript `for … in` walks keys; everything else walks values. */
  readonly over: 'values' | 'keys';
  readonly body: readonly Stmt[];
  readonly else: readonly Stmt[];
}

export interface Handler extends Spot {
  readonly param?: Pattern | undefined;
  readonly type?: Expr | undefined;
  readonly body: readonly Stmt[];
}

export interface TryStmt extends Spot {
  readonly kind: 'try';
  readonly body: readonly Stmt[];
  readonly handlers: readonly Handler[];
  readonly else: readonly Stmt[];
  readonly finally: readonly Stmt[];
}

interface WithStmt extends Spot {
  readonly kind: 'with';
  readonly items: readonly { readonly context: Expr; readonly target?: Pattern | undefined }[];
  readonly body: readonly Stmt[];
}

export interface Case extends Spot {
  /** Empty for `default` and `case _`; a Python pattern without a plain value is opaque. */
  readonly tests: readonly Expr[];
  readonly body: readonly Stmt[];
}

export interface SwitchStmt extends Spot {
  readonly kind: 'switch';
  readonly subject: Expr;
  readonly cases: readonly Case[];
  /** JavaScript cases run into the next one until `break`. */
  readonly fallsThrough: boolean;
}

interface FunctionStmt extends Spot {
  readonly kind: 'function';
  readonly fn: FunctionNode;
}

interface ClassStmt extends Spot {
  readonly kind: 'class';
  readonly cls: ClassNode;
}

export interface ImportBinding {
  /** `*` binds the module itself (Python `import a.b` has the local name `a.b` and binds `a`), `default` the default export; Python `from m import *` is `*all` with an empty local name. */
  readonly imported: string;
  readonly local: string;
}

export interface ImportStmt extends Spot {
  readonly kind: 'import';
  /** As written; Python relative imports keep their leading dots. */
  readonly source: string;
  readonly bindings: readonly ImportBinding[];
  readonly typeOnly: boolean;
}

/** `export { a as b }`, `export { a as b } from 'm'`, `export * from 'm'` (imported `*all`), `export default x` (value). */
export interface ExportStmt extends Spot {
  readonly kind: 'export';
  readonly source?: string | undefined;
  readonly names: readonly { readonly local: string; readonly exported: string }[];
  readonly value?: Expr | undefined;
}

interface BlockStmt extends Spot {
  readonly kind: 'block';
  readonly body: readonly Stmt[];
}

interface JumpStmt extends Spot {
  readonly kind: 'break' | 'continue';
}

/** Python `global` and `nonlocal`. */
interface ScopeStmt extends Spot {
  readonly kind: 'scope';
  readonly scope: 'global' | 'nonlocal';
  readonly names: readonly string[];
}

interface AssertStmt extends Spot {
  readonly kind: 'assert';
  readonly test: Expr;
}

export type Stmt =
  | ExprStmt
  | AssignStmt
  | ReturnStmt
  | ThrowStmt
  | IfStmt
  | WhileStmt
  | ForStmt
  | TryStmt
  | WithStmt
  | SwitchStmt
  | FunctionStmt
  | ClassStmt
  | ImportStmt
  | ExportStmt
  | BlockStmt
  | JumpStmt
  | ScopeStmt
  | AssertStmt;
