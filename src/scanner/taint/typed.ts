import type { Expr } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import type { Context } from './context.js';
import type { Env } from './environment.js';
import { factOf } from './expressions.js';
import type { Fact } from './facts.js';

/** Classes from outside whose methods reach files or programs. */
const telling = new Set(['pathlib.Path', 'anyio.Path', 'aiopath.AsyncPath', 'git.Repo']);

/** A value whose making is not known is what its annotation says: `path: Path` opens files, `repo: Repo` runs git. */
export function typed(context: Context, fact: Fact, annotation: Expr | undefined, env: Env): Fact {
  if (!annotation || fact.name !== undefined || fact.value || fact.fields || fact.closure) return fact;
  const { value, name } = factOf(context, inner(annotation), env);
  return value?.kind === 'external' && name !== undefined && telling.has(name) ? { ...fact, name: `${name}()` } : fact;
}

/** The class in `Path | None` and `Optional[Path]`. */
function inner(annotation: Expr): Expr {
  if (annotation.kind === 'binary') return inner(annotation.left);
  const isOptional = annotation.kind === 'index' && /(?:^|\.)Optional$/.test(dottedName(annotation.object) ?? '');
  return isOptional ? inner(annotation.index) : annotation;
}
