import type { Expr } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import { instantiate } from '../evaluate/classes.js';
import type { ClassValue, ObjectValue } from '../evaluate/values.js';
import { readName, type Context } from './context.js';
import type { Env } from './environment.js';
import { factOf } from './expressions.js';
import type { Fact } from './facts.js';

/** Classes from outside whose methods reach files or programs. */
const telling = new Set(['pathlib.Path', 'anyio.Path', 'aiopath.AsyncPath', 'git.Repo']);

/** A value whose making is not known is what its annotation says: `path: Path` opens files, `-> Client` has that class's methods. */
export function typed(context: Context, fact: Fact, annotation: Expr | undefined, env: Env): Fact {
  if (!annotation || fact.name !== undefined || fact.value || fact.fields || fact.closure) return fact;
  const type = inner(annotation);
  const isQuoted = type.kind === 'literal' && typeof type.value === 'string' && /^\w+$/.test(type.value);
  const { value, name } = isQuoted ? readName(context, env, String(type.value)) : factOf(context, type, env);
  if (value?.kind === 'external' && name !== undefined && telling.has(name)) return { ...fact, name: `${name}()` };
  // What the caller gives is data whatever its class says; its parts stay theirs.
  if (value?.kind !== 'class' || fact.taints.length > 0) return fact;
  return { ...fact, value: instanceOf(context, value, type, env) };
}

const instances = new WeakMap<ClassValue, ObjectValue>();

/** One instance for all: nobody said what it was made with. */
function instanceOf({ machine }: Context, cls: ClassValue, spot: Expr, { module }: Env): ObjectValue {
  const before = instances.get(cls);
  if (before) return before;
  const made = instantiate(machine, cls, { positional: [], named: new Map(), open: true }, { module, spot });
  instances.set(cls, made);
  return made;
}

/** The class in `Path | None` and `Optional[Path]`. */
function inner(annotation: Expr): Expr {
  if (annotation.kind === 'binary') return inner(annotation.left);
  const isOptional = annotation.kind === 'index' && /(?:^|\.)Optional$/.test(dottedName(annotation.object) ?? '');
  return isOptional ? inner(annotation.index) : annotation;
}
