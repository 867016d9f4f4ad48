import { callWithUnknownArgs, unwrapDecorators } from '../evaluate/calls/functions.js';
import { itemsOf } from '../evaluate/values/items.js';
import { runUncertain, type Machine } from '../evaluate/interpreter/abstract-machine.js';
import { memberOf } from '../evaluate/values/members.js';
import {
  constant,
  isVoid,
  object,
  optionsOf,
  soleOption,
  type FunctionValue,
  type Value,
} from '../evaluate/values/values.js';
import type { Discoveries, Listing } from './registrations.js';

/** Field of the result that holds the items, by kind. */
const listKeys = { tool: 'tools', resource: 'resources', template: 'resourceTemplates', prompt: 'prompts' } as const;
/** Kind in reports: templates are resources. */
const kindNames = { tool: 'tool', resource: 'resource', template: 'resource', prompt: 'prompt' } as const;

/** Evaluates list request handlers and registers each definition in their results; reports unknown parts as unresolved. */
export function readListings(machine: Machine, discoveries: Discoveries): void {
  // Taken out of the list, because evaluating a handler may discover further listings.
  for (const listing of discoveries.listings.splice(0)) {
    const answers = optionsOf(listing.handler).flatMap((each) =>
      each.kind === 'function' ? [runUncertain(machine, () => callWithUnknownArgs(machine, each))] : [],
    );
    // An unknown handler may list anything.
    if (answers.length === 0) addUnresolved(discoveries, listing, 'the function that lists them is unknown');
    for (const answer of answers.flatMap((each) => optionsOf(soleOption(each))))
      readAnswer(machine, discoveries, listing, answer);
  }
}

/** Reports a listing that could not be read. */
function addUnresolved(discoveries: Discoveries, { kind, at }: Listing, reason: string): void {
  discoveries.unresolved.push({ kind: kindNames[kind], reason, at });
}

/** Registers the items of one possible answer. */
function readAnswer(machine: Machine, discoveries: Discoveries, listing: Listing, answer: Value): void {
  const key = listKeys[listing.kind];
  // SDKs accept the list itself, a result object built from it, or an object with the field.
  const inside = soleOption(
    answer.kind === 'list'
      ? answer
      : answer.kind === 'result' && answer.args.positional[0]?.kind === 'list'
        ? answer.args.positional[0]
        : memberOf(machine, answer, key),
  );
  const { items, open } = itemsOf(machine, inside, 'values');
  if (isVoid(answer) && answer.kind === 'constant') return;
  for (const item of items)
    for (const each of optionsOf(soleOption(item)))
      if (!(each.kind === 'constant')) addItem(machine, discoveries, listing, each);
  // Anything that is not a closed list may hold further items.
  if (
    open ||
    inside.kind === 'unknown' ||
    inside.kind === 'external' ||
    (inside.kind === 'result' && items.length === 0)
  )
    addUnresolved(discoveries, listing, 'the list is not completely known before run time');
}

/** A value that is known to be set; undefined and unknown members are left out. */
const definedValue = (given: Value): Value | undefined => {
  const value = soleOption(given);
  return value.kind === 'unknown' ||
    (value.kind === 'constant' && (value.value === undefined || value.value === null)) ||
    (value.kind === 'result' && value.method.startsWith('.'))
    ? undefined
    : value;
};

/** A function of the project inside of a library's definition. */
interface WrappedFunction {
  readonly fn: FunctionValue;
  readonly by: string;
  readonly description?: Value | undefined;
}

/** A definition that an external library builds from one function of the project (`convert(FunctionTool(fn))`) has the name of the function. */
function findWrapped(item: Value, depth = 0): WrappedFunction | undefined {
  // Bounded: wrappers nest a few levels at most.
  if (item.kind !== 'result' || depth > 3) return undefined;
  const [first] = item.args.positional;
  if (item.args.positional.length !== 1 || first === undefined) return undefined;
  const own = { by: item.method, description: item.props.get('description') ?? item.args.named.get('description') };
  const inner =
    first.kind === 'function'
      ? { fn: unwrapDecorators(first) ?? first, by: item.method }
      : findWrapped(first, depth + 1);
  return inner && { ...inner, ...own, description: own.description ?? inner.description };
}

/** Registers one item, with the dispatcher that handles calls of it. */
function addItem(machine: Machine, discoveries: Discoveries, listing: Listing, item: Value): void {
  if (item.kind !== 'object' && item.kind !== 'result') {
    addUnresolved(discoveries, listing, 'a definition in the list is unknown');
    return;
  }
  const field = (...names: string[]): Value | undefined => {
    for (const name of names) {
      const found = definedValue(memberOf(machine, item, name));
      if (found) return found;
    }
    return undefined;
  };
  const name = field('name');
  const wrapped = name ? undefined : findWrapped(item);
  if (wrapped) {
    discoveries.registrations.push({
      kind: listing.kind,
      server: listing.server,
      name: constant(wrapped.fn.fn.name),
      description: wrapped.description,
      handler: wrapped.fn,
      decorators: [wrapped.by],
      at: listing.at,
    });
    return;
  }
  const answers = discoveries.dispatchers.filter((each) => each.kind === kindNames[listing.kind]);
  // A server usually has one dispatcher; another server's one is better than none.
  const dispatcher = answers.find((each) => each.server === listing.server) ?? answers[0];
  const handler: FunctionValue | undefined = dispatcher?.handler;
  discoveries.registrations.push({
    kind: listing.kind,
    server: listing.server,
    name,
    title: field('title'),
    description: field('description'),
    uri: field('uri', 'uriTemplate'),
    schema: field('inputSchema', 'input_schema', 'arguments') ?? object(),
    handler,
    decorators: [],
    at: item.at ?? listing.at,
  });
}
