import { elementOf } from './combine.js';
import type { Pattern } from '../ir/nodes.js';
import { factOf } from './expressions.js';
import { partOf, readKey, type Context } from './context.js';
import { keyOf, write, type Env } from './environment.js';
import { joinFacts, nothingKnown, type Fact } from './facts.js';
import { through } from './traces.js';
import { isParsedUrl } from './transfer-names.js';

/** Binds what a pattern names to what is known of a value. */
export function assignTo(context: Context, target: Pattern, fact: Fact, env: Env): void {
  switch (target.kind) {
    case 'name':
      write(env, target.name, {
        ...fact,
        taints: through(fact.taints, env.module, target, 'is kept in', target.name),
      });
      return;
    case 'member':
    case 'index': {
      const key = keyOf(target);
      if (key !== undefined) {
        write(env, key, fact);
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
  // The parts of an address say different things: its scheme does not say where it leads.
  const known = isParsedUrl(fact.name) ? undefined : partOf(fact, name);
  if (known) return known;
  if (!fact.value && fact.name === undefined) return nothingKnown;
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

/** Adds a part of unknown place to a collection. */
export function addPart(env: Env, owner: string, key: string, fact: Fact, context: Context): void {
  const before = readKey(context, env, owner) ?? nothingKnown;
  const fields = new Map(before.fields);
  const old = fields.get(key);
  fields.set(key, old ? joinFacts(old, fact) : fact);
  write(env, owner, { ...before, fields });
}
