import { elementOf } from '../facts/combine.js';
import { findAccessor } from '../../evaluate/calls/classes.js';
import { callSetter } from '../calls/super-calls.js';
import type { Pattern } from '../../ir/nodes.js';
import { factOf } from './expressions.js';
import { partOf, readKey, type Context } from './context.js';
import { keyOf, writeVariable, type Env } from '../facts/environment.js';
import { joinFacts, untaintedFact, type Fact } from '../facts/facts.js';
import { recordOwner, withShared, writeModuleState, writeShared } from '../facts/heap.js';
import { sitesOf, withSite } from '../facts/sites.js';
import { assignField, updateAliases } from '../facts/updates.js';
import { addTraceStep } from '../facts/traces.js';
import { isReassignedGlobal } from './mutable-globals.js';
import { isParsedUrl } from '../models/models.js';

/** Assigns a fact to a pattern, destructuring it. */
export function assignTo(context: Context, target: Pattern, fact: Fact, env: Env): void {
  switch (target.kind) {
    case 'name':
      // Module state outlives the function that writes it: other functions of the module read it later (second-order flow).
      if (isReassignedGlobal(env.module, target.name)) writeModuleState(context.heap, env, target.name, fact);
      writeVariable(env, target.name, {
        ...withSite(fact),
        taints: addTraceStep(fact.taints, env.module, target, 'is assigned to', target.name),
      });
      return;
    case 'member':
    case 'index':
      assignMember(context, target, fact, env);
      return;
    case 'default-pattern': {
      const isEmpty =
        fact.taints.length === 0 &&
        !fact.fields &&
        (!fact.value || (fact.value.kind === 'constant' && fact.value.value === undefined)) &&
        fact.name === undefined &&
        !fact.closure;
      // The default applies only if the value is absent; both are possible unless emptiness is known.
      const otherwise = factOf(context, target.value, env);
      assignTo(
        context,
        target.target,
        isEmpty ? otherwise : joinFacts(fact, { ...otherwise, value: fact.value ?? otherwise.value }),
        env,
      );
      return;
    }
    case 'dict-pattern':
      for (const entry of target.entries) {
        const key = factOf(context, entry.key, env);
        // A computed key may be any field.
        const name = key.value?.kind === 'constant' ? String(key.value.value) : '*';
        assignTo(context, entry.target, partFact(context, fact, name, env), env);
      }
      // The rest keeps all fields, also the extracted ones: a sound over-approximation.
      if (target.rest) assignTo(context, target.rest, fact, env);
      return;
    case 'list-pattern':
      target.items.forEach((item, at) => {
        if (item) assignTo(context, item, partFact(context, fact, String(at), env), env);
      });
      if (target.rest)
        assignTo(context, target.rest, { taints: fact.taints, fields: new Map([['*', elementOf(fact)]]) }, env);
      return;
    default:
  }
}

/** Writes a field of an object: under its access path, and under every other name the object has. */
function assignMember(context: Context, target: Pattern & { kind: 'member' | 'index' }, fact: Fact, env: Env): void {
  const key = keyOf(target);
  const object = factOf(context, target.object, env);
  const owner = keyOf(target.object);
  const field = key === undefined ? fieldName(context, target, env) : key.slice(key.lastIndexOf('.') + 1);
  const part = withSite(fact);
  // A setter replaces the write: the field itself may never be assigned.
  if (runSetter(context, object, field, part, env)) return;
  writeShared(context.heap, object, field, part);
  if (key !== undefined) {
    recordOwner(context.heap, key);
    writeVariable(env, key, part);
    updateAliases(context, env, sitesOf(object), field, assignField(part), owner);
  } else if (owner !== undefined) addPart(env, owner, field, part, context);
  else updateAliases(context, env, sitesOf(object), field, assignField(part));
}

/** Assigning to a property with a setter calls it. */
function runSetter(context: Context, object: Fact, field: string, fact: Fact, env: Env): boolean {
  const cls = object.value?.kind === 'object' ? object.value.cls : undefined;
  const setter = cls && findAccessor(cls, field, 'setter');
  if (setter) callSetter(context, setter, object, fact, env);
  return setter !== undefined;
}

/** Name of a computed field; `*` if it is not a constant. */
function fieldName(context: Context, target: Pattern & { kind: 'member' | 'index' }, env: Env): string {
  if (target.kind === 'member') return target.property;
  const { value } = factOf(context, target.index, env);
  return value?.kind === 'constant' ? String(value.value) : '*';
}

function partFact(context: Context, fact: Fact, name: string, env: Env): Fact {
  // Components of a parsed URL carry different proofs: checking the scheme does not fix the host.
  const known = isParsedUrl(fact.name) ? undefined : partOf(fact, name);
  if (known) return known;
  if (!fact.value && fact.name === undefined) return untaintedFact;
  // A temporary variable lets the member logic of expressions run on a value that has no syntax.
  const held = '\u0000held';
  env.vars.set(held, fact);
  const spot = { start: 0, end: 0 };
  const found = factOf(
    context,
    { kind: 'member', object: { kind: 'name', name: held, ...spot }, property: name, ...spot },
    env,
  );
  env.vars.delete(held);
  return found;
}

/** Adds a field to a collection, joined with the field already there (weak update). */
export function addPart(env: Env, owner: string, key: string, fact: Fact, context: Context): void {
  const before = withSite(withShared(context.heap, readKey(context, env, owner) ?? untaintedFact));
  const fields = new Map(before.fields);
  const old = fields.get(key);
  const part = old ? joinFacts(old, fact) : fact;
  fields.set(key, part);
  recordOwner(context.heap, owner);
  writeShared(context.heap, before, key, fact);
  writeVariable(env, owner, { ...before, fields });
  updateAliases(context, env, sitesOf(before), key, assignField(part), owner);
}

/** The same for an object without a variable: `registry.get(id).items.push(x)`. */
export function addPartTo(context: Context, object: Fact, key: string, fact: Fact, env: Env): void {
  const part = withSite(fact);
  writeShared(context.heap, object, key, part);
  updateAliases(context, env, sitesOf(object), key, (before) => (before ? joinFacts(before, part) : part));
}
