import { textOf } from './combine.js';
import { matched, regexCall } from './guard-patterns.js';
import { both, either, flip, speaksFor } from './implied.js';
import type { Expr } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import { safeFrom } from './charset.js';
import { held, heldByPrefix, isClosedPrefix } from './containment.js';
import { readKey, type Context } from './context.js';
import { emptiness, saidOf } from './emptiness.js';
import { branch, keyOf, vouch, type Env } from './environment.js';
import { factOf } from './expressions.js';
import { all, anyPath, danger, known, noImplied, taintsIn, type Fact, type Implied } from './facts.js';
import { asksForInternal, namesInternal } from './internal-addresses.js';
import { callbackImplied, foundFirst, itemOf, knownItems, quantified } from './guard-lists.js';
import { isOwnState, liftable } from './modes.js';
import { lastWord } from './names.js';
import { knownText } from './queries.js';

/** What the truth of a condition says about the names in it. */
export function impliedBy(context: Context, expr: Expr, env: Env): Implied {
  switch (expr.kind) {
    case 'unary':
      return expr.op === 'not' ? flip(impliedBy(context, expr.value, env)) : noImplied;
    case 'await':
      return impliedBy(context, expr.value, env);
    case 'logical': {
      const left = impliedBy(context, expr.left, env);
      const inner = branch(env);
      vouch(inner, expr.op === 'and' ? left.yes : left.no, (at, key) => readKey(context, at, key));
      const right = impliedBy(context, expr.right, inner);
      const { whenTrue, whenFalse } = emptiness(expr.left, true);
      const isLiftable = isOwnState(context, expr.left, env);
      // `path && isBad(path)`: where no path was given there is nothing bad about it either.
      if (expr.op === 'and')
        return either(
          [...left.yes, ...right.yes],
          [...both(left.no, right.no), ...saidOf(right.no, whenFalse), ...liftable(isLiftable ? right.no : [])],
        );
      // `p == base or p.startswith(base + sep)`: the first arm is the folder itself.
      return either(
        [...both(left.yes, right.yes), ...saidOf(right.yes, whenTrue), ...liftable(isLiftable ? right.yes : [])],
        [...left.no, ...right.no],
      );
    }
    case 'binary':
      return comparison(context, expr, env);
    case 'call':
      return callImplied(context, expr, env);
    case 'name':
      return stored(context, expr, env);
    case 'member':
    case 'index':
      return foundFirst(context, expr, env) ?? stored(context, expr, env);
    case 'comprehension':
      return quantified(context, expr, env, 'found');
    case 'assign':
      return impliedBy(context, expr.value, env);
    default:
      return noImplied;
  }
}

/** A name holds the answer of an earlier check, or is a part that tells about an address. */
function stored(context: Context, expr: Expr, env: Env): Implied {
  const fact = factOf(context, expr, env);
  if (fact.implies) return fact.implies;
  if (
    expr.kind === 'member' &&
    /^is_(?:private|loopback|link_local|reserved|multicast|unspecified)$/.test(expr.property)
  )
    return either([], speaksFor(context, expr.object, env, danger.url));
  if (expr.kind === 'member' && expr.property === 'is_global')
    return either(speaksFor(context, expr.object, env, danger.url), []);
  return noImplied;
}

function comparison(context: Context, expr: Expr & { kind: 'binary' }, env: Env): Implied {
  const { op, left, right } = expr;
  if (op === 'in' || op === 'not in') {
    const implied = membership(context, left, right, env);
    return op === 'in' ? implied : flip(implied);
  }
  if (op === '==' || op === '!=') {
    const implied = equality(context, left, right, env);
    return op === '==' ? implied : flip(implied);
  }
  if (op === '>=' || op === '>' || op === '<') return indexTest(context, expr, env);
  if (op === 'instanceof') return either([], []);
  return noImplied;
}

const isCommon = (fact: Fact): boolean => /commonpath|commonprefix/.test(fact.name ?? '');
/** A common prefix is one of characters, not of folders. */
const heldInCommon = (common: Fact, folder: Fact): number =>
  common.name?.includes('commonprefix') ? heldByPrefix(common, folder) : held(common);

