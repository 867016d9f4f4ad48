import type { Env } from './environment.js';
import type { FunctionNode } from '../ir/nodes.js';
import { optionsOf, type Place, type Value } from '../evaluate/values.js';
import type { Trace } from './traces.js';

/** What a tainted value can do harm with; each is one bit, so that a check can vouch for several at once. */
export const danger = {
  command: 1 << 0,
  code: 1 << 1,
  /** Climbing out of a folder by `..`. */
  pathUp: 1 << 2,
  /** Leaving a folder by being absolute. */
  pathAbsolute: 1 << 3,
  url: 1 << 4,
  sql: 1 << 5,
  deserialise: 1 << 6,
  template: 1 << 7,
  query: 1 << 8,
  module: 1 << 9,
  archive: 1 << 10,
  description: 1 << 11,
  /** Being taken for an option by beginning with a dash. */
  argument: 1 << 12,
} as const;

/** What is known of a text beside the dangers that it is free of; kept in the same bits, so that it lives and dies with them. */
export const known = {
  /** Held to a folder, or held to one unless the server was told to let any path through. */
  byMode: 1 << 13,
  /** Begins as the folder does, so that only neighbours of that name are left: `/srv/data-old` beside `/srv/data`. */
  prefixed: 1 << 16,
  /** Held to a folder by its spelling. */
  spelled: 1 << 17,
  /** Held to a folder after links were followed. */
  followed: 1 << 18,
  /** Marks that cannot end a quoted text: doubled, escaped or gone. */
  single: 1 << 19,
  double: 1 << 20,
  backtick: 1 << 21,
  /** A dollar sign or back-tick starts nothing in a shell. */
  dollar: 1 << 22,
  /** A backslash is only a backslash. */
  backslash: 1 << 23,
  /** Looked at for a dash at its front: options are refused by name, others pass. */
  screened: 1 << 24,
} as const;

/** Both ways out of a folder. */
export const anyPath = danger.pathUp | danger.pathAbsolute;
/** Every danger at once: the value is one of a fixed set, or no text at all. */
export const all = (1 << 25) - 1;

export interface Origin {
  /** The parameter as the caller names it. */
  readonly param: string;
  readonly at: Place;
}
/** One way by which a caller's text reached a value. */
export interface Taint {
  readonly origin: Origin;
  /** The way that it took from there. */
  readonly trace: Trace | undefined;
  /** The dangers that a check or an encoding has already ruled out. */
  readonly safe: number;
  /** Something in the code tried to judge the value, well or badly. */
  readonly judged: boolean;
  /** The value is the parameter itself, not a part of a longer text. */
  readonly whole: boolean;
  /** The text is the name of something inside an archive that the caller chose. */
  readonly inArchive?: boolean | undefined;
}

/** A name that a value was computed from, and the dangers for which a check on the value speaks for that name too. */
export interface Derived {
  readonly key: string;
  readonly kinds: number;
}

/** What a part of a value was computed from: a check of a part says nothing of the whole. */
export const fromWhole = (from: readonly Derived[] | undefined): readonly Derived[] | undefined =>
  from?.some(({ kinds }) => kinds === all) ? from.filter(({ kinds }) => kinds !== all) : from;

/** What is known of a value on one path through a function. */
export interface Fact {
  readonly taints: readonly Taint[];
  readonly value?: Value | undefined;
  /** The outside thing this is, spelled `module.member` with `()` where it was called. */
  readonly name?: string | undefined;
  /** Parts by key; `*` stands for parts that have no known key. */
  readonly fields?: ReadonlyMap<string, Fact> | undefined;
  /** Known text at the front, or true where unknown but untainted text stands there. */
  readonly lead?: string | true | undefined;
  /** A folder that is not the caller's stands before a part that can leave it, on every path that leaves at all. */
  readonly inFolder?: boolean | undefined;
  /** The ending of a file's name, where the code gives it and not the caller. */
  readonly tail?: string | undefined;
  readonly from?: readonly Derived[] | undefined;
  /** Made canonical, so that a prefix check means something. */
  readonly isResolved?: boolean | undefined;
  /** Links were followed too. */
  readonly isReal?: boolean | undefined;
  /** Ends in a separator of paths, so that as a prefix it is a folder and nothing beside it. */
  readonly isClosed?: boolean | undefined;
  /** Text given by the caller was written into this file. */
  readonly content?: readonly Taint[] | undefined;
  readonly closure?: { readonly fn: FunctionNode; readonly env: Env } | undefined;
  /** What a true or a false answer says about the arguments it was computed from. */
  readonly implies?: Implied | undefined;
}

