import { elementOf, constantText, plainConstant } from '../facts/combine.js';
import type { Call } from '../../ir/nodes.js';
import { memberOf } from '../../evaluate/values/members.js';
import { addPart, addPartTo } from '../interpreter/assign.js';
import { partOf, readKey, type Context } from '../interpreter/context.js';
import { tableEntry } from '../interpreter/table-lookups.js';
import { keyOf, writeVariable, type Env } from '../facts/environment.js';
import { joinFacts, mergeTaints, taintsIn, untaintedFact, type Fact } from '../facts/facts.js';
import { withSite } from '../facts/sites.js';
import type { CallArgs } from './functions.js';

/** A method of a project class, whatever its name: `t.add(x)` of an instance is not the `add` of a set. */
const isOwnMethod = (context: Context, { value }: Fact, method: string): boolean =>
  value?.kind === 'object' && value.cls !== undefined && memberOf(context.machine, value, method).kind === 'function';

const isQueue = ({ name, fields }: Fact): boolean => fields !== undefined && name?.endsWith('Queue()') === true;

/** Methods that mutate their receiver: lists grow, files are written. */
export function mutateReceiver(
  context: Context,
  expr: Call,
  method: string,
  receiver: Fact,
  given: CallArgs,
  env: Env,
): Fact | undefined {
  const key = expr.callee.kind === 'member' ? keyOf(expr.callee.object) : undefined;
  // Project methods are analysed as code; the names below are those of built-in collections.
  if (isOwnMethod(context, receiver, method)) return undefined;
  const [first] = given.positional;
  const add = (name: string, fact: Fact): void =>
    key === undefined ? addPartTo(context, receiver, name, fact, env) : addPart(env, key, name, fact, context);
  if (
    (/^(?:append|push|add|unshift|insert|appendleft)$/.test(method) ||
      (/^put(?:_nowait)?$/.test(method) && isQueue(receiver))) &&
    !receiver.closure &&
    // A member of an external object is not a list: `repo.index.add` stages files.
    !/\(\)\.\w/.test(receiver.name ?? '') &&
    receiver.value?.kind !== 'function'
  ) {
    // Positions stay exact while all of them are known: item 0 of a command list is the program.
    const list =
      receiver.fields && !receiver.fields.has('*') && /^(?:append|push)$/.test(method)
        ? String(receiver.fields.size)
        : '*';
    let at = Number(list);
    for (const fact of given.positional) add(list === '*' ? '*' : String(at++), fact);
    return taintsIn(receiver).length > 0 ||
      given.positional.some((fact) => taintsIn(fact).length > 0) ||
      receiver.fields
      ? untaintedFact
      : undefined;
  }
  if (method === 'extend' && first) {
    // Both orders known: positions continue; otherwise everything is joined under `*`.
    const isOrdered = receiver.fields && first.fields && !receiver.fields.has('*') && !first.fields.has('*');
    let at = receiver.fields?.size ?? 0;
    if (isOrdered) for (const fact of first.fields?.values() ?? []) add(String(at++), fact);
    else add('*', elementOf(first));
    return untaintedFact;
  }
  if (/^(?:update|set|setdefault)$/.test(method) && first && receiver.fields) {
    if (method === 'update') for (const [name, fact] of [...(first.fields ?? []), ...given.named]) add(name, fact);
    else if (given.positional[1]) {
      const name = constantText(first) ?? '*';
      const [held, part] = [partOf(receiver, name), withSite(given.positional[1])];
      add(name, part);
      // `setdefault` returns what the dict holds, so that writing into the result writes into the dict.
      if (method === 'setdefault') return held ? joinFacts(held, part) : part;
    }
    return undefined;
  }
  // Content belongs to the file and to every path that refers to it (second-order injection).
  if (key !== undefined && /^(?:write|writelines)$/.test(method) && first && taintsIn(first).length > 0) {
    const file = readKey(context, env, key) ?? untaintedFact;
    for (const each of [key, ...(file.from ?? []).map((from) => from.key)]) {
      const held = readKey(context, env, each) ?? untaintedFact;
      writeVariable(env, each, { ...held, content: mergeTaints(held.content ?? [], taintsIn(first)) });
    }
  }
  if (/^get(?:_nowait)?$/.test(method) && isQueue(receiver)) return elementOf(receiver);
  if (method === 'get' && first && (receiver.fields || receiver.taints.length > 0)) {
    const name = constantText(first);
    const part = name === undefined ? elementOf(receiver) : partOf(receiver, name);
    const otherwise = given.positional[1];
    // A key that is certainly present makes the default irrelevant.
    if (name !== undefined && part && part === receiver.fields?.get(name) && plainConstant(part)) return part;
    return part && otherwise ? joinFacts(part, otherwise) : (part ?? otherwise ?? untaintedFact);
  }
  return method === 'get' && first ? lookupOrDefault(receiver, first, given.positional[1]) : undefined;
}

/** Entry of a constant table; a key that is not constant may be missing, so `TABLE.get(key) or key` keeps both. */
function possibleEntry(table: Fact, key: Fact): Fact | undefined {
  const entry = tableEntry(table, key);
  if (entry?.value?.kind !== 'constant' || constantText(key) !== undefined) return entry;
  return { ...entry, value: { kind: 'choice', options: [entry.value, { kind: 'constant', value: null }] } };
}

/** `TABLE.get(key, otherwise)`: an entry of the table, or the default. */
function lookupOrDefault(table: Fact, key: Fact, otherwise: Fact | undefined): Fact | undefined {
  const entry = possibleEntry(table, key);
  if (otherwise === undefined || taintsIn(otherwise).length === 0) return entry;
  return entry ? joinFacts(entry, otherwise) : otherwise;
}
