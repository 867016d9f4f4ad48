import type { Pattern } from '../../ir/nodes.js';
import { binary } from '../values/operators.js';
import { evaluate } from './expressions.js';
import { itemsOf } from '../values/items.js';
import type { Frame, Machine } from './abstract-machine.js';
import { memberOf, setMember } from '../values/members.js';
import { bind, functionScope, holderOf, type Scope } from '../values/scope.js';
import { constant, join, listValue, object, optionsOf, stringOf, unknown, type Value } from '../values/values.js';

interface AssignOptions {
  readonly op?: string | undefined;
  readonly declares?: 'const' | 'let' | 'var' | undefined;
}

/** Assigns a value to a pattern, destructuring it. */
export function assign(
  machine: Machine,
  target: Pattern,
  value: Value,
  scope: Scope,
  frame: Frame,
  how: AssignOptions,
): void {
  switch (target.kind) {
    case 'name':
      return assignName(machine, target.name, value, scope, frame, how);
    case 'member': {
      const holder = evaluate(machine, target.object, scope, frame);
      const next = how.op === undefined ? value : binary(how.op, memberOf(machine, holder, target.property), value);
      setMember(machine, holder, target.property, next);
      return;
    }
    case 'index': {
      const holder = evaluate(machine, target.object, scope, frame);
      const key = evaluate(machine, target.index, scope, frame);
      assignIndex(machine, holder, key, value);
      return;
    }
    case 'default-pattern': {
      const absent = value.kind === 'constant' && value.value === undefined;
      const isUnknown = value.kind === 'unknown';
      const next = absent
        ? evaluate(machine, target.value, scope, frame)
        : isUnknown
          ? join(evaluate(machine, target.value, scope, frame), value)
          : value;
      return assign(machine, target.target, next, scope, frame, how);
    }
    case 'list-pattern': {
      // For a choice of lists, each position holds the join of their items.
      const lists = optionsOf(value).map((option) => itemsOf(machine, option, 'values'));
      target.items.forEach((item, index) => {
        const found = lists.map(({ items, open }) => items[index] ?? (open ? unknown('item') : constant(undefined)));
        if (item)
          assign(
            machine,
            item,
            found.reduce<Value | undefined>((all, each) => join(all, each), undefined) ?? unknown('item'),
            scope,
            frame,
            how,
          );
      });
      const rest = lists.flatMap(({ items }) => items.slice(target.items.length));
      if (target.rest)
        assign(
          machine,
          target.rest,
          listValue(
            rest,
            lists.some(({ open }) => open),
          ),
          scope,
          frame,
          how,
        );
      return;
    }
    case 'dict-pattern':
      return assignParts(machine, target, value, scope, frame, how);
    default:
      return;
  }
}

function assignParts(
  machine: Machine,
  target: Pattern & { kind: 'dict-pattern' },
  value: Value,
  scope: Scope,
  frame: Frame,
  how: AssignOptions,
): void {
  const taken = new Set<string>();
  for (const entry of target.entries) {
    const key = evaluate(machine, entry.key, scope, frame);
    const name = stringOf(key);
    if (name !== undefined) taken.add(name);
    assign(
      machine,
      entry.target,
      name === undefined ? unknown('computed key') : memberOf(machine, value, name),
      scope,
      frame,
      how,
    );
  }
  if (!target.rest) return;
  const kept = value.kind === 'object' ? [...value.props].filter(([key]) => !taken.has(key)) : [];
  assign(
    machine,
    target.rest,
    object(kept, { open: value.kind !== 'object' || value.open, level: machine.level }),
    scope,
    frame,
    how,
  );
}

function assignName(
  machine: Machine,
  name: string,
  value: Value,
  scope: Scope,
  frame: Frame,
  how: AssignOptions,
): void {
  if (how.declares !== undefined) {
    bind(how.declares === 'var' ? functionScope(scope) : scope, name, value, machine.level);
    return;
  }
  const isPython = frame.run.module.language === 'python';
  const own = functionScope(scope);
  const holder =
    isPython && !own.outward?.has(name)
      ? own
      : (holderOf(own.outward?.has(name) ? (own.parent ?? scope) : scope, name) ?? (isPython ? frame.run.scope : own));
  const before = holder.vars.get(name);
  bind(holder, name, how.op === undefined ? value : binary(how.op, before ?? unknown(name), value), machine.level);
}

function assignIndex(machine: Machine, holder: Value, key: Value, value: Value): void {
  for (const each of optionsOf(holder)) {
    if (
      each.kind === 'list' &&
      key.kind === 'constant' &&
      typeof key.value === 'number' &&
      key.value >= 0 &&
      key.value <= each.items.length
    )
      each.items[key.value] = value;
    else if (each.kind === 'list') each.items.push(value);
    else if (key.kind === 'constant') setMember(machine, each, String(key.value), value);
    else if (each.kind === 'object') {
      each.open = true;
      // Unknown key, known value: stored under a private key, so that iterating over the values still finds it.
      each.props.set(`\u0000${each.props.size}`, value);
    }
  }
}
