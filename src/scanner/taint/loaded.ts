import { importFrom, requireFrom } from '../evaluate/imports.js';
import { memberOf } from '../evaluate/members.js';
import type { Place, Value } from '../evaluate/values.js';
import { textOf } from './combine.js';
import { factOfValue, partOf, type Context } from './context.js';
import type { Fact } from './facts.js';

const requires = /^(?:require|(?:process\.mainModule|module)\.require|module\.createRequire\(\))$/;
const imports = /^(?:import|__import__|importlib\.import_module|importlib\.__import__)$/;

/** Code that a call brings in by its name: a module that is loaded where it is needed, or a member whose name is a text. */
export function loaded(context: Context, name: string, args: readonly Fact[], at: Place): Fact | undefined {
  const [first, second] = args;
  const text = textOf(first);
  const source: Value | undefined = text === undefined ? undefined : { kind: 'constant', value: text };
  if (source && requires.test(name)) return factOfValue(requireFrom(context.machine, source, at));
  if (source && imports.test(name)) return factOfValue(importFrom(context.machine, source, at));
  if (name === 'globals' && at.module.language === 'python')
    return factOfValue({ kind: 'module', path: at.module.path });
  if (name === 'vars' && first?.value) return first;
  const member = textOf(second);
  return name === 'getattr' && first && member !== undefined ? memberByName(context, first, member) : undefined;
}

function memberByName(context: Context, owner: Fact, member: string): Fact | undefined {
  const part = partOf(owner, member);
  if (part) return part;
  if (owner.value && owner.value.kind !== 'unknown') return factOfValue(memberOf(context.machine, owner.value, member));
  return owner.name === undefined ? undefined : { taints: [], name: `${owner.name}.${member}` };
}
