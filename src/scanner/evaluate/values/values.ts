import type { ClassNode, FunctionNode, Module, Spot } from '../../ir/nodes.js';
import type { Scope } from './scope.js';

/**
 * Abstract value: constant data, code with its scope, or a symbolic result that records which external function was
 * called with which arguments. `choice` is the join of several values, `unknown` is top.
 */
export type Value =
  | Constant
  | TextValue
  | ListValue
  | ObjectValue
  | FunctionValue
  | ClassValue
  | ModuleValue
  | External
  | Result
  | Native
  | Choice
  | Unknown;

export interface Constant {
  readonly kind: 'constant';
  readonly value: string | number | boolean | null | undefined;
}
/** Partially known string. */
interface TextValue {
  readonly kind: 'text';
  readonly parts: readonly (string | Value)[];
}
export interface ListValue {
  readonly kind: 'list';
  readonly items: Value[];
  /** True if there may be further, unknown items. */
  open: boolean;
}
export interface ObjectValue {
  readonly kind: 'object';
  readonly props: Map<string, Value>;
  /** Written by `addGetter`; objects without getters share one empty map. */
  getters: Map<string, FunctionValue>;
  /** The class of an instance. */
  readonly cls?: ClassValue | undefined;
  /** Entries of a JavaScript Map or Set, or a Python set. */
  readonly collection?: { readonly of: 'map' | 'set'; readonly keys: Value[]; readonly values: Value[] } | undefined;
  open: boolean;
  /** `Machine.level` at allocation: writes at a higher level are weak updates. */
  readonly level: number;
  /** Location of the literal. */
  readonly at?: Place | undefined;
}
export interface FunctionValue {
  readonly kind: 'function';
  readonly fn: FunctionNode;
  readonly scope: Scope;
  readonly module: Module;
  readonly self?: Value | undefined;
  /** Class that defines the method, for `super`. */
  readonly home?: ClassValue | undefined;
  /** Arguments bound by `partial` or `bind`. */
  readonly given?: Args | undefined;
  readonly props: Map<string, Value>;
  /** Original function below a decorator: the wrapper is called, the original supplies name and parameters. */
  readonly wraps?: FunctionValue | undefined;
}
export interface ClassValue {
  readonly kind: 'class';
  readonly cls: ClassNode;
  readonly scope: Scope;
  readonly module: Module;
  readonly bases: readonly Value[];
  readonly statics: Map<string, Value>;
}
interface ModuleValue {
  readonly kind: 'module';
  readonly path: string;
}
/** External value: `mcp.server.fastmcp.FastMCP`, `zod.z.string`, `process.env`. */
export interface External {
  readonly kind: 'external';
  /** Imported package or module; empty for a global. */
  readonly source: string;
  readonly path: readonly string[];
}
/** Symbolic result of an external call, known by callee and arguments. */
export interface Result {
  readonly kind: 'result';
  readonly callee: Value;
  /** Method name, if the callee was a member. */
  readonly method: string;
  readonly receiver?: Value | undefined;
  readonly args: Args;
  readonly at: Place;
  /** Attributes assigned later (`tool.description = …`). */
  readonly props: Map<string, Value>;
}
interface Native {
  readonly kind: 'native';
  readonly name: string;
  readonly call: (args: Args, at: Place) => Value;
}
/** One of several values. */
interface Choice {
  readonly kind: 'choice';
  readonly options: readonly Value[];
}
export interface Unknown {
  readonly kind: 'unknown';
  readonly why: string;
}

export interface Args {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
  /** True if a spread of unknown content may add more. */
  readonly open: boolean;
}
export interface Place {
  readonly module: Module;
  readonly spot: Spot;
}

