import { taintsIn } from '../facts/facts.js';
import type { CallSite, Hit } from '../models/sinks.js';
import { hasTransferModel, isModelled, isOfPackage } from '../models/models.js';

const methodKinds = ['builtin-method', 'text-method', 'inspecting-method'] as const;

/** Objects that a dependency-injection container supplies: the container is a library, what it returns is project code. */
const isContainerResult = (name: string): boolean => name.includes('()') && isOfPackage('container', name);
/** An item of a collection whose content is unknown: `tools.get(name).handler(args)`. */
const collectionItem = /^(?:get|find|at|pop|shift|next)\(\)(?:\.|$)/;
/** A module of the project that is not in the scanned tree. */
const missingModule = /^\.{1,2}\//;

/**
 * A call whose callee could not be resolved to project code, to a library or to a built-in: a function taken from a table, a
 * method of an object that dependency injection supplies. The caller's data may reach any sink behind it.
 */
export function unfollowedHit(call: CallSite, hasCallback: boolean): Hit | undefined {
  // With a callback the data was followed into project code already.
  const what = hasCallback ? undefined : unresolvedCallee(call);
  if (what === undefined) return undefined;
  const facts = [...call.args, ...call.named.values()];
  return facts.length === 0 ? undefined : { rule: 'unfollowed', facts, what };
}

/** How reports name the callee; undefined if it is known, or hides no project code. */
function unresolvedCallee({ name, receiver }: CallSite): string | undefined {
  if (missingModule.test(name) || collectionItem.test(name) || isContainerResult(name)) return name;
  if (!name.startsWith('?.')) return undefined;
  const path = name.slice(2);
  if (path === '') return 'a function chosen at run time';
  const method = path.slice(path.lastIndexOf('.') + 1);
  // Built-in methods of strings and lists hide no project code.
  if (methodKinds.some((kind) => isModelled(kind, method))) return undefined;
  if (hasTransferModel(path) || isModelled('propagator', path)) return undefined;
  // A method of the caller's own value is a string or list operation.
  return receiver && taintsIn(receiver).length > 0 ? undefined : path;
}
