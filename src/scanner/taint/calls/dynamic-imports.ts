import { importFrom, requireFrom } from '../../evaluate/modules/imports.js';
import { memberOf } from '../../evaluate/values/members.js';
import type { Place, Value } from '../../evaluate/values/values.js';
import { constantText } from '../facts/combine.js';
import { factOfValue, partOf, type Context } from '../interpreter/context.js';
import { modelOf } from '../models/models.js';
import type { Fact } from '../facts/facts.js';

/** Resolves modules and members named by a string constant: `require('x')`, `import_module('x')`, `getattr(os, 'system')`. */
export function resolveDynamicLoad(context: Context, name: string, args: readonly Fact[], at: Place): Fact | undefined {
  const [first, second] = args;
  const text = constantText(first);
  const source: Value | undefined = text === undefined ? undefined : { kind: 'constant', value: text };
  const loads = source && modelOf('loads-module', name)?.out;
  if (source && loads === 'require') return factOfValue(requireFrom(context.machine, source, at));
  if (source && loads === 'import') return factOfValue(importFrom(context.machine, source, at));
  if (name === 'globals' && at.module.language === 'python')
    return factOfValue({ kind: 'module', path: at.module.path });
  if (name === 'vars' && first?.value) return first;
  const member = constantText(second);
  return name === 'getattr' && first && member !== undefined ? memberByName(context, first, member) : undefined;
}

function memberByName(context: Context, owner: Fact, member: string): Fact | undefined {
  const part = partOf(owner, member);
  if (part) return part;
  if (owner.value && owner.value.kind !== 'unknown') return factOfValue(memberOf(context.machine, owner.value, member));
  return owner.name === undefined ? undefined : { taints: [], name: `${owner.name}.${member}` };
}
