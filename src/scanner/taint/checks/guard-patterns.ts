import { dottedName } from '../../ir/names.js';
import type { Expr } from '../../ir/nodes.js';
import { safeByMatch, safeByRejection } from './charset.js';
import { constantText } from '../facts/combine.js';
import type { Context } from '../interpreter/context.js';
import type { Env } from '../facts/environment.js';
import { factOf } from '../interpreter/expressions.js';
import { type Fact, type Implication, danger, noImplication } from '../facts/facts.js';
import { toImplication, proofsFor } from './implications.js';
import { mentionsInternalAddresses } from './internal-addresses.js';
import { lastSegment } from '../facts/qualified-names.js';
import type { Value } from '../../evaluate/values/values.js';

/** Regular expression test: an anchored match proves the charset of the string; a search for bad characters proves it where nothing is found. */
export function patternImplication(
  context: Context,
  pattern: string | undefined,
  subject: Expr,
  env: Env,
  whole = false,
): Implication {
  // Patterns are carried as `/source/flags`; any other name is no pattern.
  if (pattern === undefined || !pattern.startsWith('/')) return noImplication;
  const cut = pattern.lastIndexOf('/');
  const [source, flags] = [pattern.slice(1, cut), pattern.slice(cut + 1)];
  // What the absence of a match proves: no such character, no internal host, no leading separator.
  const refusal =
    safeByRejection(source, flags) |
    (mentionsInternalAddresses(source) ? danger.url : 0) |
    (/^\^?\\?[/\\]/.test(source) ? danger.pathAbsolute : 0);
  return toImplication(
    proofsFor(context, subject, env, safeByMatch(source, flags, whole)),
    proofsFor(context, subject, env, refusal),
  );
}

/** `re.match(pattern, x)`, `compiled.fullmatch(x)`, `x.match(/…/)` and similar. */
export function regexImplication(
  context: Context,
  expr: Expr & { kind: 'call' },
  receiver: Fact,
  object: Expr,
  env: Env,
): Implication {
  const method = lastSegment(dottedName(expr.callee) ?? '');
  const [first, second] = expr.args.map((arg) => arg.value);
  if (!first) return noImplication;
  // re.match anchors at the start implicitly.
  if (receiver.name === 're' && second)
    return patternImplication(
      context,
      toPythonPattern(constantText(factOf(context, first, env)), method, flagsIn(expr, env)),
      second,
      env,
      method === 'fullmatch',
    );
  const compiled =
    receiver.value?.kind === 'result' && receiver.name === 're.compile()'
      ? receiver.value.args.positional[0]
      : undefined;
  if (compiled?.kind === 'constant')
    return patternImplication(
      context,
      toPythonPattern(
        String(compiled.value),
        method,
        (receiver.value?.kind === 'result' ? receiver.value.args.positional.slice(1) : []).some(isMultiline) ? 'm' : '',
      ),
      first,
      env,
      method === 'fullmatch',
    );
  const given = factOf(context, first, env);
  return given.name?.startsWith('/') ? patternImplication(context, given.name, object, env) : noImplication;
}

/** With `re.MULTILINE`, `^` and `$` match at every line, so that an anchored pattern proves only one line. */
const flagsIn = ({ args }: Expr & { kind: 'call' }, { module }: Env): string =>
  args.some(({ value }) => /\bre\.(?:M|MULTILINE)\b/.test(module.text.slice(value.start, value.end))) ? 'm' : '';
const isMultiline = (value: Value): boolean =>
  value.kind === 'external' ? /^(?:M|MULTILINE)$/.test(value.path.at(-1) ?? '') : value.kind === 'unknown';

const toPythonPattern = (source: string | undefined, method: string, flags: string): string | undefined =>
  // Normalised to JavaScript anchors, so that one analysis serves both languages.
  source === undefined
    ? undefined
    : `/${method === 'match' && !source.startsWith('^') ? '^' : ''}${source.replace(/\\A/g, '^').replace(/\\[Zz]/g, '$')}/${flags}${source.startsWith('(?m)') ? 'm' : ''}`;

/** `x.replace('-', '').replace('_', '')`: the original string and the characters it may contain in addition. */
export function stripReplacements(expr: Expr): { readonly under: Expr; readonly gone: string } {
  if (expr.kind !== 'call' || expr.callee.kind !== 'member' || expr.callee.property !== 'replace')
    return { under: expr, gone: '' };
  const [from, to] = expr.args.map(({ value }) => (value.kind === 'literal' ? value.value : undefined));
  const inner = stripReplacements(expr.callee.object);
  // Removed characters may still occur in the original, so they are added to its charset.
  return typeof from === 'string' && to === ''
    ? { under: inner.under, gone: inner.gone + from }
    : { under: expr, gone: '' };
}
