import type { Call, Expr } from '../../ir/nodes.js';
import { ancestry, findAccessor, superMember } from '../../evaluate/calls/classes.js';
import type { ClassValue, FunctionValue } from '../../evaluate/values/values.js';
import { readName, type Context } from '../interpreter/context.js';
import { writeVariable, type Env } from '../facts/environment.js';
import { untaintedFact, type Fact } from '../facts/facts.js';
import { recordOwner } from '../facts/heap.js';
import { callProject, type CallArgs } from './functions.js';

const isSuper = (expr: Expr): boolean =>
  (expr.kind === 'name' && expr.name === 'super') ||
  (expr.kind === 'call' && expr.callee.kind === 'name' && expr.callee.name === 'super');

/** Constructor of a JavaScript class, its own or the nearest inherited one. */
export function constructorOf(cls: ClassValue): FunctionValue | undefined {
  for (const each of ancestry(cls)) {
    const fn = each.cls.members.find(({ name, isStatic }) => name === 'constructor' && !isStatic)?.fn;
    if (fn) return { kind: 'function', fn, scope: each.scope, module: each.module, home: each, props: new Map() };
  }
  return undefined;
}

/** `super(…)`, `super.method(…)` and `super().method(…)`: the method of the base, on the same instance. */
export function superCall(context: Context, { callee }: Call, given: CallArgs, env: Env): Fact | undefined {
  const isConstructor = callee.kind === 'name' && callee.name === 'super' && env.module.language !== 'python';
  if (!isConstructor && !(callee.kind === 'member' && isSuper(callee.object))) return undefined;
  const method = methodOf(env);
  if (!method) return undefined;
  const { home, selfName } = method;
  const [base] = home.bases;
  const target = isConstructor
    ? base?.kind === 'class'
      ? constructorOf(base)
      : undefined
    : superMember(context.machine, home, callee.kind === 'member' ? callee.property : '');
  if (target?.kind !== 'function') return undefined;
  const self = readName(context, env, selfName);
  return callProject(context, { target }, given, self, env, (fields) => {
    for (const [field, fact] of fields) {
      // Unchanged fields are skipped, else a copy in the variables would hide later writes.
      if (fact === self.fields?.get(field)) continue;
      recordOwner(context.heap, `${selfName}.${field}`);
      writeVariable(env, `${selfName}.${field}`, fact);
    }
  });
}

/** `super.line`: the getter of the base, on the same instance. */
export function superGetter(context: Context, object: Expr, property: string, env: Env): Fact | undefined {
  const method = isSuper(object) ? methodOf(env) : undefined;
  const [base] = method?.home.bases ?? [];
  const target = base?.kind === 'class' ? findAccessor(base, property) : undefined;
  if (!method || !target) return undefined;
  const given = { positional: [], named: new Map<string, Fact>(), rest: [], exprs: [] };
  return callProject(context, { target }, given, readName(context, env, method.selfName), env);
}

/** The method this code belongs to; an arrow function inside a method belongs to it too. */
function methodOf(env: Env): Env['method'] {
  for (let at: Env | undefined = env; at; at = at.parent) if (at.method) return at.method;
  return undefined;
}

/** Runs a setter; its writes reach the object by its allocation site. */
export function callSetter(context: Context, setter: FunctionValue, object: Fact, value: Fact, env: Env): void {
  const given = { positional: [value], named: new Map<string, Fact>(), rest: untaintedFact.taints, exprs: [] };
  callProject(context, { target: setter }, given, object, env);
}
