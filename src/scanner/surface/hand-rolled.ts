import type { Expr } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import { evaluate } from '../evaluate/interpreter/expressions.js';
import { itemsOf } from '../evaluate/values/items.js';
import { memberOf } from '../evaluate/values/members.js';
import type { Frame, Machine } from '../evaluate/interpreter/abstract-machine.js';
import { optionsOf, stringOf, type FunctionValue, type Place, type Value } from '../evaluate/values/values.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import { findHandRolledDispatcher } from './hand-rolled-dispatch.js';
import type { Discoveries } from './registrations.js';

const namesMethod = /["'`]tools\/list["'`]/;

/** Reads servers that implement the protocol without an SDK: in a file that mentions `tools/list`, the `tools` field of an object is the tool list. */
export function readHandRolled(machine: Machine, discoveries: Discoveries): void {
  const seen = new Set<string>();
  const handler = findHandRolledDispatcher(machine);
  const take = (value: Value, at: Place) => {
    const { items, open } = itemsOf(machine, value, 'values');
    for (const item of items) addTool(machine, discoveries, item, at, handler);
    if (items.length > 0) seen.add(`${at.module.path}:${at.spot.start}`);
    if (open)
      discoveries.unresolved.push({ kind: 'tool', reason: 'the list is not completely known before run time', at });
  };
  for (const { items, at } of machine.toolLists)
    if (!isAuxiliary(at.module.path) && namesMethod.test(at.module.text)) take(items, at);
  for (const run of machine.runs.values()) {
    const { module } = run;
    if (isAuxiliary(module.path) || !namesMethod.test(module.text)) continue;
    const frame: Frame = { run, returned: undefined, yielded: [], isGenerator: false };
    const see = (expr: Expr & { kind: 'dict' }) => {
      for (const { key, value } of expr.entries) {
        if (
          key?.kind !== 'literal' ||
          key.value !== 'tools' ||
          (value.kind !== 'list' && value.kind !== 'name' && value.kind !== 'member') ||
          seen.has(`${module.path}:${value.start}`)
        )
          continue;
        take(evaluate(machine, value, run.scope, frame), { module, spot: value });
      }
    };
    walk(module.body, {
      mayContain: (text) => /\btools\b/.test(text),
      expr: (expr) => void (expr.kind === 'dict' && see(expr)),
    });
  }
  if (handler && discoveries.registrations.length > 0)
    discoveries.dispatchers.push({ kind: 'tool', server: undefined, handler, isByHand: true });
}

function addTool(
  machine: Machine,
  discoveries: Discoveries,
  item: Value,
  at: Place,
  handler: FunctionValue | undefined,
): void {
  for (const each of optionsOf(item)) {
    if (each.kind !== 'object' || !optionsOf(each.props.get('name') ?? each).some((name) => stringOf(name))) continue;
    const schema = memberOf(machine, each, 'inputSchema');
    discoveries.registrations.push({
      kind: 'tool',
      server: undefined,
      name: each.props.get('name'),
      title: each.props.get('title'),
      description: each.props.get('description'),
      schema,
      handler,
      decorators: [],
      at: each.at ?? at,
    });
  }
}
