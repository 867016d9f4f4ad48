import { binaryFact, concatFacts, constantFact, constantText, elementOf, listFact } from '../facts/combine.js';
import { isParsedUrl } from '../models/models.js';
import type { Expr, Template } from '../../ir/nodes.js';
import { findAccessor } from '../../evaluate/calls/classes.js';
import { memberOf } from '../../evaluate/values/members.js';
import { type Value } from '../../evaluate/values/values.js';
import { withAlias, withScheme } from '../facts/aliases.js';
import { assignTo } from './assign.js';
import { callFact } from '../calls/calls.js';
import { comprehensionFact } from './comprehensions.js';
import { callProject } from '../calls/functions.js';
import { superGetter } from '../calls/super-calls.js';
import { taggedSink } from '../models/shell-tags.js';
import { localClass } from './local-classes.js';
import { factOfValue, partOf, readName, takeStep, type Context } from './context.js';
import { forkEnv, keyOf, joinEnvs, readVariable, applyProofs, type Env } from '../facts/environment.js';
import {
  anyPath,
  danger,
  joinFacts,
  mergeTaints,
  untaintedFact,
  taintsIn,
  markSafe,
  type Fact,
  type Taint,
} from '../facts/facts.js';
import { pathSegments, pathBits } from '../checks/containment.js';
import { withShared } from '../facts/heap.js';
import { messageBody } from '../sources/messages.js';
import type { Hit } from '../models/sinks.js';
import { newSite, withNewSite, withSite } from '../facts/sites.js';
import { addTraceStep } from '../facts/traces.js';
import { implicationsOf } from '../checks/guards.js';
import { readKey, recordHit } from './context.js';

