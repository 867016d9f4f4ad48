import type { Expr, FunctionNode, Module, Stmt } from '../../ir/nodes.js';
import { walk } from '../../ir/walk.js';
import type { Machine } from '../../evaluate/interpreter/abstract-machine.js';
import { resolveLink } from '../../evaluate/modules/modules.js';
import { lookup } from '../../evaluate/values/scope.js';
import type { Place, Value } from '../../evaluate/values/values.js';
import { hasSideEffects } from '../models/side-effects.js';
import { isMutableGlobal } from './mutable-globals.js';
import { readVariable, type Env } from '../facts/environment.js';
import { readModuleState, withParts, withShared, type Heap } from '../facts/heap.js';
import {
  mergeTaints,
  withoutWholeKeys,
  untaintedFact,
  type Fact,
  type Implication,
  type Taint,
} from '../facts/facts.js';
import type { ConfigBranch } from '../checks/config-branches.js';
import { qualifiedName } from '../facts/qualified-names.js';
import { substituteCall, substituteHit, substitutionBetween, type Substitution } from '../summaries/substitution.js';
import { anyParam, contentPath } from '../facts/param-names.js';
import type { Hit, CallSite } from '../models/sinks.js';
import type { Recorder, SummaryCache, Summary } from '../summaries/summaries.js';

/** State of the analysis of one tool: budgets, caches and callbacks. */
export interface Context {
  readonly machine: Machine;
  /** Fields assigned separately, and module state. */
  readonly heap: Heap;
  /** What a read loop parses, in a server without an SDK. */
  readonly message?: { readonly tool: string; readonly fact: Fact } | undefined;
  readonly onHit: (hit: Hit, call: CallSite) => void;
  /** Receives every reachable call, tainted or not; capabilities are derived from these. */
  readonly onReached: (name: string, at: Place) => void;
  /** Receives calls with side effects of their own (sends, writes, evaluates). */
  readonly onCall: (call: CallSite) => void;
  /** Memoised call results, valid while `Env.clock` is unchanged. */
  readonly memo: Map<Expr, { readonly ticks: number; readonly fact: Fact }>;
  /** Function summaries, shared by all tools of the program. */
  readonly summaries: SummaryCache;
  /** Summaries whose events this tool has already received, by taint names. */
  readonly replayed: Map<Summary, Set<string>>;
  /** Functions analysed so far for this tool. */
  readonly entered: Set<FunctionNode>;
  /** Functions being analysed, outermost first; bounds recursion. */
  readonly callStack: FunctionNode[];
  recorder: Recorder | undefined;
  /** Values yielded so far by the generator being analysed. */
  yielded: Fact[] | undefined;
  /** Tainted values thrown so far in the function being analysed. */
  thrown: Fact[];
  /** Environments of the active callers, innermost last. */
  readonly active: Env[];
  depth: number;
  stepsLeft: number;
  /** Time at which the analysis of the tool ends, finished or not. */
  readonly deadline: number;
}

/** One exit of a function: the returned value and the variables at that point. */
export interface Exit {
  readonly fact: Fact;
  readonly env: Env;
  readonly implied: Implication | undefined;
  /** Truth of the returned value, if constant. */
  readonly truth: boolean | undefined;
  /** Reached only if the operator disabled a check. */
  readonly isOptOut?: boolean;
  /** Branches on server configuration that lead to this exit. */
  readonly configBranches?: readonly ConfigBranch[] | undefined;
}

/** State of one function body. */
export interface Frame {
  readonly exits: Exit[];
  /** Variables at each `break` and `continue`, per enclosing loop. */
  loops: Env[][];
  /** Branches on server configuration taken on this path. */
  readonly configBranches: ConfigBranch[];
  /** Variables at each `break`, per enclosing loop. */
  breaks: Env[][];
  /** Exception of the enclosing handler, thrown again by a bare `raise`. */
  caught?: Fact | undefined;
}

/** Untainted fact of a value from the first pass. */
export const factOfValue = (value: Value): Fact => ({ taints: [], value, name: qualifiedName(value) });

/** Looks up a variable: local facts first, then the scopes of the first pass, then a global name. */
export function readName(context: Context, env: Env, name: string): Fact {
  // Local facts shadow the first pass: it ran before the tool call and cannot see assignments of this path.
  const own = readVariable(env, name);
  if (own) return withParts(context.heap, env, name, own);
  const state = readModuleState(context.heap, env, name);
  const found = withShared(context.heap, readScope(context, env, name));
  return state ? joinState(found, state) : withParts(context.heap, env, name, found);
}

/** Module state added to what the first pass found: both are possible when the tool is called. */
const joinState = (found: Fact, state: Fact): Fact => ({
  ...found,
  taints: mergeTaints(found.taints, state.taints),
  ...(state.fields ? { fields: new Map([...(found.fields ?? []), ...state.fields]) } : {}),
});

