import type { Env } from './environment.js';
import type { FunctionNode } from '../../ir/nodes.js';
import { optionsOf, type Place, type Value } from '../../evaluate/values/values.js';
import { joinSites, type Site } from './sites.js';
import type { Trace } from './traces.js';
import { allSafe, anyPath, danger, proofBit } from './danger-bits.js';

export { allSafe, anyPath, danger, proofBit };

/** Source of a taint. */
export interface Origin {
  /** The tool parameter, by its name in the input schema. */
  readonly param: string;
  readonly at: Place;
}
/** One flow of a tool parameter into a value. */
export interface Taint {
  readonly origin: Origin;
  /** Steps from the source to here. */
  readonly trace: Trace | undefined;
  /** Dangers ruled out by a sanitizer or a guard. */
  readonly safe: number;
  /** Some check looked at the value, sufficient or not; used for the message and the severity. */
  readonly isChecked: boolean;
  /** The value is the parameter itself, not a longer string built from it. */
  readonly whole: boolean;
  /** The string is an entry name of an archive the caller chose (Zip Slip). */
  readonly inArchive?: boolean | undefined;
}

/** Variable a value was computed from, and the dangers for which a check of the value also proves the variable safe. */
export interface DerivedKey {
  readonly key: string;
  readonly kinds: number;
}

/** Keys that remain for a part of a value: checking a part proves nothing about the whole. */
export const withoutWholeKeys = (from: readonly DerivedKey[] | undefined): readonly DerivedKey[] | undefined =>
  from?.some(({ kinds }) => kinds === allSafe) ? from.filter(({ kinds }) => kinds !== allSafe) : from;

/** Abstract state of one value on one path: its taints, plus what is known about its content. */
export interface Fact {
  readonly taints: readonly Taint[];
  readonly value?: Value | undefined;
  /** Qualified name of an external value, `module.member` with `()` for a call result; the model tables are keyed by it. */
  readonly name?: string | undefined;
  /** Fields by key; `*` joins all fields whose key is unknown. */
  readonly fields?: ReadonlyMap<string, Fact> | undefined;
  /** Objects this value may be; absent for objects of the first pass, whose identity is their value. */
  readonly sites?: readonly Site[] | undefined;
  /** Constant prefix, or true for an unknown but untainted prefix. */
  readonly lead?: string | true | undefined;
  /** Every path that can traverse begins with a folder the code chose. */
  readonly inFolder?: boolean | undefined;
  /** File extension, where the code appends it. */
  readonly tail?: string | undefined;
  readonly from?: readonly DerivedKey[] | undefined;
  /** Normalised to an absolute path, so that a prefix check is meaningful. */
  readonly isResolved?: boolean | undefined;
  /** Symbolic links were resolved too. */
  readonly isReal?: boolean | undefined;
  /** Ends in a path separator, so that as a prefix it excludes sibling folders. */
  readonly isClosed?: boolean | undefined;
  /** Taints of the content written to this file: running the file later runs that content. */
  readonly content?: readonly Taint[] | undefined;
  readonly closure?: { readonly fn: FunctionNode; readonly env: Env } | undefined;
  /** Proofs that follow if this value is true or false. */
  readonly implies?: Implication | undefined;
}

/** Path condition: proofs on the true branch and on the false branch. */
export interface Implication {
  readonly yes: readonly Proof[];
  readonly no: readonly Proof[];
}
/** Variable `key` is safe from these dangers; zero records only that a check was made. */
export interface Proof {
  readonly key: string;
  readonly safe: number;
}

/** Name of a caller-controlled number or enum: not a string, so untainted, but not server state either. */
export const callerScalarName = '\u0000given';

export const untaintedFact: Fact = { taints: [] };
export const noImplication: Implication = { yes: [], no: [] };

/** Taints per value; further parameters are dropped, which can lose findings but bounds every join. */
const maxTaints = 6;

/** Joins taints; for the same parameter only the bits safe in all of them remain (set intersection). */
export function mergeTaints(...lists: readonly (readonly Taint[])[]): readonly Taint[] {
  // Allocation is avoided for the common case of one non-empty list: identity then also proves equality.
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
    // One taint per parameter: the lattice stays finite, so that joins reach a fixpoint.
    const at = found.findIndex((each) => each.origin.param === taint.origin.param);
    const before = found[at];
    if (before)
      found[at] = {
        // The flow that is still dangerous keeps its trace, because its path is what a finding shows.
        ...(before.safe === allSafe ? taint : before),
        // Intersection: a danger is ruled out only if it is on every path.
        safe: before.safe & taint.safe,
        isChecked: before.isChecked || taint.isChecked,
        whole: before.whole || taint.whole,
      };
    else if (found.length < maxTaints) found.push(taint);
  }
  return found;
}

/** Adds proof bits to taints. */
export const markSafe = (taints: readonly Taint[], safe: number, isChecked = false): readonly Taint[] =>
  taints.length === 0
    ? taints
    : taints.map((taint) => ({ ...taint, safe: taint.safe | safe, isChecked: taint.isChecked || isChecked }));

/** Taints that lack at least one of these proof bits. */
export const unsafeTaints = (taints: readonly Taint[], kinds: number): readonly Taint[] =>
  taints.filter((taint) => (taint.safe & kinds) !== kinds);

/** All taints of a value and its fields. */
export function taintsIn(fact: Fact, depth = 0): readonly Taint[] {
  // Objects can contain themselves; the depth bound ends the recursion.
  if (!fact.fields || depth > 4) return fact.taints;
  const lists: (readonly Taint[])[] = fact.taints.length > 0 ? [fact.taints] : [];
  for (const field of fact.fields.values()) {
    const inner = taintsIn(field, depth + 1);
    if (inner.length > 0) lists.push(inner);
  }
  return mergeTaints(...lists);
}

