import type { Machine } from '../evaluate/interpreter/abstract-machine.js';
import { locationOf, type Location } from '../ir/positions.js';
import type { Place } from '../evaluate/values/values.js';
import { newSideEffects, recordSideEffects, type SideEffects } from './models/side-effects.js';
import type { Context } from './interpreter/context.js';
import type { Env } from './facts/environment.js';
import { newHeap } from './facts/heap.js';
import { callProject } from './calls/functions.js';
import { scopeIn } from '../evaluate/values/scope.js';
import { anyPath, proofBit, leavesFolder, taintsIn, unsafeTaints, type Fact, type Taint } from './facts/facts.js';
import { applyRefinements } from './sources/schema-refinements.js';
import { validatedArguments } from './sources/validators.js';
import { callerArguments, messageOf, type HandlerArguments, type ToolEntry } from './sources/sources.js';
import { newSummaryCache, type SummaryCache } from './summaries/summaries.js';
import { contentPath } from './facts/param-names.js';
import { isRootFolder } from './models/destruction.js';
import { traceSteps } from './facts/traces.js';
import { dangerOf, type Hit, type CallSite, type TaintRule } from './models/sinks.js';

/** Taint flow from a tool parameter to a sink. */
export interface Flow {
  readonly rule: TaintRule;
  readonly entry: ToolEntry;
  readonly param: string;
  readonly what: string;
  readonly at: Location;
  readonly steps: readonly { readonly at: Location; readonly says: string }[];
  /** The parameter itself is used, not a string built from it. */
  readonly whole: boolean;
  /** Some check looked at the value, but it is not sufficient for this sink. */
  readonly isChecked: boolean;
  readonly writes: boolean;
  /** The code runs in a browser page, not in the server process. */
  readonly inPage: boolean;
  /** Prefix check without a separator: only sibling folders are reachable. */
  readonly isPrefixChecked: boolean;
  /** A leading dash is tested for on the way: some options are rejected by name. */
  readonly isDashChecked: boolean;
  /** The caller chooses the program, but no shell parses the arguments. */
  readonly isProgram: boolean;
  /** The flow exists only where a server setting disables the check. */
  readonly isConfigDependent: boolean;
  /** The code intended a folder as boundary. */
  readonly inFolder: boolean;
  /** File extension, if the code appends it. */
  readonly tail: string | undefined;
  /** Constant prefix before the tainted part, or true for an unknown but untainted one. */
  readonly lead: string | true | undefined;
}

/** Call reachable from a tool, for capabilities. */
export interface Reached {
  readonly name: string;
  readonly at: Location;
}

/** Analysis result of one entry point; `isFinished` is false if a budget ended it early. */
export interface EntryResult extends SideEffects {
  readonly flows: readonly Flow[];
  readonly reached: readonly Reached[];
  /** Callees that received tainted data and could not be resolved. */
  readonly unfollowed: readonly Reached[];
  readonly isFinished: boolean;
  /** Files and variables whose content the entry returns. */
  readonly returned: readonly { readonly what: string; readonly at: Location }[];
}

/** Step budget per entry point; an entry that exceeds it is reported as incomplete. */
const stepsPerEntry = 400_000;

/** Capacity of the summary cache, in events. */
const maxSummaryEvents = 300_000;

const summaryCaches = new WeakMap<Machine, SummaryCache>();

/** Summary cache of a program, shared by all its tools. */
function summaryCacheOf(machine: Machine): SummaryCache {
  const known = summaryCaches.get(machine) ?? newSummaryCache(maxSummaryEvents);
  summaryCaches.set(machine, known);
  return known;
}

