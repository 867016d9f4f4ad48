import type { Machine } from '../evaluate/machine.js';
import { locationOf, type Location } from '../ir/positions.js';
import type { Place } from '../evaluate/values.js';
import { noBehaviour, observe, type Behaviour } from './behaviour.js';
import type { Context } from './context.js';
import type { Env } from './environment.js';
import { callProject } from './functions.js';
import { scopeIn } from '../evaluate/scope.js';
import { anyPath, known, leavesFolder, taintsIn, unsafe, type Fact, type Taint } from './facts.js';
import { refine } from './refinements.js';
import { argumentsFor, type Arguments, type Entry } from './sources.js';
import { emptyShelf, type Shelf } from './summaries.js';
import { stepsOf } from './traces.js';
import { dangerOf, type Hit, type SeenCall, type TaintRule } from './sinks.js';

/** The caller's text on its way from a parameter to where it does harm. */
export interface Flow {
  readonly rule: TaintRule;
  readonly entry: Entry;
  readonly param: string;
  readonly what: string;
  readonly at: Location;
  readonly steps: readonly { readonly at: Location; readonly says: string }[];
  /** The parameter itself is used, not a text built from it. */
  readonly whole: boolean;
  /** The code tried to judge the value first. */
  readonly judged: boolean;
  readonly writes: boolean;
  /** The code runs in a page of a browser, not in the server. */
  readonly inPage: boolean;
  /** The path begins as the folder does: only neighbours of that name are within reach. */
  readonly isPrefixed: boolean;
  /** Options are refused by name on the way. */
  readonly isScreened: boolean;
  /** Which program runs is the caller's; no shell reads its words again. */
  readonly isProgram: boolean;
  /** Only a setting of the server lifts the check. */
  readonly byMode: boolean;
  /** A folder was meant. */
  readonly inFolder: boolean;
  /** The ending of the file's name is not the caller's. */
  readonly tail: string | undefined;
  /** The text before the caller's part, or true where it is not known but not the caller's. */
  readonly lead: string | true | undefined;
}

/** One call that a tool makes, for capabilities. */
export interface Reached {
  readonly name: string;
  readonly at: Location;
}

export interface EntryResult extends Behaviour {
  readonly flows: readonly Flow[];
  readonly reached: readonly Reached[];
  readonly isFinished: boolean;
}

const stepsPerEntry = 400_000;

/** How much is kept of what functions did. */
const maxKept = 300_000;

const shelves = new WeakMap<Machine, Shelf>();

/** What functions do is the same for every tool of a program. */
function shelfOf(machine: Machine): Shelf {
  const known = shelves.get(machine) ?? emptyShelf(maxKept);
  shelves.set(machine, known);
  return known;
}

/** Follows one tool from its parameters. */
export function flowsOf(machine: Machine, entry: Entry): EntryResult {
  const flows = new Map<string, Flow>();
  const reached = new Map<string, Reached>();
  const behaviour = noBehaviour();
  const context: Context = {
    machine,
    shelf: shelfOf(machine),
    shown: new Map(),
    running: [],
    recorder: undefined,
    yielded: undefined,
    depth: 0,
    stepsLeft: stepsPerEntry,
    memo: new Map(),
    sees: (call) => observe(behaviour, call),
    reaches: (name, at) => {
      const key = `${name} ${at.spot.start}`;
      if (reached.size < 2_000 && !reached.has(key)) reached.set(key, { name, at: place(at) });
    },
    report: (hit, call) => {
      for (const fact of hit.facts) {
        const taints = taintsIn(fact);
        for (const taint of unsafe(taints, dangerOf[hit.rule])) {
          if (hit.rule === 'url' && isFixedHost(fact.lead)) continue;
          add(
            flows,
            flowFrom(
              entry,
              taint.inArchive && hit.rule === 'path' ? { ...hit, rule: 'archive' } : hit,
              call,
              taint,
              fact,
            ),
          );
        }
        // The folder was compared with the spelling of the path, not with where its links lead.
        if (hit.rule === 'path')
          for (const taint of taints)
            if (isOnlySpelled(taint)) add(flows, flowFrom(entry, { ...hit, rule: 'link' }, call, taint, fact));
      }
    },
  };
  const { handler } = entry;
  const self = handler.self ? { taints: [], value: handler.self } : undefined;
  const outside = {
    vars: new Map(),
    parent: undefined,
    scope: scopeIn(handler.scope, 0, true),
    module: handler.module,
    clock: { ticks: 0 },
  };
  try {
    const given = refined(context, entry, argumentsFor(entry), outside);
    callProject(context, { target: handler }, { ...given, rest: [], exprs: [] }, self, outside);
  } catch (error) {
    // Nesting deeper than the stack is an unfinished analysis, not a crash.
    if (!(error instanceof RangeError)) throw error;
    context.stepsLeft = 0;
  }
  return {
    ...behaviour,
    flows: [...flows.values()],
    reached: [...reached.values()],
    isFinished: context.stepsLeft > 0,
  };
}

/** The arguments after what the schema of the tool asks of them. */
function refined(context: Context, { schema }: Entry, given: Arguments, env: Env): Arguments {
  if (!schema) return given;
  const positional = given.positional.map((fact) =>
    fact.fields ? { ...fact, fields: refine(context, fact.fields, schema, env) } : fact,
  );
  return { ...given, positional };
}

const place = ({ module, spot }: Place): Location => locationOf(module, spot);

const isOnlySpelled = ({ safe }: Taint): boolean =>
  (safe & anyPath) === anyPath && (safe & known.spelled) !== 0 && (safe & known.followed) === 0;

/** The host of an address is out of the caller's reach. */
export const isFixedHost = (lead: string | true | undefined): boolean =>
  lead === true ||
  (typeof lead === 'string' &&
    /^(?:[a-z][\w+.-]*:)?\/\/[^/?#]*[^/?#:@][/?#]|^(?:https?|wss?):\/\/[\w-]+(?:\.[\w-]+)+(?::\d+)?$|^\/[^/]/i.test(
      lead,
    ));

function flowFrom(entry: Entry, hit: Hit, call: SeenCall, taint: Taint, fact: Fact): Flow {
  const lead = fact.lead === '' ? undefined : fact.lead;
  return {
    rule: hit.rule,
    entry,
    param: taint.origin.param,
    what: hit.what,
    at: place(call.at),
    whole: taint.whole,
    judged: taint.judged,
    writes: hit.writes === true,
    inPage: hit.inPage === true,
    isPrefixed: (taint.safe & known.prefixed) !== 0,
    isScreened: (taint.safe & known.screened) !== 0,
    isProgram: hit.isProgram === true,
    byMode: (taint.safe & known.byMode) !== 0,
    lead,
    tail: fact.tail,
    inFolder: leavesFolder(fact),
    steps: [
      { at: place(taint.origin.at), says: `the caller gives ${taint.origin.param}` },
      ...stepsOf(taint.trace).map(({ at, says }) => ({ at: place(at), says })),
      { at: place(call.at), says: `it reaches ${hit.what}` },
    ],
  };
}

function add(flows: Map<string, Flow>, flow: Flow): void {
  const key = `${flow.rule} ${flow.at.file}:${flow.at.startLine} ${flow.param}`;
  const before = flows.get(key);
  if (!before) flows.set(key, flow);
  else if ((flow.judged && !before.judged) || (flow.inFolder && !before.inFolder))
    flows.set(key, { ...before, judged: flow.judged || before.judged, inFolder: flow.inFolder || before.inFolder });
}
