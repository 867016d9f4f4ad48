import type { ClassNode } from '../../ir/nodes.js';
import { call } from './calls.js';
import { evaluate, functionFrom } from '../interpreter/expressions.js';
import { callFunction, applyDecorators } from './functions.js';
import type { Frame, Machine, ModuleRun } from '../interpreter/abstract-machine.js';
import { runBody } from '../interpreter/statements.js';
import { bind, lookup, scopeIn, type Scope } from '../values/scope.js';
import {
  constant,
  undefinedValue,
  object,
  type Args,
  type ClassValue,
  type FunctionValue,
  type ObjectValue,
  type Place,
  type Value,
} from '../values/values.js';

/** Evaluates a class: bases, methods, static fields; Python method decorators run here, as at import. */
export function classFrom(machine: Machine, cls: ClassNode, scope: Scope, frame: Frame): Value {
  const bases = cls.bases
    // Keyword arguments such as `metaclass=` are no bases.
    .filter((base) => base.name === undefined)
    .map((base) => evaluate(machine, base.value, scope, frame));
  const isPython = frame.run.module.language === 'python';
  const own = scopeIn(scope, machine.level, true);
  const made: ClassValue = { kind: 'class', cls, scope: own, module: frame.run.module, bases, statics: new Map() };
  // In Python the name is bound after the class body, in JavaScript inside of it.
  if (cls.name !== undefined && !isPython) own.vars.set(cls.name, made);
  const inClass: Frame = { ...frame, self: made, home: made };
  if (!isPython) own.vars.set('this', made);
  for (const member of cls.members) {
    if (member.kind === 'field' && member.isStatic && member.value) {
      const value = evaluate(machine, member.value, own, inClass);
      made.statics.set(member.name, value);
      if (isPython) bind(own, member.name, value, machine.level);
    }
    if (member.fn && isPython) {
      const value = applyDecorators(machine, member.fn, own, inClass);
      made.statics.set(member.name, value.kind === 'function' ? { ...value, home: made } : value);
      bind(own, member.name, value, machine.level);
    } else if (member.fn && member.isStatic && member.kind === 'method') {
      made.statics.set(member.name, { ...functionFrom(member.fn, own, inClass), self: made, home: made });
    }
  }
  // Python class bodies are statements and may register tools, too.
  runBody(machine, cls.body, own, inClass);
  if (isPython) {
    for (const [name, value] of own.vars) if (!made.statics.has(name)) made.statics.set(name, value);
    toEnumMembers(made);
  }
  for (const decorator of cls.decorators) {
    const by = evaluate(machine, decorator, scope, frame);
    call(machine, {
      callee: by,
      method: '',
      args: { positional: [made], named: new Map(), open: false },
      at: { module: frame.run.module, spot: decorator },
      isNew: false,
    });
  }
  return made;
}

const enumBases = new Set(['Enum', 'StrEnum', 'IntEnum', 'Flag', 'IntFlag']);

/** Whether a class descends from a base that satisfies the predicate. */
export function descendsFrom(cls: ClassValue, isIt: (base: Value) => boolean, depth = 0): boolean {
  // A class can inherit from itself in hostile code, hence the bound.
  return (
    depth < 12 && cls.bases.some((base) => isIt(base) || (base.kind === 'class' && descendsFrom(base, isIt, depth + 1)))
  );
}

/** Turns members of a Python enum into objects with a name and a value. */
function toEnumMembers(cls: ClassValue): void {
  if (!descendsFrom(cls, (base) => base.kind === 'external' && enumBases.has(base.path.at(-1) ?? ''))) return;
  for (const member of cls.cls.members) {
    const value = cls.statics.get(member.name);
    if (member.kind === 'field' && value && !member.name.startsWith('_'))
      cls.statics.set(
        member.name,
        object(
          [
            ['name', constant(member.name)],
            ['value', value],
          ],
          { cls },
        ),
      );
  }
}

/** Allocates an instance: fields, then the constructor. */
export function instantiate(machine: Machine, cls: ClassValue, given: Args, at: Place): ObjectValue {
  const made = object([], { cls, level: machine.level, at });
  if (cls.module.language === 'python') {
    const init = findMethod(machine, cls, '__init__');
    if (init) callFunction(machine, init, given, made);
    // Without `__init__` a dataclass or pydantic model assigns its fields itself.
    else fillFields(machine, cls, given, made);
    return made;
  }
  construct(machine, cls, given, made, at);
  return made;
}

/** Fills the fields of a dataclass or model without `__init__` by name or position. */
function fillFields(machine: Machine, cls: ClassValue, given: Args, made: ObjectValue): void {
  fieldsOf(cls).forEach(({ name, owner }, index) => {
    const value = given.named.get(name) ?? given.positional[index] ?? owner.statics.get(name);
    if (value) made.props.set(name, value);
  });
  for (const [name, value] of given.named) if (!made.props.has(name)) made.props.set(name, value);
  void machine;
}

interface Field {
  readonly name: string;
  readonly owner: ClassValue;
}

/** Weak caches: classes of a scanned program must be collectable after its scan. */
const fields = new WeakMap<ClassValue, readonly Field[]>();

/** Fields of a class in positional order, base first. */
function fieldsOf(cls: ClassValue): readonly Field[] {
  const known = fields.get(cls);
  if (known) return known;
  const made = ancestry(cls)
    .toReversed()
    .flatMap((owner) => owner.cls.members.flatMap(({ kind, name }) => (kind === 'field' ? [{ name, owner }] : [])));
  fields.set(cls, made);
  return made;
}

