/**
 * The intermediate representation (IR): one small syntax tree for Python, JavaScript and TypeScript.
 * Everything above the parsers uses only this. `start` and `end` are offsets into `Module.text`.
 */
import type { Stmt } from './statements.js';

export type * from './statements.js';

/** Source range of a node in the text of its module. */
export interface Spot {
  readonly start: number;
  readonly end: number;
}

export interface Literal extends Spot {
  readonly kind: 'literal';
  /** Python `None` and JavaScript `null` are both null; bytes and bigints are their text. */
  readonly value: string | number | boolean | null | undefined;
}
/** A regular expression literal; taint rules use its source to evaluate allow-list checks. */
interface Regex extends Spot {
  readonly kind: 'regex';
  readonly source: string;
  readonly flags: string;
}
/** An f-string or template literal: known text and expressions in order. */
export interface Template extends Spot {
  readonly kind: 'template';
  readonly parts: readonly (string | Expr)[];
}
interface Name extends Spot {
  readonly kind: 'name';
  /** Python `self` is an ordinary name; JavaScript `this` and `super` are the names `this` and `super`. */
  readonly name: string;
}
interface Member extends Spot {
  readonly kind: 'member';
  readonly object: Expr;
  readonly property: string;
}
interface Index extends Spot {
  readonly kind: 'index';
  readonly object: Expr;
  readonly index: Expr;
}
/** `lower:upper:step` inside an index. */
interface Slice extends Spot {
  readonly kind: 'slice';
  readonly lower?: Expr | undefined;
  readonly upper?: Expr | undefined;
  readonly step?: Expr | undefined;
}
export interface Arg {
  readonly value: Expr;
  /** Set for `name=value`. */
  readonly name?: string | undefined;
  /** `list` for `*xs` and `...xs`, `dict` for `**xs`. */
  readonly spread?: 'list' | 'dict' | undefined;
}
export interface Call extends Spot {
  readonly kind: 'call';
  readonly callee: Expr;
  readonly args: readonly Arg[];
  /** True for JavaScript `new`; Python constructors are plain calls. */
  readonly isNew: boolean;
}
/** A tagged template literal: sql`select ${x}`. */
interface Tagged extends Spot {
  readonly kind: 'tagged';
  readonly tag: Expr;
  readonly template: Template;
}
export interface ListItem {
  readonly value: Expr;
  readonly spread: boolean;
}
export interface List extends Spot {
  readonly kind: 'list';
  readonly of: 'list' | 'tuple' | 'set';
  readonly items: readonly ListItem[];
}
export interface DictEntry {
  /** Absent for a spread (`...x`, `**x`). A plain `name: value` key is a literal. */
  readonly key?: Expr | undefined;
  readonly value: Expr;
  readonly accessor?: 'get' | 'set' | undefined;
}
export interface Dict extends Spot {
  readonly kind: 'dict';
  readonly entries: readonly DictEntry[];
}
interface FunctionExpr extends Spot {
  readonly kind: 'function';
  readonly fn: FunctionNode;
}
interface ClassExpr extends Spot {
  readonly kind: 'class';
  readonly cls: ClassNode;
}
/** `op` is spelled as in Python where both languages have it: `==` (also `===`, `is`), `!=`, `in`, `not in`, `+`, `%`, `instanceof` … */
export interface Binary extends Spot {
  readonly kind: 'binary';
  readonly op: string;
  readonly left: Expr;
  readonly right: Expr;
}
interface Logical extends Spot {
  readonly kind: 'logical';
  readonly op: 'and' | 'or' | '??';
  readonly left: Expr;
  readonly right: Expr;
}
interface Unary extends Spot {
  readonly kind: 'unary';
  readonly op: string;
  readonly value: Expr;
}
interface Conditional extends Spot {
  readonly kind: 'conditional';
  readonly test: Expr;
  readonly yes: Expr;
  readonly no: Expr;
}
/** An assignment used as a value: `a = b` in JavaScript, `a := b` in Python, `i++`. */
interface AssignExpr extends Spot {
  readonly kind: 'assign';
  readonly target: Pattern;
  /** The operator of a compound assignment (`+=`) without the `=`; absent for a plain assignment. */
  readonly op?: string | undefined;
  readonly value: Expr;
}
interface Await extends Spot {
  readonly kind: 'await';
  readonly value: Expr;
}
interface Yield extends Spot {
  readonly kind: 'yield';
  readonly value?: Expr | undefined;
  readonly delegate: boolean;
}
export interface Clause {
  readonly target: Pattern;
  readonly iterable: Expr;
  readonly conditions: readonly Expr[];
}
export interface Comprehension extends Spot {
  readonly kind: 'comprehension';
  readonly of: 'list' | 'set' | 'dict' | 'generator';
  readonly key?: Expr | undefined;
  readonly element: Expr;
  readonly clauses: readonly Clause[];
}
interface Sequence extends Spot {
  readonly kind: 'sequence';
  readonly items: readonly Expr[];
}
/** `import(x)`, `require(x)` stays a call. */
interface ImportExpr extends Spot {
  readonly kind: 'import';
  readonly source: Expr;
}
/** Any other syntax; its parts are kept so that a walk still visits them. */
export interface Opaque extends Spot {
  readonly kind: 'opaque';
  readonly what: string;
  readonly parts: readonly Expr[];
}

