import { constantText } from '../facts/combine.js';
import { patternImplication, regexImplication, stripReplacements } from './guard-patterns.js';
import { intersectProofs, toImplication, negate, proofsFor } from './implications.js';
import type { Expr } from '../../ir/nodes.js';
import { dottedName } from '../../ir/names.js';
import { safeForCharset } from './charset.js';
import { containedBits, containedByPrefix, isNormalised } from './containment.js';
import { readKey, type Context } from '../interpreter/context.js';
import { emptiness, proofsOnEmpty } from './emptiness.js';
import { forkEnv, keyOf, applyProofs, type Env } from '../facts/environment.js';
import { factOf } from '../interpreter/expressions.js';
import { allSafe, anyPath, danger, noImplication, taintsIn, type Fact, type Implication } from '../facts/facts.js';
import { internalAddressTest, mentionsInternalAddresses } from './internal-addresses.js';
import {
  callbackImplication,
  firstMatchImplication,
  listItem,
  knownItems,
  quantifierImplication,
} from './guard-lists.js';
import { isServerState, optionalProofs } from './config-branches.js';
import { prefixImplication } from './prefixes.js';
import { isPromise } from './promises.js';
import { lastSegment } from '../facts/qualified-names.js';
import { knownText } from '../models/query-sinks.js';

/** Path condition of an expression: what its truth or falsity proves about the variables in it. */
export function implicationsOf(context: Context, expr: Expr, env: Env): Implication {
  switch (expr.kind) {
    case 'unary':
      return expr.op === 'not' ? negate(implicationsOf(context, expr.value, env)) : noImplication;
    case 'await':
      return expr.value.kind === 'call'
        ? callCondition(context, expr.value, env)
        : implicationsOf(context, expr.value, env);
    case 'logical': {
      const left = implicationsOf(context, expr.left, env);
      // The right side runs only under the left one's outcome, so its checks may build on those proofs.
      const inner = forkEnv(env);
      applyProofs(inner, expr.op === 'and' ? left.yes : left.no, (at, key) => readKey(context, at, key));
      const right = implicationsOf(context, expr.right, inner);
      const { whenTrue, whenFalse } = emptiness(expr.left, true);
      const isLiftable = isServerState(context, expr.left, env);
      // `path && isBad(path)`: an empty path is trivially safe, so the false branch keeps the proof.
      if (expr.op === 'and')
        return toImplication(
          [...left.yes, ...right.yes],
          [
            ...intersectProofs(left.no, right.no),
            ...proofsOnEmpty(right.no, whenFalse),
            ...optionalProofs(isLiftable ? right.no : []),
          ],
        );
      // `p == base or p.startswith(base + sep)`: the first arm is the folder itself.
      return toImplication(
        [
          ...intersectProofs(left.yes, right.yes),
          ...proofsOnEmpty(right.yes, whenTrue),
          ...optionalProofs(isLiftable ? right.yes : []),
        ],
        [...left.no, ...right.no],
      );
    }
    case 'binary':
      return comparisonImplication(context, expr, env);
    case 'call':
      return isPromise(context, expr, env) ? noImplication : callCondition(context, expr, env);
    case 'name':
      return storedImplication(context, expr, env);
    case 'member':
    case 'index':
      return firstMatchImplication(context, expr, env) ?? storedImplication(context, expr, env);
    case 'comprehension':
      return quantifierImplication(context, expr, env, 'found');
    case 'assign':
      return implicationsOf(context, expr.value, env);
    default:
      return noImplication;
  }
}

/** Variable that holds the result of an earlier check, or an IP property such as `is_private`. */
function storedImplication(context: Context, expr: Expr, env: Env): Implication {
  const fact = factOf(context, expr, env);
  if (fact.implies) return fact.implies;
  if (
    expr.kind === 'member' &&
    /^is_(?:private|loopback|link_local|reserved|multicast|unspecified)$/.test(expr.property)
  )
    return toImplication([], proofsFor(context, expr.object, env, danger.url));
  if (expr.kind === 'member' && expr.property === 'is_global')
    return toImplication(proofsFor(context, expr.object, env, danger.url), []);
  return noImplication;
}