/** Shared empty map: most calls have no named arguments. */
export const noNamed: ReadonlyMap<string, Value> = new Map();
export const noArgs: Args = { positional: [], named: noNamed, open: false };
/** Never written to. */
const noGetters = new Map<string, FunctionValue>();
export const constant = (value: Constant['value']): Constant => ({ kind: 'constant', value });
export const undefinedValue: Constant = constant(undefined);
export const unknown = (why: string): Unknown => ({ kind: 'unknown', why });
export const listValue = (items: Value[], open = false): ListValue => ({ kind: 'list', items, open });
export const native = (name: string, call: Native['call']): Native => ({ kind: 'native', name, call });
export const external = (source: string, path: readonly string[] = []): External => ({
  kind: 'external',
  source,
  path,
});

/** Allocates an object; writes at a higher uncertainty level than its allocation are weak updates. */
export function object(
  entries?: Iterable<readonly [string, Value]>,
  more: Partial<Pick<ObjectValue, 'cls' | 'collection' | 'open' | 'level' | 'at'>> = noDetails,
): ObjectValue {
  const { cls, collection, open = false, level = 0, at } = more;
  // One hidden class for all objects: this is the most frequent allocation.
  return { kind: 'object', props: new Map(entries), getters: noGetters, cls, collection, open, level, at };
}

const noDetails = {};

/** Adds a getter to an object. */
export function addGetter(holder: ObjectValue, name: string, getter: FunctionValue): void {
  if (holder.getters === noGetters) holder.getters = new Map();
  holder.getters.set(name, getter);
}

/** Widening: further options are dropped, which keeps joins in loops finite. */
const maxOptions = 12;

/** Join of two abstract values: a choice, bounded. */
export function join(one: Value | undefined, other: Value | undefined): Value {
  if (!one || !other || isSameValue(one, other)) return one ?? other ?? undefinedValue;
  const options: Value[] = [];
  for (const value of [one, other]) {
    for (const option of value.kind === 'choice' ? value.options : [value]) {
      // A bounded list makes the linear search cheaper than a set of keys.
      if (!options.some((each) => isSameValue(each, option)) && options.length < maxOptions) options.push(option);
    }
  }
  return options.length === 1 ? (options[0] ?? undefinedValue) : { kind: 'choice', options };
}

/** Join of many values; stops once the choice is full. */
export function joinAll(values: Iterable<Value>, first: Value): Value {
  let made = first;
  for (const value of values) {
    if (made.kind === 'choice' && made.options.length >= maxOptions) return made;
    made = join(made, value);
  }
  return made;
}

/** Whether a value is null, undefined or unknown. */
export const isVoid = (value: Value): boolean =>
  value.kind === 'unknown' || (value.kind === 'constant' && (value.value === undefined || value.value === null));
const isSameValue = (one: Value, other: Value): boolean =>
  one === other ||
  (one.kind === 'constant' && other.kind === 'constant' && one.value === other.value) ||
  // Unknown values are equal whatever their reason, so that a choice holds at most one.
  (one.kind === 'unknown' && other.kind === 'unknown');

/** Options of a choice, or the value itself. */
export const optionsOf = (value: Value): readonly Value[] => (value.kind === 'choice' ? value.options : [value]);

/** The only option that is not void, if there is exactly one. */
export function soleOption(value: Value): Value {
  if (value.kind !== 'choice') return value;
  const options = value.options.filter((option) => !isVoid(option));
  return options.length === 1 ? (options[0] ?? value) : value;
}

/** String constant, or undefined. */
export const stringOf = (value: Value | undefined): string | undefined =>
  value?.kind === 'constant' && typeof value.value === 'string' ? value.value : undefined;

/** Truthiness; undefined if unknown. */
export function truth(value: Value): boolean | undefined {
  switch (value.kind) {
    case 'constant':
      return Boolean(value.value);
    case 'text':
      return value.parts.some((part) => typeof part === 'string' && part !== '') ? true : undefined;
    case 'list':
      // An empty list is truthy in JavaScript and falsy in Python, so its truth stays unknown.
      return value.items.length > 0 ? true : undefined;
    case 'object':
    case 'function':
    case 'class':
    case 'module':
    case 'native':
      return true;
    case 'choice': {
      const answers = new Set(value.options.map(truth));
      return answers.size === 1 ? [...answers][0] : undefined;
    }
    default:
      return undefined;
  }
}