// By identity and not by structure: cheap, and a false negative only costs one more join.
const hasSameContent = (one: Fact, other: Fact): boolean =>
  one === other ||
  (one.taints === other.taints &&
    one.value === other.value &&
    one.fields === other.fields &&
    one.sites === other.sites &&
    one.isResolved === other.isResolved &&
    one.isReal === other.isReal &&
    one.isClosed === other.isClosed);

/** Fields below this depth are kept as on the first path. */
const maxJoinDepth = 4;

/** Join of the lattice: the state after two paths merge. `optimistic` keeps proofs of a loop body, see `joinEnvs`. */
export function joinFacts(one: Fact, other: Fact, optimistic = false, depth = 0): Fact {
  if (hasSameContent(one, other)) return one;
  // Beyond the depth the fields of the first path stay: widening that loses taints only in deeply nested data.
  const fields =
    one.fields && other.fields && depth < maxJoinDepth
      ? joinFields(one.fields, other.fields, optimistic, depth + 1)
      : (one.fields ?? other.fields);
  const taints = optimistic
    ? joinTaintsOptimistically(one.taints, other.taints)
    : mergeTaints(one.taints, other.taints);
  return {
    taints,
    fields,
    sites: joinSites(one, other),
    value: joinValues(one.value, other.value),
    name: one.name ?? other.name,
    closure: one.closure ?? other.closure,
    // An untainted path has no prefix to compare; two different tainted prefixes fix nothing.
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
    // Normalisation must hold on each tainted path; an untainted one needs none.
    isReal:
      (one.isReal === true || one.taints.length === 0) &&
      (other.isReal === true || other.taints.length === 0) &&
      (one.isReal === true || other.isReal === true),
    // `root.endsWith(sep) ? root : root + sep`: a separator added on one branch was tested for on the other.
    isClosed: one.isClosed === true || other.isClosed === true,
    isResolved:
      (one.isResolved === true || one.taints.length === 0) &&
      (other.isResolved === true || other.taints.length === 0) &&
      (one.isResolved === true || other.isResolved === true),
    content: one.content ?? other.content,
    implies: joinImplications(one, other),
    // Accepting absolute paths too means that no folder was intended as a boundary.
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

/** `ok = false` on one path and a proof on the other: if `ok` is true, the proof of the other path holds. */
function joinImplications(one: Fact, other: Fact): Implication | undefined {
  const raised = isFalse(one) ? other : isFalse(other) ? one : undefined;
  // The negation proves nothing: a false flag may also come from the path that set it.
  if (raised) return raised.implies && { yes: raised.implies.yes, no: [] };
  const [yes, also] = [one.implies?.yes, other.implies?.yes];
  const shared = yes?.filter(({ key, safe }) => also?.some((each) => each.key === key && each.safe === safe));
  return shared && shared.length > 0 ? { yes: shared, no: [] } : undefined;
}

/** Whether the tainted part of a path follows a folder and can traverse out of it. */
export const leavesFolder = (fact: Fact): boolean => isBehindFolder(fact) && canLeave(fact);

const isBarePath = (fact: Fact): boolean => !isBehindFolder(fact) && canLeave(fact);

const isBehindFolder = ({ inFolder, lead }: Fact): boolean => inFolder ?? (lead !== undefined && lead !== '');

const canLeave = (fact: Fact): boolean => taintsIn(fact).some((taint) => (taint.safe & anyPath) !== anyPath);

const isStringValue = (value: Value | undefined): boolean =>
  value?.kind === 'constant' || value?.kind === 'text' || value?.kind === 'choice';
/** Constants per choice; more are rarely a dispatch table and make each comparison slower. */
const maxOptions = 8;

/** Keeps constant strings of both paths as a choice; a value known on one path only is assumed on both. */
function joinValues(one: Value | undefined, other: Value | undefined): Value | undefined {
  if (one === other) return one;
  // A string known on one path must not stand for both: branches would be pruned by it and sinks missed.
  if (!one || !other) return isStringValue(one ?? other) ? undefined : (one ?? other);
  if (!isStringValue(one) || !isStringValue(other)) return one;
  const options = [...optionsOf(one), ...optionsOf(other)].filter(
    (each, at, list) =>
      list.findIndex(
        (same) => same === each || (same.kind === 'constant' && each.kind === 'constant' && same.value === each.value),
      ) === at,
  );
  return options.length === 1 ? options[0] : { kind: 'choice', options: options.slice(0, maxOptions) };
}

/** Assumes that a loop ran at least once, so proofs of its body survive; an empty list would have nothing to prove. */
function joinTaintsOptimistically(before: readonly Taint[], after: readonly Taint[]): readonly Taint[] {
  if (before.length === 0 && after.length === 0) return [];
  return mergeTaints(before, after).map((taint) => {
    const { param } = taint.origin;
    // Bits of either path: the loop body ran at least once, see above.
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
  depth: number,
): ReadonlyMap<string, Fact> {
  let made: Map<string, Fact> | undefined;
  for (const [key, field] of other) {
    const before = one.get(key);
    const joined = before ? joinFacts(before, field, optimistic, depth) : field;
    // Returning the identical map lets `hasSameContent` end later joins early.
    if (joined === before) continue;
    // Unchanged fields stay shared: objects that refer to each other would otherwise be copied along every path.
    made ??= new Map(one);
    made.set(key, joined);
  }
  return made ?? one;
}