function comparisonImplication(context: Context, expr: Expr & { kind: 'binary' }, env: Env): Implication {
  const { op, left, right } = expr;
  if (op === 'in' || op === 'not in') {
    const implied = membershipImplication(context, left, right, env);
    return op === 'in' ? implied : negate(implied);
  }
  if (op === '==' || op === '!=') {
    const implied = equalityImplication(context, left, right, env);
    return op === '==' ? implied : negate(implied);
  }
  if (op === '>=' || op === '>' || op === '<') return indexOfImplication(context, expr, env);
  if (op === 'instanceof') return toImplication([], []);
  return noImplication;
}

const isCommon = (fact: Fact): boolean => /commonpath|commonprefix/.test(fact.name ?? '');
/** `commonprefix` compares characters, not folders: it proves only a prefix. */
const containedByCommonPath = (common: Fact, folder: Fact): number =>
  common.name?.includes('commonprefix') ? containedByPrefix(common, folder) : containedBits(common);

function equalityImplication(context: Context, left: Expr, right: Expr, env: Env): Implication {
  if (left.kind === 'unary' && left.op === 'typeof') {
    const type = constantText(factOf(context, right, env));
    return toImplication(
      type === 'number' || type === 'boolean' ? proofsFor(context, left.value, env, allSafe) : [],
      [],
    );
  }
  // `path.parent == root`: a resolved path lies directly in the folder.
  const lying = [left, right].find((each) => each.kind === 'member' && each.property === 'parent');
  if (lying?.kind === 'member' && factOf(context, lying.object, env).isResolved)
    return toImplication(proofsFor(context, lying.object, env, containedBits(factOf(context, lying.object, env))), []);
  const [one, other] = [factOf(context, left, env), factOf(context, right, env)];
  // `check(x) == false` is the negation of the check.
  if (one.value?.kind === 'constant' && one.value.value === false) return negate(implicationsOf(context, right, env));
  if (other.value?.kind === 'constant' && other.value.value === false)
    return negate(implicationsOf(context, left, env));
  if (other.value?.kind === 'constant' && other.value.value === true) return implicationsOf(context, left, env);
  if (other.value?.kind === 'constant' && (other.value.value === null || other.value.value === undefined))
    return negate(implicationsOf(context, left, env));
  if (isCommon(one)) return toImplication(proofsFor(context, left, env, containedByCommonPath(one, other)), []);
  if (isCommon(other)) return toImplication(proofsFor(context, right, env, containedByCommonPath(other, one)), []);
  const [oneTaints, otherTaints] = [taintsIn(one).length > 0, taintsIn(other).length > 0];
  // A path segment is compared with `..`.
  const step = one.from?.filter(({ kinds }) => kinds === danger.pathUp) ?? [];
  if (step.length > 0 && constantText(other) === '..')
    return toImplication(
      [],
      step.map(({ key, kinds }) => ({ key, safe: kinds })),
    );
  // `basename(x) == x`: both sides are tainted, and one of them cannot traverse.
  if (oneTaints && otherTaints) {
    const cleaner = [one, other].find((fact) => fact.taints.every((taint) => (taint.safe & anyPath) === anyPath));
    return cleaner
      ? toImplication([...proofsFor(context, left, env, anyPath), ...proofsFor(context, right, env, anyPath)], [])
      : noImplication;
  }
  // Equal to an untainted value: the string is one that the code chose.
  if (oneTaints || one.from) return toImplication(proofsFor(context, left, env, allSafe), []);
  if (otherTaints || other.from) return toImplication(proofsFor(context, right, env, allSafe), []);
  return noImplication;
}

/** The path that `x.parts` or `x.split(…)` was taken from. */
function ownerOfParts(expr: Expr): Expr | undefined {
  if (expr.kind === 'member' && expr.property === 'parts') return expr.object;
  const isCut = expr.kind === 'call' && expr.callee.kind === 'member' && expr.callee.property === 'split';
  return isCut && expr.callee.kind === 'member' ? expr.callee.object : undefined;
}