/** What is known of names when a condition holds, and when it does not. */
export interface Implied {
  readonly yes: readonly Vouch[];
  readonly no: readonly Vouch[];
}
/** A name is safe from these dangers; zero only says that somebody looked. */
export interface Vouch {
  readonly key: string;
  readonly safe: number;
}

/** The name of a number or a choice that the caller gives: no text of theirs, and still not the server's. */
export const givenName = '\u0000given';

export const nothingKnown: Fact = { taints: [] };
export const noImplied: Implied = { yes: [], no: [] };

const maxTaints = 6;

/** Taints of several values together; where one origin comes twice, only what is safe both times stays safe. */
export function mergeTaints(...lists: readonly (readonly Taint[])[]): readonly Taint[] {
  let only: readonly Taint[] | undefined;
  let found: Taint[] | undefined;
  for (const list of lists) {
    if (list.length === 0) continue;
    if (only === undefined) only = list;
    else {
      found ??= addTaints([], only);
      addTaints(found, list);
    }
  }
  return found ?? only ?? [];
}

function addTaints(found: Taint[], list: readonly Taint[]): Taint[] {
  for (const taint of list) {
    const at = found.findIndex((each) => each.origin.param === taint.origin.param);
    const before = found[at];
    if (before)
      found[at] = {
        ...(before.safe === all ? taint : before),
        safe: before.safe & taint.safe,
        judged: before.judged || taint.judged,
        whole: before.whole || taint.whole,
      };
    else if (found.length < maxTaints) found.push(taint);
  }
  return found;
}

/** Marks taints as safe from more dangers. */
export const vouchFor = (taints: readonly Taint[], safe: number, judged = false): readonly Taint[] =>
  taints.length === 0
    ? taints
    : taints.map((taint) => ({ ...taint, safe: taint.safe | safe, judged: taint.judged || judged }));

/** The taints that are still dangerous in one of these ways. */
export const unsafe = (taints: readonly Taint[], kinds: number): readonly Taint[] =>
  taints.filter((taint) => (taint.safe & kinds) !== kinds);

/** Every taint of a value and of its parts. */
export function taintsIn(fact: Fact, depth = 0): readonly Taint[] {
  if (!fact.fields || depth > 4) return fact.taints;
  const lists: (readonly Taint[])[] = fact.taints.length > 0 ? [fact.taints] : [];
  for (const field of fact.fields.values()) {
    const inner = taintsIn(field, depth + 1);
    if (inner.length > 0) lists.push(inner);
  }
  return mergeTaints(...lists);
}

const isSame = (one: Fact, other: Fact): boolean =>
  one === other ||
  (one.taints === other.taints &&
    one.value === other.value &&
    one.fields === other.fields &&
    one.isResolved === other.isResolved &&
    one.isReal === other.isReal &&
    one.isClosed === other.isClosed);