/** Analyses one entry point from its sources to all sinks; ends early at the deadline. */
export function flowsOf(machine: Machine, entry: ToolEntry, deadline = Number.POSITIVE_INFINITY): EntryResult {
  const flows = new Map<string, Flow>();
  const reached = new Map<string, Reached>();
  const unfollowed = new Map<string, Reached>();
  const behaviour = newSideEffects();
  const context: Context = {
    machine,
    heap: newHeap(),
    message: entry.isByHand ? { tool: `${entry.name} ${entry.method ?? ''}`, fact: messageOf(entry) } : undefined,
    summaries: summaryCacheOf(machine),
    replayed: new Map(),
    callStack: [],
    entered: new Set(),
    recorder: undefined,
    yielded: undefined,
    thrown: [],
    active: [],
    depth: 0,
    stepsLeft: stepsPerEntry,
    deadline,
    memo: new Map(),
    onCall: (call) => recordSideEffects(behaviour, call),
    onReached: (name, at) => {
      // One entry per call site; the bound keeps generated code from filling the report.
      const key = `${name} ${at.spot.start}`;
      if (reached.size < 2_000 && !reached.has(key)) reached.set(key, { name, at: toLocation(at) });
    },
    onHit: (hit, call) => {
      for (const fact of hit.facts) {
        const taints = taintsIn(fact);
        if (hit.rule === 'unfollowed') {
          const at = toLocation(call.at);
          if (taints.length > 0) unfollowed.set(`${hit.what} ${at.file}:${at.startLine}`, { name: hit.what, at });
          continue;
        }
        for (const taint of unsafeTaints(taints, dangerOf[hit.rule])) {
          // SSRF needs a host of the caller's choice; a path or query on a fixed host is none.
          if (hit.rule === 'url' && isFixedHost(fact.lead)) continue;
          addFlow(
            flows,
            toFlow(
              entry,
              // Zip Slip has its own rule, because the fix is a check per entry and not of the parameter.
              taint.inArchive && hit.rule === 'path' ? { ...hit, rule: 'archive' } : hit,
              call,
              taint,
              fact,
            ),
          );
        }
        // Contained lexically only: a symbolic link inside the folder leads out (CWE-59).
        if (hit.rule === 'path')
          for (const taint of taints)
            if (isOnlyLexical(taint)) addFlow(flows, toFlow(entry, { ...hit, rule: 'link' }, call, taint, fact));
      }
    },
  };
  const { handler } = entry;
  const self = handler.self ? { taints: [], value: handler.self } : undefined;
  // The entry starts outside of any function: module scope, no caller, no proofs.
  const outside = {
    vars: new Map(),
    parent: undefined,
    scope: scopeIn(handler.scope, 0, true),
    module: handler.module,
    clock: { ticks: 0 },
    activation: {},
  };
  const answers: Fact[] = [];
  try {
    const given = refineArguments(context, entry, callerArguments(entry), outside);
    const { wrapper } = entry;
    if (wrapper)
      answers.push(callProject(context, { target: wrapper }, { ...given, rest: [], exprs: [] }, undefined, outside));
    // A wrapper that cannot be followed to its function must not hide it.
    if (!context.entered.has(handler.fn))
      answers.push(callProject(context, { target: handler }, { ...given, rest: [], exprs: [] }, self, outside));
  } catch (error) {
    // Deeply nested hostile code overflows the stack: report the entry as incomplete instead of crashing.
    if (!(error instanceof RangeError)) throw error;
    context.stepsLeft = 0;
  }
  return {
    ...behaviour,
    flows: [...flows.values()],
    reached: [...reached.values()],
    unfollowed: [...unfollowed.values()],
    isFinished: context.stepsLeft > 0,
    returned: answers.flatMap((answer) => taintsIn(answer).flatMap(returnedContent)),
  };
}

/** What a returned pseudo taint stands for. */
function returnedContent({ origin }: Taint): EntryResult['returned'] {
  const what = contentPath(origin.param);
  return what === undefined || isRootFolder(what) ? [] : [{ what, at: toLocation(origin.at) }];
}

/** Applies the refinements of the tool's schema to the arguments. */
function refineArguments(context: Context, entry: ToolEntry, given: HandlerArguments, env: Env): HandlerArguments {
  const { schema } = entry;
  if (entry.handler.module.language === 'python')
    return { ...given, named: validatedArguments(context, entry.handler, given.named, env) };
  if (!schema) return given;
  const positional = given.positional.map((fact) =>
    fact.fields ? { ...fact, fields: applyRefinements(context, fact.fields, schema, env) } : fact,
  );
  return { ...given, positional };
}

const toLocation = ({ module, spot }: Place): Location => locationOf(module, spot);

const isOnlyLexical = ({ safe }: Taint): boolean =>
  (safe & anyPath) === anyPath &&
  (safe & proofBit.lexicallyContained) !== 0 &&
  (safe & proofBit.symlinksResolved) === 0;

/** Whether the prefix fixes scheme and host of a URL, so that SSRF is ruled out. */
const isFixedHost = (lead: string | true | undefined): boolean =>
  lead === true ||
  (typeof lead === 'string' &&
    /^(?:[a-z][\w+.-]*:)?\/\/[^/?#]*[^/?#:@][/?#]|^(?:https?|wss?):\/\/[\w-]+(?:\.[\w-]+)+(?::\d+)?$|^\/[^/]/i.test(
      lead,
    ));

function toFlow(entry: ToolEntry, hit: Hit, call: CallSite, taint: Taint, fact: Fact): Flow {
  const lead = fact.lead === '' ? undefined : fact.lead;
  return {
    rule: hit.rule,
    entry,
    param: taint.origin.param,
    what: hit.what,
    at: toLocation(call.at),
    whole: taint.whole,
    isChecked: taint.isChecked,
    writes: hit.writes === true,
    inPage: hit.inPage === true,
    isPrefixChecked: (taint.safe & proofBit.prefixMatched) !== 0,
    isDashChecked: (taint.safe & proofBit.dashChecked) !== 0,
    isProgram: hit.isProgram === true,
    isConfigDependent: (taint.safe & proofBit.containedByConfig) !== 0,
    lead,
    tail: fact.tail,
    inFolder: leavesFolder(fact),
    steps: [
      { at: toLocation(taint.origin.at), says: `the caller gives ${taint.origin.param}` },
      ...traceSteps(taint.trace).map(({ at, says }) => ({ at: toLocation(at), says })),
      { at: toLocation(call.at), says: `it reaches ${hit.what}` },
    ],
  };
}

function addFlow(flows: Map<string, Flow>, flow: Flow): void {
  // Several traces to the same sink are one finding; the first trace is kept, checks of all count.
  const key = `${flow.rule} ${flow.at.file}:${flow.at.startLine} ${flow.param}`;
  const before = flows.get(key);
  if (!before) flows.set(key, flow);
  else if ((flow.isChecked && !before.isChecked) || (flow.inFolder && !before.inFolder))
    flows.set(key, {
      ...before,
      isChecked: flow.isChecked || before.isChecked,
      inFolder: flow.inFolder || before.inFolder,
    });
}
