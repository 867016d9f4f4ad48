import { callBlind, original } from '../evaluate/functions.js';
import { itemsOf } from '../evaluate/iterate.js';
import { maybe, type Machine } from '../evaluate/machine.js';
import { memberOf } from '../evaluate/members.js';
import { constant, isVoid, object, optionsOf, solid, type FunctionValue, type Value } from '../evaluate/values.js';
import type { Findings, Listing } from './registrations.js';

const keys = { tool: 'tools', resource: 'resources', template: 'resourceTemplates', prompt: 'prompts' } as const;
const words = { tool: 'tool', resource: 'resource', template: 'resource', prompt: 'prompt' } as const;

/** Runs what answers a list request and registers each definition in the answer; what stays unknown is said. */
export function readListings(machine: Machine, findings: Findings): void {
  for (const listing of findings.listings.splice(0)) {
    const answers = optionsOf(listing.handler).flatMap((each) =>
      each.kind === 'function' ? [maybe(machine, () => callBlind(machine, each))] : [],
    );
    if (answers.length === 0) unsolved(findings, listing, 'the function that lists them is not known');
    for (const answer of answers.flatMap((each) => optionsOf(solid(each))))
      readAnswer(machine, findings, listing, answer);
  }
}

function unsolved(findings: Findings, { kind, at }: Listing, reason: string): void {
  findings.unresolved.push({ kind: words[kind], reason, at });
}

function readAnswer(machine: Machine, findings: Findings, listing: Listing, answer: Value): void {
  const key = keys[listing.kind];
  const inside = solid(
    answer.kind === 'list'
      ? answer
      : answer.kind === 'result' && answer.args.positional[0]?.kind === 'list'
        ? answer.args.positional[0]
        : memberOf(machine, answer, key),
  );
  const { items, open } = itemsOf(machine, inside, 'values');
  if (isVoid(answer) && answer.kind === 'constant') return;
  for (const item of items)
    for (const each of optionsOf(solid(item)))
      if (!(each.kind === 'constant')) addItem(machine, findings, listing, each);
  if (
    open ||
    inside.kind === 'unknown' ||
    inside.kind === 'external' ||
    (inside.kind === 'result' && items.length === 0)
  )
    unsolved(findings, listing, 'the list is not fully known before the server runs');
}

const present = (given: Value): Value | undefined => {
  const value = solid(given);
  return value.kind === 'unknown' ||
    (value.kind === 'constant' && (value.value === undefined || value.value === null)) ||
    (value.kind === 'result' && value.method.startsWith('.'))
    ? undefined
    : value;
};

interface Wrapped {
  readonly fn: FunctionValue;
  readonly by: string;
  readonly description?: Value | undefined;
}

/** A definition that something outside makes of one function of the project (`convert(FunctionTool(fn))`) is named after it. */
function wrappedIn(item: Value, depth = 0): Wrapped | undefined {
  if (item.kind !== 'result' || depth > 3) return undefined;
  const [first] = item.args.positional;
  if (item.args.positional.length !== 1 || first === undefined) return undefined;
  const own = { by: item.method, description: item.props.get('description') ?? item.args.named.get('description') };
  const inner =
    first.kind === 'function' ? { fn: original(first) ?? first, by: item.method } : wrappedIn(first, depth + 1);
  return inner && { ...inner, ...own, description: own.description ?? inner.description };
}

function addItem(machine: Machine, findings: Findings, listing: Listing, item: Value): void {
  if (item.kind !== 'object' && item.kind !== 'result') {
    unsolved(findings, listing, 'a definition in the list is not known');
    return;
  }
  const field = (...names: string[]): Value | undefined => {
    for (const name of names) {
      const found = present(memberOf(machine, item, name));
      if (found) return found;
    }
    return undefined;
  };
  const name = field('name');
  const wrapped = name ? undefined : wrappedIn(item);
  if (wrapped) {
    findings.registrations.push({
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
  const answers = findings.dispatchers.filter((each) => each.kind === words[listing.kind]);
  const dispatcher = answers.find((each) => each.server === listing.server) ?? answers[0];
  const handler: FunctionValue | undefined = dispatcher?.handler;
  findings.registrations.push({
    kind: listing.kind,
    server: listing.server,
    name,
    title: field('title'),
    description: field('description'),
    uri: field('uri', 'uriTemplate'),
    schema: field('inputSchema', 'input_schema', 'arguments') ?? object(),
    handler,
    decorators: [],
    at: (item.kind === 'result' ? item.at : item.at) ?? listing.at,
  });
}
