import type { Expr } from '../../ir/nodes.js';
import { dottedName } from '../../ir/names.js';
import { instantiate } from '../../evaluate/calls/classes.js';
import type { ClassValue, ObjectValue } from '../../evaluate/values/values.js';
import { readName, type Context } from './context.js';
import type { Env } from '../facts/environment.js';
import { factOf } from './expressions.js';
import type { Fact } from '../facts/facts.js';

/** External classes whose methods are modelled as sinks; other annotations would add names that no model has. */
const modelledClasses = new Set(['pathlib.Path', 'anyio.Path', 'aiopath.AsyncPath', 'git.Repo']);

/** Uses the type annotation for a value of unknown allocation: `path: Path` has the methods of Path, `-> Client` those of Client. */
export function withAnnotation(context: Context, fact: Fact, annotation: Expr | undefined, env: Env): Fact {
  if (!annotation || fact.name !== undefined || fact.value || fact.fields || fact.closure) return fact;
  const type = unwrapOptional(annotation);
  // A quoted annotation is a forward reference and denotes the class of that name.
  const isQuoted = type.kind === 'literal' && typeof type.value === 'string' && /^\w+$/.test(type.value);
  const { value, name } = isQuoted ? readName(context, env, String(type.value)) : factOf(context, type, env);
  if (value?.kind === 'external' && name !== undefined && modelledClasses.has(name))
    return { ...fact, name: `${name}()` };
  // Caller data stays tainted whatever class it is annotated with.
  if (value?.kind !== 'class' || fact.taints.length > 0) return fact;
  return { ...fact, value: instanceOf(context, value, type, env) };
}

const instances = new WeakMap<ClassValue, ObjectValue>();

/** One shared instance per class: the constructor arguments are unknown. */
function instanceOf({ machine }: Context, cls: ClassValue, spot: Expr, { module }: Env): ObjectValue {
  const before = instances.get(cls);
  if (before) return before;
  const made = instantiate(machine, cls, { positional: [], named: new Map(), open: true }, { module, spot });
  instances.set(cls, made);
  return made;
}

/** Unwraps `Path | None` and `Optional[Path]`. */
function unwrapOptional(annotation: Expr): Expr {
  if (annotation.kind === 'binary') return unwrapOptional(annotation.left);
  const isOptional = annotation.kind === 'index' && /(?:^|\.)Optional$/.test(dottedName(annotation.object) ?? '');
  return isOptional ? unwrapOptional(annotation.index) : annotation;
}
