import { elementOf } from '../facts/combine.js';
import type { Pattern } from '../../ir/nodes.js';
import { factOf } from './expressions.js';
import { partOf, readKey, type Context } from './context.js';
import { keyOf, writeVariable, type Env } from '../facts/environment.js';
import { joinFacts, untaintedFact, type Fact } from '../facts/facts.js';
import { isModuleVariable, recordOwner, rootOf, writeModuleState } from '../facts/heap.js';
import { addTraceStep } from '../facts/traces.js';
import { isReassignedGlobal } from './mutable-globals.js';
import { isParsedUrl } from '../models/transfer-tables.js';

/** Assigns a fact to a pattern, destructuring it. */
export function assignTo(context: Context, target: Pattern, fact: Fact, env: Env): void {
  switch (target.kind) {
    case 'name':
      if (isReassignedGlobal(env.module, target.name)) writeModuleState(context.heap, env, target.name, fact);
      writeVariable(env, target.name, {
        ...fact,
        taints: addTraceStep(fact.taints, env.module, target, 'is assigned to', target.name),
      });
      return;
    case 'member':
    case 'index': {
      const key = keyOf(target);
      if (key !== undefined) {
        recordOwner(context.heap, key);
        if (isModuleVariable(env, rootOf(key))) writeModuleState(context.heap, env, key, fact);
        writeVariable(env, key, fact);
        return;
      }
      const owner = keyOf(target.object);
      if (owner !== undefined) addPart(env, owner, '*', fact, context);
      return;
    }
    case 'default-pattern': {
      const isEmpty =
        fact.taints.length === 0 &&
        !fact.fields &&
        (!fact.value || (fact.value.kind === 'constant' && fact.value.value === undefined)) &&
        fact.name === undefined &&
        !fact.closure;
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
        const name = key.value?.kind === 'constant' ? String(key.value.value) : '*';
        assignTo(context, entry.target, partFact(context, fact, name, env), env);
      }
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

function partFact(context: Context, fact: Fact, name: string, env: Env): Fact {
  // Components of a parsed URL carry different proofs: checking the scheme does not fix the host.
  const known = isParsedUrl(fact.name) ? undefined : partOf(fact, name);
  if (known) return known;
  if (!fact.value && fact.name === undefined) return untaintedFact;
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
  const before = readKey(context, env, owner) ?? untaintedFact;
  const fields = new Map(before.fields);
  const old = fields.get(key);
  fields.set(key, old ? joinFacts(old, fact) : fact);
  if (isModuleVariable(env, rootOf(owner))) writeModuleState(context.heap, env, `${owner}.${key}`, fact);
  writeVariable(env, owner, { ...before, fields });
}