function equality(context: Context, left: Expr, right: Expr, env: Env): Implied {
  if (left.kind === 'unary' && left.op === 'typeof') {
    const type = textOf(factOf(context, right, env));
    return either(type === 'number' || type === 'boolean' ? speaksFor(context, left.value, env, all) : [], []);
  }
  // `path.parent == root`: a resolved path lies in the folder itself.
  const lying = [left, right].find((each) => each.kind === 'member' && each.property === 'parent');
  if (lying?.kind === 'member' && factOf(context, lying.object, env).isResolved)
    return either(speaksFor(context, lying.object, env, held(factOf(context, lying.object, env))), []);
  const [one, other] = [factOf(context, left, env), factOf(context, right, env)];
  if (one.value?.kind === 'constant' && one.value.value === false) return flip(impliedBy(context, right, env));
  if (other.value?.kind === 'constant' && other.value.value === false) return flip(impliedBy(context, left, env));
  if (other.value?.kind === 'constant' && other.value.value === true) return impliedBy(context, left, env);
  if (other.value?.kind === 'constant' && (other.value.value === null || other.value.value === undefined))
    return flip(impliedBy(context, left, env));
  if (isCommon(one)) return either(speaksFor(context, left, env, heldInCommon(one, other)), []);
  if (isCommon(other)) return either(speaksFor(context, right, env, heldInCommon(other, one)), []);
  const [oneTaints, otherTaints] = [taintsIn(one).length > 0, taintsIn(other).length > 0];
  // One step of a path is compared with the step that climbs.
  const step = one.from?.filter(({ kinds }) => kinds === danger.pathUp) ?? [];
  if (step.length > 0 && textOf(other) === '..')
    return either(
      [],
      step.map(({ key, kinds }) => ({ key, safe: kinds })),
    );
  // `basename(x) == x`: both sides are the caller's, and one of them cannot leave the folder.
  if (oneTaints && otherTaints) {
    const cleaner = [one, other].find((fact) => fact.taints.every((taint) => (taint.safe & anyPath) === anyPath));
    return cleaner
      ? either([...speaksFor(context, left, env, anyPath), ...speaksFor(context, right, env, anyPath)], [])
      : noImplied;
  }
  if (oneTaints || one.from) return either(speaksFor(context, left, env, all), []);
  if (otherTaints || other.from) return either(speaksFor(context, right, env, all), []);
  return noImplied;
}

/** A joined or resolved path has no `..` left to be found, wherever it leads. */
const isNormalised = (fact: Fact): boolean =>
  (fact.lead !== undefined && /^path\.(?:posix\.)?join\(\)$/.test(fact.name ?? '')) ||
  /^(?:path\.resolve|os\.path\.(?:realpath|abspath)|fs.*\.realpath\w*)\(\)$/.test(fact.name ?? '') ||
  (fact.name === 'pathlib.Path()' && fact.isResolved === true);

/** The path whose parts these are. */
function ownerOfParts(expr: Expr): Expr | undefined {
  if (expr.kind === 'member' && expr.property === 'parts') return expr.object;
  const isCut = expr.kind === 'call' && expr.callee.kind === 'member' && expr.callee.property === 'split';
  return isCut && expr.callee.kind === 'member' ? expr.callee.object : undefined;
}

function membership(context: Context, left: Expr, right: Expr, env: Env): Implied {
  // `(schema, table) in known`: each of them is one of the known.
  if (left.kind === 'list')
    return left.items
      .map((item) => membership(context, item.value, right, env))
      .reduce((one, other) => either([...one.yes, ...other.yes], [...one.no, ...other.no]), noImplied);
  const [item, holder] = [factOf(context, left, env), factOf(context, right, env)];
  const literal = textOf(item);
  const holderTaints = taintsIn(holder).length > 0;
  // `root in path.parents`: the folders above a resolved path are where it lies.
  if (right.kind === 'member' && right.property === 'parents' && holderTaints)
    return either(speaksFor(context, right.object, env, held(factOf(context, right.object, env))), []);
  // `'..' in path.parts`, `path.split('/').includes('..')`: no part leads up.
  const owner = literal === '..' ? ownerOfParts(right) : undefined;
  if (owner && holderTaints) {
    const looked = speaksFor(context, owner, env, 0);
    const isGone = isNormalised(factOf(context, owner, env));
    return either(looked, isGone ? looked : speaksFor(context, owner, env, danger.pathUp));
  }
  if (holderTaints && !holder.fields) {
    // Something is looked for inside the caller's text: a block-list.
    const looked = speaksFor(context, right, env, 0);
    if (literal === '..')
      return either(looked, isNormalised(holder) ? looked : speaksFor(context, right, env, danger.pathUp));
    if (literal === '/' || literal === '\\') return either(looked, speaksFor(context, right, env, anyPath));
    return either(looked, looked);
  }
  if (taintsIn(item).length === 0 && !item.from) return noImplied;
  const text = env.module.text.slice(right.start, right.end);
  if (namesInternal(text) || namesInternal(knownItems(holder)))
    return either([], speaksFor(context, left, env, danger.url));
  return either(speaksFor(context, left, env, all), speaksFor(context, left, env, 0));
}