/** What is known after two paths meet. */
export function joinFacts(one: Fact, other: Fact, optimistic = false): Fact {
  if (isSame(one, other)) return one;
  const fields =
    one.fields && other.fields ? joinFields(one.fields, other.fields, optimistic) : (one.fields ?? other.fields);
  const taints = optimistic ? hopeful(one.taints, other.taints) : mergeTaints(one.taints, other.taints);
  return {
    taints,
    fields,
    value: joinValues(one.value, other.value),
    name: one.name ?? other.name,
    closure: one.closure ?? other.closure,
    lead:
      one.lead === other.lead
        ? one.lead
        : one.taints.length === 0
          ? other.lead
          : other.taints.length === 0
            ? one.lead
            : undefined,
    from:
      one.from && other.from
        ? [...one.from, ...other.from.filter((each) => !one.from?.some((same) => same.key === each.key))]
        : (one.from ?? other.from),
    isReal:
      (one.isReal === true || one.taints.length === 0) &&
      (other.isReal === true || other.taints.length === 0) &&
      (one.isReal === true || other.isReal === true),
    // `root.endsWith(sep) ? root : root + sep`: whoever adds it on one way has looked on the other.
    isClosed: one.isClosed === true || other.isClosed === true,
    isResolved:
      (one.isResolved === true || one.taints.length === 0) &&
      (other.isResolved === true || other.taints.length === 0) &&
      (one.isResolved === true || other.isResolved === true),
    content: one.content ?? other.content,
    implies: joinImplied(one, other),
    // Where whole paths are taken as well, no folder is meant.
    inFolder: (leavesFolder(one) || leavesFolder(other)) && !isBarePath(one) && !isBarePath(other),
    tail:
      one.tail === other.tail || other.taints.length === 0
        ? one.tail
        : one.taints.length === 0
          ? other.tail
          : undefined,
  };
}

const isFalse = ({ value }: Fact): boolean => value?.kind === 'constant' && value.value === false;

/** A flag that is lowered on one way and raised on the other proves, where it is up, what the other way proved. */
function joinImplied(one: Fact, other: Fact): Implied | undefined {
  const raised = isFalse(one) ? other : isFalse(other) ? one : undefined;
  if (raised) return raised.implies && { yes: raised.implies.yes, no: [] };
  const [yes, also] = [one.implies?.yes, other.implies?.yes];
  const shared = yes?.filter(({ key, safe }) => also?.some((each) => each.key === key && each.safe === safe));
  return shared && shared.length > 0 ? { yes: shared, no: [] } : undefined;
}

/** Whether the caller's part of a path stands behind a folder and can leave it. */
export const leavesFolder = (fact: Fact): boolean => isBehindFolder(fact) && canLeave(fact);

const isBarePath = (fact: Fact): boolean => !isBehindFolder(fact) && canLeave(fact);

const isBehindFolder = ({ inFolder, lead }: Fact): boolean => inFolder ?? (lead !== undefined && lead !== '');

const canLeave = (fact: Fact): boolean => taintsIn(fact).some((taint) => (taint.safe & anyPath) !== anyPath);

const isText = (value: Value | undefined): boolean =>
  value?.kind === 'constant' || value?.kind === 'text' || value?.kind === 'choice';
const maxOptions = 8;

/** Known texts of two paths are both kept; a thing that only one path knows is believed to be that thing. */
function joinValues(one: Value | undefined, other: Value | undefined): Value | undefined {
  if (one === other) return one;
  if (!one || !other) return isText(one ?? other) ? undefined : (one ?? other);
  if (!isText(one) || !isText(other)) return one;
  const options = [...optionsOf(one), ...optionsOf(other)].filter(
    (each, at, list) =>
      list.findIndex(
        (same) => same === each || (same.kind === 'constant' && each.kind === 'constant' && same.value === each.value),
      ) === at,
  );
  return options.length === 1 ? options[0] : { kind: 'choice', options: options.slice(0, maxOptions) };
}

/** A loop that checks every item is believed to have had items: what its body vouched for stays. */
function hopeful(before: readonly Taint[], after: readonly Taint[]): readonly Taint[] {
  if (before.length === 0 && after.length === 0) return [];
  return mergeTaints(before, after).map((taint) => {
    const { param } = taint.origin;
    return { ...taint, safe: Math.max(taint.safe, safeSomewhere(before, param) | safeSomewhere(after, param)) };
  });
}

function safeSomewhere(taints: readonly Taint[], param: string): number {
  let safe = 0;
  for (const taint of taints) if (taint.origin.param === param) safe |= taint.safe;
  return safe;
}

function joinFields(
  one: ReadonlyMap<string, Fact>,
  other: ReadonlyMap<string, Fact>,
  optimistic: boolean,
): ReadonlyMap<string, Fact> {
  const made = new Map(one);
  for (const [key, field] of other) {
    const before = made.get(key);
    made.set(key, before ? joinFacts(before, field, optimistic) : field);
  }
  return made;
}
