import { dottedName } from '../ir/names.js';
import type { Expr } from '../ir/nodes.js';
import { vouchedByMatch, vouchedByRefusal } from './charset.js';
import { textOf } from './combine.js';
import type { Context } from './context.js';
import type { Env } from './environment.js';
import { factOf } from './expressions.js';
import { type Fact, type Implied, danger, noImplied } from './facts.js';
import { either, speaksFor } from './implied.js';
import { namesInternal } from './internal-addresses.js';
import { lastWord } from './names.js';

/** A pattern that the text matches whole vouches for it; one that finds bad characters vouches where it finds none. */
export function matched(
  context: Context,
  pattern: string | undefined,
  subject: Expr,
  env: Env,
  whole = false,
): Implied {
  if (pattern === undefined || !pattern.startsWith('/')) return noImplied;
  const cut = pattern.lastIndexOf('/');
  const [source, flags] = [pattern.slice(1, cut), pattern.slice(cut + 1)];
  const refusal =
    vouchedByRefusal(source, flags) |
    (namesInternal(source) ? danger.url : 0) |
    (/^\^?\\?[/\\]/.test(source) ? danger.pathAbsolute : 0);
  return either(
    speaksFor(context, subject, env, vouchedByMatch(source, flags, whole)),
    speaksFor(context, subject, env, refusal),
  );
}

export function regexCall(
  context: Context,
  expr: Expr & { kind: 'call' },
  receiver: Fact,
  object: Expr,
  env: Env,
): Implied {
  const method = lastWord(dottedName(expr.callee) ?? '');
  const [first, second] = expr.args.map((arg) => arg.value);
  if (!first) return noImplied;
  // re.match(pattern, text): anchored at the front by its nature.
  if (receiver.name === 're' && second)
    return matched(context, python(textOf(factOf(context, first, env)), method), second, env, method === 'fullmatch');
  const compiled =
    receiver.value?.kind === 'result' && receiver.name === 're.compile()'
      ? receiver.value.args.positional[0]
      : undefined;
  if (compiled?.kind === 'constant')
    return matched(context, python(String(compiled.value), method), first, env, method === 'fullmatch');
  const given = factOf(context, first, env);
  return given.name?.startsWith('/') ? matched(context, given.name, object, env) : noImplied;
}

const python = (source: string | undefined, method: string): string | undefined =>
  source === undefined ? undefined : `/${method === 'match' && !source.startsWith('^') ? '^' : ''}${source}/`;
