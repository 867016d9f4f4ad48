import type { Expr } from '../../ir/nodes.js';
import { constantText } from '../facts/combine.js';
import type { Env } from '../facts/environment.js';
import { danger, proofBit, taintsIn, type Fact, type Implication } from '../facts/facts.js';
import type { Context } from '../interpreter/context.js';
import { factOf } from '../interpreter/expressions.js';
import { containedBits, containedByPrefix, isClosedPrefix } from './containment.js';
import { proofsFor, toImplication } from './implications.js';

/** What `x.startswith(prefix)` proves: a path below a folder, a URL on a host, a word that is no option. */
export function prefixImplication(context: Context, object: Expr, receiver: Fact, first: Expr, env: Env): Implication {
  const wanted = factOf(context, first, env);
  const text = constantText(wanted);
  // A relative path that does not begin with `..` stays inside the folder it is relative to.
  if (text === '..' || text === `..${'/'}` || isParentPrefix(wanted))
    return toImplication(
      [],
      proofsFor(
        context,
        object,
        env,
        danger.pathUp | (/relpath|relative/.test(receiver.name ?? '') ? containedBits(receiver) : 0),
      ),
    );
  if (
    text === '/' ||
    text === '\\' ||
    (text === undefined && taintsIn(wanted).length === 0 && (wanted.name ?? '').endsWith('.sep'))
  )
    return toImplication([], proofsFor(context, object, env, danger.pathAbsolute));
  // A leading dash rejected means no argument injection; accepted, the caller chooses options.
  if (text === '-')
    return toImplication(
      proofsFor(context, object, env, proofBit.dashChecked),
      proofsFor(context, object, env, danger.argument | proofBit.dashChecked),
    );
  // Optimistic without a closing slash: the prefix `https://a.com` also begins `https://a.com.evil.org`, which is missed here.
  if (text !== undefined && /^https?:\/\/[^/]+\/|^https?:\/\/[\w-]+(?:\.[\w-]+)+$/.test(text))
    return toImplication(proofsFor(context, object, env, danger.url), []);
  const begins = text !== undefined && text !== '' && !text.startsWith('-') ? danger.argument : 0;
  if (text !== undefined && /^(?:https?:\/\/?|https?|file:|ftp:)$/.test(text))
    return toImplication(proofsFor(context, object, env, begins), proofsFor(context, object, env, 0));
  if (receiver.isResolved === true && taintsIn(wanted).length === 0)
    return toImplication(proofsFor(context, object, env, containedByPrefix(receiver, wanted)), []);
  return toImplication(proofsFor(context, object, env, begins), proofsFor(context, object, env, 0));
}

/** `'..' + path.sep`. */
const isParentPrefix = (fact: Fact): boolean =>
  isClosedPrefix(fact) && fact.value?.kind === 'text' && fact.value.parts[0] === '..';