/** Transfer function of an expression: its fact on this path; calls in it are analysed. */
export function factOf(context: Context, expr: Expr, env: Env): Fact {
  if (!takeStep(context)) return untaintedFact;
  const of = (inner: Expr | undefined): Fact => (inner ? factOf(context, inner, env) : untaintedFact);
  switch (expr.kind) {
    case 'literal':
      return { taints: [], value: { kind: 'constant', value: expr.value } };
    case 'regex':
      return { taints: [], name: `/${expr.source}/${expr.flags}` };
    case 'template':
      return templateFact(context, expr, env);
    case 'name':
      return readName(context, env, expr.name);
    case 'member':
      return memberFact(context, expr, expr.property, env);
    case 'index':
      return indexFact(context, expr, env);
    case 'call': {
      // A condition is evaluated for its truth and again for its proofs: memoise the call.
      const before = context.memo.get(expr);
      if (before?.ticks === env.clock.ticks) return before.fact;
      const fact = withSite(callFact(context, expr, env));
      context.memo.set(expr, { ticks: env.clock.ticks, fact });
      return fact;
    }
    case 'tagged': {
      // A library tag such as `sql` or `$` receives the parts separately and escapes them; project tags are analysed.
      const tag = of(expr.tag);
      const own = tag.closure
        ? { closure: tag.closure }
        : tag.value?.kind === 'function'
          ? { target: tag.value }
          : undefined;
      if (!own) {
        const text = templateFact(context, expr.template, env);
        const source = env.module.text.slice(expr.tag.start, expr.tag.end);
        const values = expr.template.parts.map((part) => (typeof part === 'string' ? part : of(part)));
        const hit = taggedSink(tag.name ?? '', source, values, text);
        if (hit) recordTag(context, hit, expr, env);
        // Tags that only format (dedent) return the plain string.
        return formattingTags.test(tag.name ?? '') ? text : untaintedFact;
      }
      const isText = (part: Template['parts'][number]): part is string => typeof part === 'string';
      const texts = expr.template.parts.filter(isText).map((value) => ({ fact: constantFact(value), spread: false }));
      const values = expr.template.parts.flatMap((part) => (isText(part) ? [] : [of(part)]));
      const given = { positional: [listFact(texts), ...values], named: new Map(), rest: [], exprs: [] };
      return callProject(context, own, given, undefined, env);
    }
    case 'list':
      return withNewSite(
        listFact(
          expr.items.map((item) => ({
            fact: withConditionProof(context, item.value, of(item.value), env),
            spread: item.spread,
          })),
        ),
      );
    case 'dict':
      return dictFact(context, expr, env);
    case 'function':
      return { taints: [], closure: { fn: expr.fn, env } };
    case 'binary': {
      const [left, right] = [of(expr.left), of(expr.right)];
      const made = withScheme([expr.left, expr.right], binaryFact(expr.op, left, right));
      const key = expr.op === '/' && taintsIn(right).length > 0 ? keyOf(expr.right) : undefined;
      return key === undefined ? made : { ...made, from: [...(made.from ?? []), { key, kinds: pathBits }] };
    }
    case 'logical':
      return logicalFact(context, expr, env);
    case 'conditional': {
      const known = knownTruth(factOf(context, expr.test, env));
      const implied = implicationsOf(context, expr.test, env);
      const [yes, no] = [forkEnv(env), forkEnv(env)];
      applyProofs(yes, implied.yes, (at, key) => readKey(context, at, key));
      applyProofs(no, implied.no, (at, key) => readKey(context, at, key));
      if (known !== undefined) return factOf(context, known ? expr.yes : expr.no, known ? yes : no);
      const made = joinFacts(
        withAlias(expr.yes, factOf(context, expr.yes, yes)),
        withAlias(expr.no, factOf(context, expr.no, no)),
      );
      joinEnvs(env, [yes, no]);
      return made;
    }
    case 'unary':
      of(expr.value);
      return untaintedFact;
    case 'await':
      return of(expr.value);
    case 'yield': {
      const fact = of(expr.value);
      context.yielded?.push(expr.delegate ? elementOf(fact) : fact);
      return untaintedFact;
    }
    case 'assign': {
      const fact =
        expr.op === undefined
          ? of(expr.value)
          : binaryFact(
              expr.op,
              factOf(
                context,
                expr.target.kind === 'list-pattern' ||
                  expr.target.kind === 'dict-pattern' ||
                  expr.target.kind === 'default-pattern'
                  ? expr.value
                  : expr.target,
                env,
              ),
              of(expr.value),
            );
      assignTo(context, expr.target, withFlagProof(expr.value, fact, env), env);
      return fact;
    }
    case 'comprehension':
      return withNewSite(comprehensionFact(context, expr, env));
    case 'sequence':
      return expr.items.reduce<Fact>((_, item) => of(item), untaintedFact);
    case 'import':
      return callFact(
        context,
        {
          kind: 'call',
          callee: { kind: 'name', name: 'import', start: expr.start, end: expr.start },
          args: [{ value: expr.source }],
          isNew: false,
          start: expr.start,
          end: expr.end,
        },
        env,
      );
    case 'opaque':
      return { taints: mergeTaints(...expr.parts.map((part) => taintsIn(of(part)))) };
    case 'class':
      return localClass(context, expr.cls, env);
    case 'slice':
      return untaintedFact;
  }
}

const formattingTags = /(?:^|\.)(?:dedent|endent|outdent|stripIndents?|oneLine|oneLineTrim)$|^String\.raw$|^ts-dedent/;

/** `ok = true` inside a branch carries the path condition of that branch. */
export const withFlagProof = (value: Expr, fact: Fact, env: Env): Fact =>
  env.pathCondition && value.kind === 'literal' && value.value === true
    ? { ...fact, implies: { yes: env.pathCondition, no: [] } }
    : fact;

/** Truth of a condition; undefined if unknown. */
export const knownTruth = ({ value, taints }: Fact): boolean | undefined =>
  value && (taints.length === 0 || value.kind === 'text') ? valueTruth(value) : undefined;

function valueTruth(value: Value): boolean | undefined {
  switch (value.kind) {
    case 'constant':
      return Boolean(value.value);
    case 'text':
      // A string with a constant part is never empty, even if the rest is tainted.
      return value.parts.some((part) => typeof part === 'string' && part !== '') ? true : undefined;
    case 'choice': {
      const [first, ...rest] = value.options.map(valueTruth);
      return rest.every((each) => each === first) ? first : undefined;
    }
    default:
      return undefined;
  }
}

function templateFact(context: Context, expr: Template, env: Env): Fact {
  const parts = expr.parts.map((part) =>
    typeof part === 'string'
      ? { taints: [], value: { kind: 'constant', value: part } as const }
      : factOf(context, part, env),
  );
  const made = withScheme(expr.parts, concatFacts(parts));
  return { ...made, taints: addTraceStep(made.taints, env.module, expr, 'becomes part of a string') };
}