/** `list.indexOf(x) >= 0`, `x.indexOf('..') === -1` and their like. */
function indexTest(context: Context, expr: Expr & { kind: 'binary' }, env: Env): Implied {
  const { left } = expr;
  if (left.kind !== 'call' || left.callee.kind !== 'member' || left.callee.property !== 'indexOf' || !left.args[0])
    return noImplied;
  const found = membership(context, left.args[0].value, left.callee.object, env);
  return expr.op === '<' ? flip(found) : found;
}

const trusted =
  /^(?:is_?(?:safe|allowed|valid|permitted|within|inside|trusted|authori[sz]ed)|validate|sanitize|assert_?(?:safe|allowed|valid)|ensure_?(?:safe|allowed|within)|check_?(?:path|url|allowed))/i;

/** `.example.com` is a domain; `example.com` is also the end of `evil-example.com`. */
const isDomain = (fact: Fact): boolean =>
  knownText(fact).startsWith('.') ||
  knownItems(fact)
    .split(' ')
    .some((each) => each.startsWith('.'));

function callImplied(context: Context, expr: Expr & { kind: 'call' }, env: Env): Implied {
  const { callee, args } = expr;
  const first = args[0]?.value;
  const method = callee.kind === 'member' ? callee.property : callee.kind === 'name' ? callee.name : '';
  if (callee.kind === 'member') {
    const { object } = callee;
    const receiver = factOf(context, object, env);
    switch (method) {
      case 'startswith':
      case 'startsWith':
        return first ? prefix(context, object, receiver, first, env) : noImplied;
      case 'endswith':
      case 'endsWith':
        return either(
          speaksFor(
            context,
            object,
            env,
            first &&
              isDomain(factOf(context, first, env)) &&
              receiver.from?.some((each) => (each.kinds & danger.url) !== 0) === true
              ? danger.url
              : 0,
          ),
          [],
        );
      case 'is_relative_to':
        return either(speaksFor(context, object, env, held(receiver)), []);
      case 'isdigit':
      case 'isnumeric':
      case 'isdecimal':
      case 'isalnum':
      case 'isalpha':
      case 'isidentifier': {
        const { under, gone } = withoutSome(object);
        if (gone !== '')
          return either(
            speaksFor(
              context,
              under,
              env,
              safeFrom((char) => /[a-z\d]/i.test(char) || gone.includes(char)),
            ),
            [],
          );
        return either(
          speaksFor(
            context,
            object,
            env,
            method === 'isidentifier' || method === 'isalpha' || method === 'isalnum' ? all & ~danger.module : all,
          ),
          [],
        );
      }
      case 'is_absolute':
      case 'isAbsolute':
        return either(
          [],
          speaksFor(context, method === 'is_absolute' ? object : (first ?? object), env, danger.pathAbsolute),
        );
      case 'has':
      case 'includes':
        if (first) return membership(context, first, object, env);
        break;
      case 'test':
        if (first) return matched(context, receiver.name, first, env);
        break;
      case 'match':
      case 'fullmatch':
      case 'search':
        return regexCall(context, expr, receiver, object, env);
      case 'find':
      case 'some':
      case 'every':
        if (first?.kind === 'function')
          return callbackImplied(
            context,
            first,
            itemOf(receiver, keyOf(object)),
            env,
            method === 'every' ? 'every' : 'some',
          );
        break;
      case 'hasOwn':
        return args[1] && first ? membership(context, args[1].value, first, env) : noImplied;
      case 'hasOwnProperty':
        if (first) return membership(context, first, object, env);
        break;
      case 'isInteger':
      case 'isFinite':
      case 'isSafeInteger':
        return first ? either(speaksFor(context, first, env, all), []) : noImplied;
      case 'range':
        return noImplied;
      default:
    }
    if (method === 'isabs' && first) return either([], speaksFor(context, first, env, danger.pathAbsolute));
  }
  if (method === 'isinstance' && first && args[1])
    return /^(?:int|float|bool)$/.test(dottedName(args[1].value) ?? '')
      ? either(speaksFor(context, first, env, all), [])
      : noImplied;
  if (method === 'next' && first?.kind === 'comprehension') return quantified(context, first, env, 'found');
  if ((method === 'any' || method === 'all') && first?.kind === 'comprehension')
    return quantified(context, first, env, method);
  if (method === 'isAbsolute' && first) return either([], speaksFor(context, first, env, danger.pathAbsolute));
  const answer = factOf(context, expr, env);
  const called = factOf(context, callee, env);
  const asked = addressQuestion(called);
  if (asked !== undefined && first) {
    const { yes, no } = answer.implies ?? noImplied;
    const public_ = speaksFor(context, first, env, danger.url);
    return asked === 'refuses' ? either(yes, [...no, ...public_]) : either([...yes, ...public_], no);
  }
  if (answer.implies) return answer.implies;
  // A check that cannot be read is believed: saying nothing beats a false alarm.
  const isSeen = called.closure !== undefined || called.value?.kind === 'function';
  if (
    !isSeen &&
    trusted.test(lastWord(dottedName(callee) ?? '')) &&
    answer.taints.length === 0 &&
    !answer.value &&
    first
  )
    return either(speaksFor(context, first, env, answer.name === '()' || answer.name === undefined ? all : 0), []);
  return noImplied;
}

