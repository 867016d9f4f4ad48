import { taintsIn } from '../facts/facts.js';
import type { CallSite, Hit } from '../models/sinks.js';
import { hasTransferModel, nonTextMethods, propagators, textPreservingMethods } from '../models/transfer-tables.js';

/** Methods of built-in strings, collections, streams and promises; a call of one on an unknown receiver hides no code. */
const builtinMethods = new Set(
  (
    'append appendleft extend insert add push unshift pop shift splice slice concat join split rsplit partition rpartition ' +
    'replace replaceAll sub subn match matchAll findall finditer fullmatch map flatMap filter reduce forEach some every ' +
    'find findIndex sort sorted reverse keys values items entries get set has delete clear update setdefault copy fill at ' +
    'then catch finally toFixed toISOString toJSON toLocaleString padStart padEnd repeat substring substr charAt format ' +
    'format_map zfill ljust rjust center encode decode isoformat strftime json text log info warn warning error debug ' +
    'exception critical trace emit write end send_log_message assign freeze bind call apply safeParse parse parseAsync ' +
    'model_dump model_validate dict put put_nowait discard remove union intersection difference isSubsetOf result ' +
    'with_suffix joinpath absolute resolve relative_to is_relative_to expanduser samefile equals toEqual setTimeout'
  ).split(/\s+/),
);

/** Objects that a dependency-injection container supplies: the container is a library, what it returns is project code. */
const containerResult =
  /^(?:tsyringe|inversify|awilix|typedi|@nestjs\/core|bottlejs|injection-js|dependency_injector|injector|punq|lagom)\b.*\(\)/;
/** An item of a collection whose content is unknown: `tools.get(name).handler(args)`. */
const collectionItem = /^(?:get|find|at|pop|shift|next)\(\)(?:\.|$)/;
/** A module of the project that is not in the scanned tree. */
const missingModule = /^\.{1,2}\//;

/**
 * A call whose callee could not be resolved to project code, to a library or to a built-in: a function taken from a table, a
 * method of an object that dependency injection supplies. The caller's data may reach any sink behind it.
 */
export function unfollowedHit(call: CallSite, hasCallback: boolean): Hit | undefined {
  const what = hasCallback ? undefined : unresolvedCallee(call);
  if (what === undefined) return undefined;
  const facts = [...call.args, ...call.named.values()];
  return facts.length === 0 ? undefined : { rule: 'unfollowed', facts, what };
}

/** How reports name the callee; undefined if it is known, or hides no project code. */
function unresolvedCallee({ name, receiver }: CallSite): string | undefined {
  if (missingModule.test(name) || collectionItem.test(name) || containerResult.test(name)) return name;
  if (!name.startsWith('?.')) return undefined;
  const path = name.slice(2);
  if (path === '') return 'a function chosen at run time';
  const method = path.slice(path.lastIndexOf('.') + 1);
  if (builtinMethods.has(method) || textPreservingMethods.has(method) || nonTextMethods.has(method)) return undefined;
  if (hasTransferModel(path) || propagators.test(path)) return undefined;
  // A method of the caller's own value is a string or list operation.
  return receiver && taintsIn(receiver).length > 0 ? undefined : path;
}
