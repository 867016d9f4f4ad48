import type { Expr } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import { evaluate } from '../evaluate/interpreter/expressions.js';
import { itemsOf } from '../evaluate/values/items.js';
import { memberOf } from '../evaluate/values/members.js';
import type { Frame, Machine } from '../evaluate/interpreter/abstract-machine.js';
import { optionsOf, stringOf, type FunctionValue, type Place, type Value } from '../evaluate/values/values.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import { findMessageHandlers } from './hand-rolled-dispatch.js';
import type { Discoveries } from './registrations.js';

/** A file with this literal answers list requests itself. */
const namesMethod = /["'`]tools\/list["'`]/;

/** Reads servers that implement the protocol without an SDK: in a file that mentions `tools/list`, the `tools` field of an object is the tool list. */
export function readHandRolled(machine: Machine, discoveries: Discoveries): void {
  // Lists are found by evaluation and by text; each place is read once.
  const seen = new Set<string>();
  const handlers = findMessageHandlers(machine);
  const take = (value: Value, at: Place) => {
    const { items, open } = itemsOf(machine, value, 'values');
    for (const item of items) addTool(machine, discoveries, item, at, handlers);
    if (items.length > 0) seen.add(`${at.module.path}:${at.spot.start}`);
    // Unknown items are a gap: an attacker could add a tool there.
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
  // Handlers are shared by all tools, because the dispatch is not resolved here.
  if (discoveries.registrations.length > 0)
    for (const handler of handlers)
      discoveries.dispatchers.push({ kind: 'tool', server: undefined, handler, isByHand: true });
}

/** Records one object of a tool list; objects without a name are something else. */
function addTool(
  machine: Machine,
  discoveries: Discoveries,
  item: Value,
  at: Place,
  handlers: readonly FunctionValue[],
): void {
  const [handler, ...others] = handlers;
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
      otherHandlers: others,
      decorators: [],
      at: each.at ?? at,
    });
  }
}