/** `x.replace('-', '').replace('_', '')`: the text under it, and the characters that it may have beside what is left. */
function withoutSome(expr: Expr): { readonly under: Expr; readonly gone: string } {
  if (expr.kind !== 'call' || expr.callee.kind !== 'member' || expr.callee.property !== 'replace')
    return { under: expr, gone: '' };
  const [from, to] = expr.args.map(({ value }) => (value.kind === 'literal' ? value.value : undefined));
  const inner = withoutSome(expr.callee.object);
  return typeof from === 'string' && to === ''
    ? { under: inner.under, gone: inner.gone + from }
    : { under: expr, gone: '' };
}

/** A function of the project that tells internal addresses from others. */
function addressQuestion({ closure, value }: Fact): ReturnType<typeof asksForInternal> {
  if (closure) return asksForInternal(closure.fn, closure.env.module);
  return value?.kind === 'function' ? asksForInternal(value.fn, value.module) : undefined;
}

function prefix(context: Context, object: Expr, receiver: Fact, first: Expr, env: Env): Implied {
  const wanted = factOf(context, first, env);
  const text = textOf(wanted);
  if (text === '..' || text === `..${'/'}` || isUpAndOut(wanted))
    return either(
      [],
      speaksFor(
        context,
        object,
        env,
        danger.pathUp | (/relpath|relative/.test(receiver.name ?? '') ? held(receiver) : 0),
      ),
    );
  if (
    text === '/' ||
    text === '\\' ||
    (text === undefined && taintsIn(wanted).length === 0 && (wanted.name ?? '').endsWith('.sep'))
  )
    return either([], speaksFor(context, object, env, danger.pathAbsolute));
  if (text === '-')
    return either(
      speaksFor(context, object, env, known.screened),
      speaksFor(context, object, env, danger.argument | known.screened),
    );
  if (text !== undefined && /^https?:\/\/[^/]+\/|^https?:\/\/[\w-]+(?:\.[\w-]+)+$/.test(text))
    return either(speaksFor(context, object, env, danger.url), []);
  const begins = text !== undefined && text !== '' && !text.startsWith('-') ? danger.argument : 0;
  if (text !== undefined && /^(?:https?:\/\/?|https?|file:|ftp:)$/.test(text))
    return either(speaksFor(context, object, env, begins), speaksFor(context, object, env, 0));
  if (receiver.isResolved === true && taintsIn(wanted).length === 0)
    return either(speaksFor(context, object, env, heldByPrefix(receiver, wanted)), []);
  return either(speaksFor(context, object, env, begins), speaksFor(context, object, env, 0));
}

/** `'..' + path.sep`. */
const isUpAndOut = (fact: Fact): boolean =>
  isClosedPrefix(fact) && fact.value?.kind === 'text' && fact.value.parts[0] === '..';