function readScope(context: Context, env: Env, name: string): Fact {
  // A mutable global keeps no value, else a mode that is off at start would prune the branch that is dangerous.
  const value = lookup(env.scope, name);
  if (value && value.kind !== 'unknown')
    return isMutableGlobal(env.module, name, value) ? untaintedFact : factOfValue(resolveLink(context.machine, value));
  const pattern = namedRegexes(env.module).get(name);
  if (pattern !== undefined) return { taints: [], name: pattern };
  return value ? untaintedFact : { taints: [], name };
}

/** Looks up an access path such as `args.path`, through fields if the path itself was never assigned. */
export function readKey(context: Context, env: Env, key: string): Fact | undefined {
  const own = readVariable(env, key);
  if (own) return own;
  // Longest prefix first: a separate write of `a.b` is newer than the field `b` of `a`.
  const cut = key.lastIndexOf('.');
  if (cut === -1) return readName(context, env, key);
  const owner = readKey(context, env, key.slice(0, cut));
  return owner && partOf(owner, key.slice(cut + 1));
}

/** Field of a fact; a field of a tainted value is tainted. */
export function partOf(fact: Fact, name: string): Fact | undefined {
  // A field of unknown name stands for every field that was not written by name.
  const field = fact.fields?.get(name) ?? fact.fields?.get('*');
  if (field) return field;
  if (fact.taints.length === 0) return undefined;
  // Reading a field of the argument object: from here on the taint belongs to the parameter of that name.
  const taints = fact.taints.map((taint) =>
    taint.origin.param === anyParam ? { ...taint, origin: { ...taint.origin, param: name }, whole: true } : taint,
  );
  return { taints, from: withoutWholeKeys(fact.from) };
}

const regexesByModule = new WeakMap<Module, Map<string, string>>();

/** Regular expressions assigned to variables of a module, as `/source/flags`. */
function namedRegexes(module: Module): ReadonlyMap<string, string> {
  const known = regexesByModule.get(module);
  if (known) return known;
  const found = new Map<string, string>();
  const stmt = (each: Stmt): void => {
    if (each.kind === 'assign' && each.target.kind === 'name' && each.value?.kind === 'regex')
      found.set(each.target.name, `/${each.value.source}/${each.value.flags}`);
  };
  // Python patterns are calls of `re`, which the evaluator already sees; JavaScript has literals.
  if (module.language !== 'python') walk(module.body, { stmt, mayContain: (text) => /[\w$]\s*=\s*\//.test(text) });
  regexesByModule.set(module, found);
  return found;
}

/** Reports a call now, and records it in the summary of the enclosing function for replay. */
export function recordCall(context: Context, call: CallSite): void {
  const { name, at } = call;
  context.onReached(name, at);
  if (hasSideEffects(name)) {
    context.recorder?.events.push({ kind: 'reached', name, at }, { kind: 'call', call });
    context.onCall(call);
  } else context.recorder?.events.push({ kind: 'reached', name, at });
}

/** Reports tainted data at a sink, and records it in the summary. */
export function recordHit(context: Context, hit: Hit, call: CallSite): void {
  context.recorder?.events.push({ kind: 'hit', hit, call });
  context.onHit(hit, call);
}

/** Replay key of a taint: parameters by name, file contents by name and read location. */
const replayKey = ({ origin: { param, at } }: Taint): string =>
  contentPath(param) === undefined ? param : `${param} ${at.module.path}:${at.spot.start}`;

/** Marks a summary as replayed for these taints; returns whether it already was. */
export function markReplayed({ replayed }: Context, summary: Summary, given: readonly Taint[]): boolean {
  // Per parameter names: the same summary with another parameter is another finding.
  const names = given.map(replayKey).join('\u0001');
  const before = replayed.get(summary);
  if (before?.has(names)) return true;
  if (before) before.add(names);
  else replayed.set(summary, new Set([names]));
  return false;
}

/** Replays the events of a summary with the taints of this call substituted, at most once per tool. */
export function replaySummary(
  context: Context,
  summary: Summary,
  given: readonly Taint[],
  route: Substitution | undefined,
): void {
  if (markReplayed(context, summary, given)) return;
  for (const event of summary.events) {
    if (event.kind === 'reached') context.onReached(event.name, event.at);
    else if (event.kind === 'call') context.onCall(route ? substituteCall(route, event.call) : event.call);
    else if (event.kind === 'hit') context.onHit(route ? substituteHit(route, event.hit) : event.hit, event.call);
    else {
      const inner = route ? event.given.map(route.taint) : event.given;
      replaySummary(context, event.summary, inner, substitutionBetween(event.summary.given, inner));
    }
  }
}

/** Reading the clock costs more than a step, so it is done once in a batch. */
const stepsPerClockReading = 256;

/** Counts one step; false once the step budget or the time of the tool is spent. */
export function takeStep(context: Context): boolean {
  context.stepsLeft -= 1;
  // Steps differ in cost by orders of magnitude, so that a step budget alone bounds no time.
  if (context.stepsLeft % stepsPerClockReading === 0 && Date.now() > context.deadline) context.stepsLeft = 0;
  return context.stepsLeft > 0;
}
