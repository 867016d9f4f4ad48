import type { ClassNode, FunctionNode, Module, Spot } from '../ir/nodes.js';
import type { Scope } from './scope.js';

/**
 * What an expression may come to without running anything: known data, code with its surroundings, or a symbol that
 * remembers which outside thing was called with what.
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
/** A string of which only some parts are known. */
export interface TextValue {
  readonly kind: 'text';
  readonly parts: readonly (string | Value)[];
}
export interface ListValue {
  readonly kind: 'list';
  readonly items: Value[];
  /** True when there may be items that could not be told. */
  open: boolean;
}
export interface ObjectValue {
  readonly kind: 'object';
  readonly props: Map<string, Value>;
  /** Written by `addGetter`: hardly an object has one, so they share the empty map. */
  getters: Map<string, FunctionValue>;
  /** The class of an instance. */
  readonly cls?: ClassValue | undefined;
  /** A JavaScript Map or Set, or a Python set, is an object with a list of entries or members. */
  readonly collection?: { readonly of: 'map' | 'set'; readonly keys: Value[]; readonly values: Value[] } | undefined;
  open: boolean;
  /** How uncertain the run was when this was made: writes in a less certain place join instead of replace. */
  readonly level: number;
  /** Where a literal was written. */
  readonly at?: Place | undefined;
}
export interface FunctionValue {
  readonly kind: 'function';
  readonly fn: FunctionNode;
  readonly scope: Scope;
  readonly module: Module;
  readonly self?: Value | undefined;
  /** The class a method was found in, for `super`. */
  readonly home?: ClassValue | undefined;
  /** Arguments already given by `partial` or `bind`. */
  readonly given?: Args | undefined;
  readonly props: Map<string, Value>;
  /** Set on a Python function that a decorator replaced: the function the decorator returned is called, this one names it. */
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
export interface ModuleValue {
  readonly kind: 'module';
  readonly path: string;
}
/** Something from outside the project: `mcp.server.fastmcp.FastMCP`, `zod.z.string`, `process.env`. */
export interface External {
  readonly kind: 'external';
  /** The imported package or module, or `` for a global. */
  readonly source: string;
  readonly path: readonly string[];
}
/** What a call of something outside gives: known only by what was called with what. */
export interface Result {
  readonly kind: 'result';
  readonly callee: Value;
  /** The property called, when the callee was a member. */
  readonly method: string;
  readonly receiver?: Value | undefined;
  readonly args: Args;
  readonly at: Place;
  /** Attributes written later (`tool.description = …`). */
  readonly props: Map<string, Value>;
}
export interface Native {
  readonly kind: 'native';
  readonly name: string;
  readonly call: (args: Args, at: Place) => Value;
}
/** One of several values. */
export interface Choice {
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
  /** True when a spread of unknown content means there may be more. */
  readonly open: boolean;
}
export interface Place {
  readonly module: Module;
  readonly spot: Spot;
}

/** No arguments by name: most calls have none. */
export const noNamed: ReadonlyMap<string, Value> = new Map();
export const noArgs: Args = { positional: [], named: noNamed, open: false };
/** Never written to. */
const noGetters = new Map<string, FunctionValue>();
export const constant = (value: Constant['value']): Constant => ({ kind: 'constant', value });
export const nothing: Constant = constant(undefined);
export const unknown = (why: string): Unknown => ({ kind: 'unknown', why });
export const list = (items: Value[], open = false): ListValue => ({ kind: 'list', items, open });
export const native = (name: string, call: Native['call']): Native => ({ kind: 'native', name, call });
export const external = (source: string, path: readonly string[] = []): External => ({
  kind: 'external',
  source,
  path,
});
export const args = (...positional: Value[]): Args => ({ positional, named: noNamed, open: false });

/** A new object; writes to it are joined when they happen in a less certain place than its birth. */
export function object(
  entries?: Iterable<readonly [string, Value]>,
  more: Partial<Pick<ObjectValue, 'cls' | 'collection' | 'open' | 'level' | 'at'>> = plain,
): ObjectValue {
  const { cls, collection, open = false, level = 0, at } = more;
  // All of one shape, field by field: nothing is made more often in a run.
  return { kind: 'object', props: new Map(entries), getters: noGetters, cls, collection, open, level, at };
}

const plain = {};

/** Gives an object a getter. */
export function addGetter(holder: ObjectValue, name: string, getter: FunctionValue): void {
  if (holder.getters === noGetters) holder.getters = new Map();
  holder.getters.set(name, getter);
}

const maxOptions = 12;

/** Either of two values. */
export function join(one: Value | undefined, other: Value | undefined): Value {
  if (!one || !other || same(one, other)) return one ?? other ?? nothing;
  const options: Value[] = [];
  for (const value of [one, other]) {
    for (const option of value.kind === 'choice' ? value.options : [value]) {
      if (!options.some((each) => same(each, option)) && options.length < maxOptions) options.push(option);
    }
  }
  return options.length === 1 ? (options[0] ?? nothing) : { kind: 'choice', options };
}

/** Any of several values; a list of thousands is looked at only until there is no room for another option. */
export function joinAll(values: Iterable<Value>, first: Value): Value {
  let made = first;
  for (const value of values) {
    if (made.kind === 'choice' && made.options.length >= maxOptions) return made;
    made = join(made, value);
  }
  return made;
}

/** Nothing, or nothing known. */
export const isVoid = (value: Value): boolean =>
  value.kind === 'unknown' || (value.kind === 'constant' && (value.value === undefined || value.value === null));
const same = (one: Value, other: Value): boolean =>
  one === other ||
  (one.kind === 'constant' && other.kind === 'constant' && one.value === other.value) ||
  (one.kind === 'unknown' && other.kind === 'unknown');

/** The values a value may be: the options of a choice, or itself. */
export const optionsOf = (value: Value): readonly Value[] => (value.kind === 'choice' ? value.options : [value]);

/** The one option that is something, where a value is that or nothing. */
export function solid(value: Value): Value {
  if (value.kind !== 'choice') return value;
  const options = value.options.filter((option) => !isVoid(option));
  return options.length === 1 ? (options[0] ?? value) : value;
}

/** The known string, or undefined. */
export const stringOf = (value: Value | undefined): string | undefined =>
  value?.kind === 'constant' && typeof value.value === 'string' ? value.value : undefined;

/** True, false, or undefined when it cannot be told. */
export function truth(value: Value): boolean | undefined {
  switch (value.kind) {
    case 'constant':
      return Boolean(value.value);
    case 'text':
      return value.parts.some((part) => typeof part === 'string' && part !== '') ? true : undefined;
    case 'list':
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