/** Runs field initialisers and constructor of a JavaScript class, base first. */
export function construct(machine: Machine, cls: ClassValue, given: Args, made: ObjectValue, at: Place): void {
  const [base] = cls.bases;
  const constructor = cls.cls.members.find(
    (member) => member.kind === 'method' && member.name === 'constructor' && !member.isStatic,
  )?.fn;
  // `super(…)` in the constructor runs the base; without a constructor the arguments are forwarded.
  if (!constructor && base) superConstruct(machine, base, given, made, at);
  if (!constructor || !base) initFields(machine, cls, made);
  if (!constructor) return;
  const run = machine.runs.get(cls.module.path);
  const value = functionFrom(constructor, cls.scope, {
    run: run ?? looseRun(cls),
    returned: undefined,
    yielded: [],
    isGenerator: false,
  });
  callFunction(machine, { ...value, home: cls }, given, made);
  // TypeScript parameter properties: `constructor(private path: string)` declares and assigns a field.
  constructor.params.forEach((param, index) => {
    const positional = given.positional[index];
    if (param.isField && param.target.kind === 'name' && positional && !made.props.has(param.target.name))
      made.props.set(param.target.name, positional);
  });
}

const looseRun = (cls: ClassValue): ModuleRun => ({
  module: cls.module,
  scope: cls.scope,
  exports: new Map(),
  commonjs: undefinedValue,
  done: true,
});

/** Implicit `super(…)`: constructor of the base on the same instance. */
function superConstruct(machine: Machine, base: Value, given: Args, made: ObjectValue, at: Place): void {
  if (base.kind === 'class') construct(machine, base, given, made, at);
  else call(machine, { callee: base, method: '', args: given, at, isNew: true });
}

/** Initialises the fields that a class declares. */
export function initFields(machine: Machine, cls: ClassValue, made: ObjectValue): void {
  const run = machine.runs.get(cls.module.path) ?? looseRun(cls);
  const scope = scopeIn(cls.scope, machine.level, true);
  scope.vars.set('this', made);
  const frame: Frame = { run, self: made, home: cls, returned: undefined, yielded: [], isGenerator: false };
  for (const member of cls.cls.members) {
    if (member.kind === 'field' && !member.isStatic && member.value)
      made.props.set(member.name, evaluate(machine, member.value, scope, frame));
  }
}

const ancestries = new WeakMap<ClassValue, readonly ClassValue[]>();

/** A class and its ancestors in the project, nearest first. */
export function ancestry(cls: ClassValue): readonly ClassValue[] {
  const known = ancestries.get(cls);
  if (known) return known;
  const made = collectAncestors(cls);
  ancestries.set(cls, made);
  return made;
}

function collectAncestors(cls: ClassValue): readonly ClassValue[] {
  const found: ClassValue[] = [];
  const open: Value[] = [cls];
  // Breadth first and bounded: an approximation of the method resolution order that ends for cycles.
  for (let at = open.shift(); at && found.length < 40; at = open.shift()) {
    if (at.kind !== 'class' || found.includes(at)) continue;
    found.push(at);
    open.push(...at.bases);
  }
  return found;
}

/** Looks up a method along the inheritance chain; cached. */
export function findMethod(machine: Machine, cls: ClassValue, name: string): FunctionValue | undefined {
  let cache = machine.prototypes.get(cls);
  if (!cache) machine.prototypes.set(cls, (cache = new Map()));
  let found = cache.get(name);
  // Also caches misses: most names on an instance are fields and not methods.
  if (found || cache.has(name)) return found;
  for (const each of ancestry(cls)) {
    if (each.module.language === 'python') {
      const value = each.statics.get(name);
      if (value?.kind === 'function') found = { ...value, home: each };
    } else {
      const member = each.cls.members.find((one) => one.name === name && one.kind === 'method' && !one.isStatic);
      if (member?.fn)
        found = {
          kind: 'function',
          fn: member.fn,
          scope: each.scope,
          module: each.module,
          home: each,
          props: new Map(),
        };
    }
    if (found) break;
  }
  cache.set(name, found);
  return found;
}

type Accessors = Map<string, FunctionValue | undefined>;
const accessors = { getter: new WeakMap<ClassValue, Accessors>(), setter: new WeakMap<ClassValue, Accessors>() };

/** Looks up a getter or setter along the inheritance chain; cached. */
export function findAccessor(
  cls: ClassValue,
  name: string,
  kind: 'getter' | 'setter' = 'getter',
): FunctionValue | undefined {
  let cache = accessors[kind].get(cls);
  if (!cache) accessors[kind].set(cls, (cache = new Map()));
  if (cache.has(name)) return cache.get(name);
  const found = ancestry(cls)
    .map((each) => ({ each, fn: each.cls.members.find((one) => one.name === name && one.kind === kind)?.fn }))
    .find(({ fn }) => fn !== undefined);
  const getter: FunctionValue | undefined = found?.fn && {
    kind: 'function',
    fn: found.fn,
    scope: found.each.scope,
    module: found.each.module,
    home: found.each,
    props: new Map(),
  };
  cache.set(name, getter);
  return getter;
}

/** Member that `super` resolves to: the first base that defines it. */
export function superMember(machine: Machine, home: ClassValue, name: string): FunctionValue | Value | undefined {
  for (const base of home.bases) {
    // An external base may define anything, so the search ends there.
    if (base.kind === 'class') {
      const found = findMethod(machine, base, name);
      if (found) return found;
    } else return base;
  }
  return lookup(home.scope, name);
}