export type Expr =
  | Literal
  | Regex
  | Template
  | Name
  | Member
  | Index
  | Slice
  | Call
  | Tagged
  | List
  | Dict
  | FunctionExpr
  | ClassExpr
  | Binary
  | Logical
  | Unary
  | Conditional
  | AssignExpr
  | Await
  | Yield
  | Comprehension
  | Sequence
  | ImportExpr
  | Opaque;

interface ListPattern extends Spot {
  readonly kind: 'list-pattern';
  /** A hole is undefined. */
  readonly items: readonly (Pattern | undefined)[];
  readonly rest?: Pattern | undefined;
}
interface DictPattern extends Spot {
  readonly kind: 'dict-pattern';
  readonly entries: readonly { readonly key: Expr; readonly target: Pattern }[];
  readonly rest?: Pattern | undefined;
}
interface DefaultPattern extends Spot {
  readonly kind: 'default-pattern';
  readonly target: Pattern;
  readonly value: Expr;
}
/** The target of an assignment, a loop or a parameter. */
export type Pattern = Name | Member | Index | ListPattern | DictPattern | DefaultPattern | Opaque;

export interface Param extends Spot {
  readonly target: Pattern;
  readonly default?: Expr | undefined;
  /** Python annotation, or a TypeScript type reference where it is a plain (generic) name. */
  readonly annotation?: Expr | undefined;
  /** `list` for `*args` and `...rest`, `dict` for `**kwargs`. */
  readonly rest?: 'list' | 'dict' | undefined;
  readonly keywordOnly?: boolean | undefined;
  /** A TypeScript constructor parameter that is also a field. */
  readonly isField?: boolean | undefined;
}

/** A body that is not parsed yet. */
export interface DeferredBody {
  readonly text: () => string;
  /** Parses its statements without keeping them. */
  readonly parseOnce: () => readonly Stmt[];
}

export interface FunctionNode extends Spot {
  /** Absent for an anonymous function. */
  readonly name?: string | undefined;
  readonly params: readonly Param[];
  /** An arrow with an expression body holds one return statement. A long body may be parsed on first access. */
  readonly body: readonly Stmt[];
  /** Set while the body is not in memory, so that a search can inspect it without keeping it. */
  readonly deferred?: DeferredBody | undefined;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  /** An arrow function or lambda, without its own `this`. */
  readonly isArrow: boolean;
  readonly decorators: readonly Expr[];
  /** The cleaned docstring of a Python function. */
  readonly docstring?: string | undefined;
  readonly returns?: Expr | undefined;
  /** Where the decorators begin; equals `start` when there are none. */
  readonly decoratedStart: number;
}

export interface ClassMember extends Spot {
  readonly kind: 'method' | 'getter' | 'setter' | 'field';
  readonly name: string;
  readonly isStatic: boolean;
  readonly fn?: FunctionNode | undefined;
  readonly value?: Expr | undefined;
  readonly annotation?: Expr | undefined;
}
export interface ClassNode extends Spot {
  readonly name?: string | undefined;
  readonly bases: readonly Arg[];
  /** Methods and fields in order; a Python class attribute is a static field. */
  readonly members: readonly ClassMember[];
  /** Statements of the class body that are neither (Python code in a class body, static blocks). */
  readonly body: readonly Stmt[];
  readonly decorators: readonly Expr[];
  readonly docstring?: string | undefined;
}

export type Language = 'python' | 'javascript' | 'typescript';

/** One parsed file. */
export interface Module {
  /** Relative to the scanned root, with `/` between the parts. */
  readonly path: string;
  readonly language: Language;
  readonly text: string;
  readonly body: readonly Stmt[];
  readonly docstring?: string | undefined;
  /** True if parts of the text could not be parsed and are missing from `body`. */
  readonly partial: boolean;
  /** Offsets at which lines begin. */
  readonly lineStarts: readonly number[];
  /** Set while the nodes are not in memory, so that a search can inspect them without keeping them. */
  readonly deferred?: DeferredBody | undefined;
}