const hostParts = new Set(['hostname', 'netloc', 'host', 'origin', 'href']);
const schemeParts = new Set(['protocol', 'scheme']);

/** Keys proved by a check of a URL component: the host decides the target (SSRF), the scheme only how the string begins. */
function urlComponentKeys(object: Fact, base: string | undefined, property: string): Fact['from'] {
  const own = base === undefined ? [] : [{ key: base, kinds: danger.url | danger.argument }];
  const all = [...(object.from ?? []), ...own];
  if (hostParts.has(property)) return all;
  if (!isParsedUrl(object.name)) return object.from;
  return schemeParts.has(property) ? all.map(({ key }) => ({ key, kinds: danger.argument })) : undefined;
}

function memberFact(context: Context, expr: Expr & { kind: 'member' | 'index' }, property: string, env: Env): Fact {
  const key = keyOf(expr);
  const own = key === undefined ? undefined : readVariable(env, key);
  if (own) return own;
  const above = superGetter(context, expr.object, property, env);
  if (above) return above;
  const object = factOf(context, expr.object, env);
  const getter = object.value?.kind === 'object' && object.value.cls && findAccessor(object.value.cls, property);
  if (getter) return callProject(context, { target: getter }, noArguments, object, env);
  const body = messageBody(context, object, keyOf(expr.object), property);
  if (body) return body;
  const part = partOf(object, property);
  if (part) {
    const base = keyOf(expr.object);
    const name = object.name === undefined ? undefined : `${object.name}.${property}`;
    if (property === 'name' && /pathlib|Path\(\)/.test(object.name ?? ''))
      return { ...part, taints: markSafe(part.taints, anyPath), name };
    if (property === 'parent' || property === 'parents')
      return { ...part, name: 'pathlib.Path()', isResolved: object.isResolved, isReal: object.isReal };
    if (property === 'length' || property === 'suffix' || property === 'size') return untaintedFact;
    const from = urlComponentKeys(object, base, property);
    return {
      ...part,
      name: part.name ?? name,
      from: hostParts.has(property) || isParsedUrl(object.name) ? from : (part.from ?? from),
      closure: part.closure,
    };
  }
  if (object.content && property === 'name') return { taints: [], content: object.content, ...fileKey(expr.object) };
  if (object.fields && !object.value)
    return {
      ...untaintedFact,
      ...fileKey(expr.object),
      ...(object.name === undefined ? {} : { name: `${object.name}.${property}` }),
    };
  if (object.value && object.value.kind !== 'unknown') {
    const value = memberOf(context.machine, object.value, property);
    const fact = withShared(context.heap, factOfValue(value));
    return fact.name === undefined && object.name !== undefined && value.kind === 'unknown'
      ? { ...fact, name: `${object.name}.${property}` }
      : fact;
  }
  return object.name === undefined
    ? { ...untaintedFact, ...fileKey(expr.object) }
    : {
        taints: [],
        name: isGlobal.test(object.name) ? property : `${object.name}.${property}`,
        ...fileKey(expr.object),
      };
}

const noArguments = { positional: [], named: new Map<string, Fact>(), rest: [], exprs: [] };

/** `globalThis.x` is `x`. */
const isGlobal = /^(?:globalThis|global|window)$/;

/** `file.name` refers to the file, so that content written later is found through its key. */
const fileKey = (expr: Expr): Pick<Fact, 'from'> => {
  const key = keyOf(expr);
  return key === undefined ? {} : { from: [{ key, kinds: 0 }] };
};

function indexFact(context: Context, expr: Expr & { kind: 'index' }, env: Env): Fact {
  const part = elementAtIndex(context, expr, env);
  const isCut = part.taints.length > 0 && expr.index.kind !== 'slice';
  return isCut && factOf(context, expr.object, env).name === pathSegments
    ? { ...part, taints: markSafe(part.taints, anyPath) }
    : part;
}

