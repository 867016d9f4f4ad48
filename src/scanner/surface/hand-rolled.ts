import type { Expr } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import { evaluate } from '../evaluate/expressions.js';
import { itemsOf } from '../evaluate/iterate.js';
import { memberOf } from '../evaluate/members.js';
import type { Frame, Machine } from '../evaluate/machine.js';
import { optionsOf, stringOf, type FunctionValue, type Place, type Value } from '../evaluate/values.js';
import { isAside } from '../project/aside.js';
import { answererByHand } from './hand-answered.js';
import type { Findings } from './registrations.js';

const namesMethod = /["'`]tools\/list["'`]/;

/** Servers that speak the protocol by hand: in a file that names `tools/list`, an object's `tools` is the list it answers with. */
export function readHandRolled(machine: Machine, findings: Findings): void {
  const seen = new Set<string>();
  const handler = answererByHand(machine);
  const take = (value: Value, at: Place) => {
    const { items, open } = itemsOf(machine, value, 'values');
    for (const item of items) addTool(machine, findings, item, at, handler);
    if (items.length > 0) seen.add(`${at.module.path}:${at.spot.start}`);
    if (open)
      findings.unresolved.push({ kind: 'tool', reason: 'the list is not fully known before the server runs', at });
  };
  for (const { items, at } of machine.offered)
    if (!isAside(at.module.path) && namesMethod.test(at.module.text)) take(items, at);
  for (const run of machine.runs.values()) {
    const { module } = run;
    if (isAside(module.path) || !namesMethod.test(module.text)) continue;
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
      mayHold: (text) => /\btools\b/.test(text),
      expr: (expr) => void (expr.kind === 'dict' && see(expr)),
    });
  }
  if (handler && findings.registrations.length > 0)
    findings.dispatchers.push({ kind: 'tool', server: undefined, handler, isByHand: true });
}

function addTool(
  machine: Machine,
  findings: Findings,
  item: Value,
  at: Place,
  handler: FunctionValue | undefined,
): void {
  for (const each of optionsOf(item)) {
    if (each.kind !== 'object' || !optionsOf(each.props.get('name') ?? each).some((name) => stringOf(name))) continue;
    const schema = memberOf(machine, each, 'inputSchema');
    findings.registrations.push({
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