function membershipImplication(context: Context, left: Expr, right: Expr, env: Env): Implication {
  // `(schema, table) in known`: each element is on the allow-list.
  if (left.kind === 'list')
    return left.items
      .map((item) => membershipImplication(context, item.value, right, env))
      .reduce((one, other) => toImplication([...one.yes, ...other.yes], [...one.no, ...other.no]), noImplication);
  const [item, holder] = [factOf(context, left, env), factOf(context, right, env)];
  const literal = constantText(item);
  const holderTaints = taintsIn(holder).length > 0;
  // `root in path.parents`: a resolved path lies below root.
  if (right.kind === 'member' && right.property === 'parents' && holderTaints)
    return toImplication(proofsFor(context, right.object, env, containedBits(factOf(context, right.object, env))), []);
  // `'..' in path.parts`, `path.split('/').includes('..')`: if false, no segment traverses.
  const owner = literal === '..' ? ownerOfParts(right) : undefined;
  if (owner && holderTaints) {
    const looked = proofsFor(context, owner, env, 0);
    const isGone = isNormalised(factOf(context, owner, env));
    return toImplication(looked, isGone ? looked : proofsFor(context, owner, env, danger.pathUp));
  }
  if (holderTaints && !holder.fields) {
    // Searching inside the tainted string: a block-list.
    const looked = proofsFor(context, right, env, 0);
    if (literal === '..')
      return toImplication(looked, isNormalised(holder) ? looked : proofsFor(context, right, env, danger.pathUp));
    if (literal === '/' || literal === '\\') return toImplication(looked, proofsFor(context, right, env, anyPath));
    return toImplication(looked, looked);
  }
  if (taintsIn(item).length === 0 && !item.from) return noImplication;
  const text = env.module.text.slice(right.start, right.end);
  // A membership test in internal addresses is a block-list: only its negation proves something.
  if (mentionsInternalAddresses(text) || mentionsInternalAddresses(knownItems(holder)))
    return toImplication([], proofsFor(context, left, env, danger.url));
  // An allow-list: a member is one of the fixed values.
  return toImplication(proofsFor(context, left, env, allSafe), proofsFor(context, left, env, 0));
}

/** `list.indexOf(x) >= 0`, `x.indexOf('..') === -1` and similar. */
function indexOfImplication(context: Context, expr: Expr & { kind: 'binary' }, env: Env): Implication {
  const { left } = expr;
  if (left.kind !== 'call' || left.callee.kind !== 'member' || left.callee.property !== 'indexOf' || !left.args[0])
    return noImplication;
  const found = membershipImplication(context, left.args[0].value, left.callee.object, env);
  return expr.op === '<' ? negate(found) : found;
}

const trustedCheckNames =
  /^(?:is_?(?:safe|allowed|valid|permitted|within|inside|trusted|authori[sz]ed)|validate|sanitize|assert_?(?:safe|allowed|valid)|ensure_?(?:safe|allowed|within)|check_?(?:path|url|allowed))/i;

/** Only a suffix with a leading dot pins the domain: `example.com` also ends `evil-example.com`. */
const isDomain = (fact: Fact): boolean =>
  knownText(fact).startsWith('.') ||
  knownItems(fact)
    .split(' ')
    .some((each) => each.startsWith('.'));