function elementAtIndex(context: Context, expr: Expr & { kind: 'index' }, env: Env): Fact {
  const { index } = expr;
  if (index.kind === 'literal' && (typeof index.value === 'string' || typeof index.value === 'number'))
    return memberFact(context, expr, String(index.value), env);
  const object = factOf(context, expr.object, env);
  if (index.kind === 'slice')
    return { ...withNewSite(object), fields: object.fields && new Map([['*', elementOf(object)]]) };
  const at = factOf(context, index, env);
  if (isEnvironment(object.name)) recordEnvironmentRead(context, expr, object, at, env);
  const known = at.value?.kind === 'constant' ? String(at.value.value) : undefined;
  const part = known === undefined ? undefined : partOf(object, known);
  if (part) return part;
  if (known !== undefined && object.value)
    return withShared(context.heap, factOfValue(memberOf(context.machine, object.value, known)));
  // Indexing a constant table with tainted data yields table entries, not the tainted data.
  if (object.taints.length === 0 && object.value?.kind === 'object')
    return object.value.props.size === 0
      ? untaintedFact
      : { taints: [], value: { kind: 'choice', options: [...object.value.props.values()].slice(0, 12) } };
  return elementOf(object);
}

/** Reports a shell template as a call of its tag. */
function recordTag(context: Context, hit: Hit, expr: Expr, { module }: Env): void {
  const at = { module, spot: expr };
  const { language } = module;
  recordHit(context, hit, {
    name: hit.what,
    args: [],
    named: new Map(),
    at,
    language,
    isNew: false,
    textOf: constantText,
  });
}

const isEnvironment = (name: string | undefined): boolean => name === 'process.env' || name === 'os.environ';

/** `process.env[key]` with a key of the caller hands out any variable, so it is a sink like `os.getenv(key)`. */
function recordEnvironmentRead(context: Context, expr: Expr, object: Fact, key: Fact, env: Env): void {
  if (taintsIn(key).length === 0) return;
  const name = object.name ?? '';
  const at = { module: env.module, spot: expr };
  const { language } = env.module;
  const call = { name, args: [key], named: new Map(), at, language, isNew: false, textOf: constantText };
  recordHit(context, { rule: 'environment', facts: [key], what: name }, call);
}

function dictFact(context: Context, expr: Expr & { kind: 'dict' }, env: Env): Fact {
  const fields = new Map<string, Fact>();
  let taints: readonly Taint[] = [];
  for (const entry of expr.entries) {
    const fact = factOf(context, entry.value, env);
    if (!entry.key) {
      for (const [key, field] of fact.fields ?? []) fields.set(key, field);
      taints = mergeTaints(taints, fact.taints);
      continue;
    }
    const key = factOf(context, entry.key, env);
    const name = key.value?.kind === 'constant' ? String(key.value.value) : '*';
    fields.set(name, withConditionProof(context, entry.value, fact, env));
  }
  return { taints, fields, sites: [newSite()] };
}

const checkMethods = /^(?:startsWith|startswith|is_relative_to|some|every|includes|has|test)$/;

/** A condition stored in a list or object keeps its proofs: `{ ok: path.startsWith(root) }`. */
function withConditionProof(context: Context, expr: Expr, fact: Fact, env: Env): Fact {
  const isQuestion =
    expr.kind === 'logical' ||
    (expr.kind === 'unary' && expr.op === 'not') ||
    (expr.kind === 'binary' && /^(?:==|!=|in|not in)$/.test(expr.op)) ||
    (expr.kind === 'call' && expr.callee.kind === 'member' && checkMethods.test(expr.callee.property));
  return isQuestion ? { ...fact, implies: implicationsOf(context, expr, env) } : fact;
}

/** `a && true` with an unknown `a`: the right side is the value, but it does not decide the truth of the whole. */
const withUnknownTruth = (fact: Fact): Fact =>
  fact.value && knownTruth(fact) === true
    ? { ...fact, value: { kind: 'choice', options: [{ kind: 'constant', value: false }, fact.value] } }
    : fact;

function logicalFact(context: Context, expr: Expr & { kind: 'logical' }, env: Env): Fact {
  const left = factOf(context, expr.left, env);
  const truth = knownTruth(left);
  if (expr.op === 'and' && truth === false) return left;
  if (expr.op === 'or' && truth === true) return left;
  const inner = forkEnv(env);
  const implied = implicationsOf(context, expr.left, env);
  applyProofs(inner, expr.op === 'and' ? implied.yes : implied.no, (at, key) => readKey(context, at, key));
  const right = factOf(context, expr.right, inner);
  if (expr.op === 'and' && truth === true) return right;
  if (expr.op === 'and') return withUnknownTruth(right);
  return joinFacts(withAlias(expr.left, left), withAlias(expr.right, right));
}