function callCondition(context: Context, expr: Expr & { kind: 'call' }, env: Env): Implication {
  const { callee, args } = expr;
  const first = args[0]?.value;
  const method = callee.kind === 'member' ? callee.property : callee.kind === 'name' ? callee.name : '';
  if (callee.kind === 'member') {
    const { object } = callee;
    const receiver = factOf(context, object, env);
    switch (method) {
      case 'startswith':
      case 'startsWith':
        return first ? prefixImplication(context, object, receiver, first, env) : noImplication;
      case 'endswith':
      case 'endsWith':
        return toImplication(
          proofsFor(
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
        return toImplication(proofsFor(context, object, env, containedBits(receiver)), []);
      case 'isdigit':
      case 'isnumeric':
      case 'isdecimal':
      case 'isalnum':
      case 'isalpha':
      case 'isidentifier': {
        const { under, gone } = stripReplacements(object);
        if (gone !== '')
          return toImplication(
            proofsFor(
              context,
              under,
              env,
              safeForCharset((char) => /[a-z\d]/i.test(char) || gone.includes(char)),
            ),
            [],
          );
        return toImplication(
          proofsFor(
            context,
            object,
            env,
            method === 'isidentifier' || method === 'isalpha' || method === 'isalnum'
              ? allSafe & ~danger.module
              : allSafe,
          ),
          [],
        );
      }
      case 'is_absolute':
      case 'isAbsolute':
        return toImplication(
          [],
          proofsFor(context, method === 'is_absolute' ? object : (first ?? object), env, danger.pathAbsolute),
        );
      case 'has':
      case 'includes':
        if (first) return membershipImplication(context, first, object, env);
        break;
      case 'test':
        if (first) return patternImplication(context, receiver.name, first, env);
        break;
      case 'match':
      case 'fullmatch':
      case 'search':
        return regexImplication(context, expr, receiver, object, env);
      case 'find':
      case 'some':
      case 'every':
        if (first?.kind === 'function')
          return callbackImplication(
            context,
            first,
            listItem(receiver, keyOf(object)),
            env,
            method === 'every' ? 'every' : 'some',
          );
        break;
      case 'hasOwn':
        return args[1] && first ? membershipImplication(context, args[1].value, first, env) : noImplication;
      case 'hasOwnProperty':
        if (first) return membershipImplication(context, first, object, env);
        break;
      case 'isInteger':
      case 'isFinite':
      case 'isSafeInteger':
        return first ? toImplication(proofsFor(context, first, env, allSafe), []) : noImplication;
      case 'range':
        return noImplication;
      default:
    }
    if (method === 'isabs' && first) return toImplication([], proofsFor(context, first, env, danger.pathAbsolute));
  }
  if (method === 'isinstance' && first && args[1])
    return /^(?:int|float|bool)$/.test(dottedName(args[1].value) ?? '')
      ? toImplication(proofsFor(context, first, env, allSafe), [])
      : noImplication;
  if (method === 'next' && first?.kind === 'comprehension') return quantifierImplication(context, first, env, 'found');
  if ((method === 'any' || method === 'all') && first?.kind === 'comprehension')
    return quantifierImplication(context, first, env, method);
  if (method === 'isAbsolute' && first) return toImplication([], proofsFor(context, first, env, danger.pathAbsolute));
  const answer = factOf(context, expr, env);
  const called = factOf(context, callee, env);
  const asked = addressTestOf(called);
  if (asked !== undefined && first) {
    const { yes, no } = answer.implies ?? noImplication;
    const public_ = proofsFor(context, first, env, danger.url);
    return asked === 'refuses' ? toImplication(yes, [...no, ...public_]) : toImplication([...yes, ...public_], no);
  }
  if (answer.implies) return answer.implies;
  // A check whose code is not available is trusted by its name: prefer a missed finding to a false positive.
  const isSeen = called.closure !== undefined || called.value?.kind === 'function';
  if (
    !isSeen &&
    trustedCheckNames.test(lastSegment(dottedName(callee) ?? '')) &&
    answer.taints.length === 0 &&
    !answer.value &&
    first
  )
    return toImplication(
      proofsFor(context, first, env, answer.name === '()' || answer.name === undefined ? allSafe : 0),
      [],
    );
  return noImplication;
}

/** Whether the callee is a project function that tests for internal addresses. */
function addressTestOf({ closure, value }: Fact): ReturnType<typeof internalAddressTest> {
  if (closure) return internalAddressTest(closure.fn, closure.env.module);
  return value?.kind === 'function' ? internalAddressTest(value.fn, value.module) : undefined;
}
