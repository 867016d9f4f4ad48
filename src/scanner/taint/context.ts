import type { Expr, FunctionNode, Module, Stmt } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';
import type { Machine } from '../evaluate/machine.js';
import { follow } from '../evaluate/modules.js';
import { lookup } from '../evaluate/scope.js';
import type { Place, Value } from '../evaluate/values.js';
import { isNoted } from './behaviour.js';
import { isChanging } from './changing.js';
import { read, type Env } from './environment.js';
import { fromWhole, nothingKnown, type Fact, type Implied, type Taint } from './facts.js';
import type { Mode } from './modes.js';
import { nameOfValue } from './names.js';
import { callOn, hitOn, routeBetween, type Route } from './routes.js';
import { anyParam, contentPath } from './param-names.js';
import type { Hit, SeenCall } from './sinks.js';
import type { Recorder, Shelf, Summary } from './summaries.js';

/** The analysis of one tool: what it may still spend, and where hits go. */
export interface Context {
  readonly machine: Machine;
  readonly report: (hit: Hit, call: SeenCall) => void;
  /** Every call that is reached, tainted or not; capabilities are read from these. */
  readonly reaches: (name: string, at: Place) => void;
  /** The calls among them that can do something on their own account. */
  readonly sees: (call: SeenCall) => void;
  /** Answers of calls, good as long as nothing changed since. */
  readonly memo: Map<Expr, { readonly ticks: number; readonly fact: Fact }>;
  /** What functions did with what they were given, in any tool. */
  readonly shelf: Shelf;
  /** What this tool was shown of it, with texts of which names. */
  readonly shown: Map<Summary, Set<string>>;
  /** The functions under way. */
  readonly running: FunctionNode[];
  recorder: Recorder | undefined;
  /** What the function under way has yielded so far. */
  yielded: Fact[] | undefined;
  depth: number;
  stepsLeft: number;
}

/** How a function was left: what it returned on each path, and what its names were then. */
export interface Exit {
  readonly fact: Fact;
  readonly env: Env;
  readonly implied: Implied | undefined;
  /** Known truth of the returned value, where it is a literal. */
  readonly truth: boolean | undefined;
  /** Left this way only after a check was switched off on purpose. */
  readonly isLifted?: boolean;
  /** The settings of the server under which it was left so. */
  readonly modes?: readonly Mode[] | undefined;
}

/** The run of one function body. */
export interface Frame {
  readonly exits: Exit[];
  /** Where `break` and `continue` of the innermost loop put what they know. */
  loops: Env[][];
  /** The settings of the server that this path is under. */
  readonly modes: Mode[];
  /** The same for `break` alone. */
  breaks: Env[][];
}

/** What a value of the abstract run is, as a fact. */
export const factOfValue = (value: Value): Fact => ({ taints: [], value, name: nameOfValue(value) });

/** What a name stands for on this path. */
export function readName(context: Context, env: Env, name: string): Fact {
  const own = read(env, name);
  if (own) return own;
  const value = lookup(env.scope, name);
  if (value && value.kind !== 'unknown')
    return isChanging(env.module, name, value) ? nothingKnown : factOfValue(follow(context.machine, value));
  const pattern = patternsOf(env.module).get(name);
  if (pattern !== undefined) return { taints: [], name: pattern };
  return value ? nothingKnown : { taints: [], name };
}

/** What is known under a key such as `args.path`, following parts where the key itself was never set. */
export function readKey(context: Context, env: Env, key: string): Fact | undefined {
  const own = read(env, key);
  if (own) return own;
  const cut = key.lastIndexOf('.');
  if (cut === -1) return readName(context, env, key);
  const owner = readKey(context, env, key.slice(0, cut));
  return owner && partOf(owner, key.slice(cut + 1));
}

/** A part of a fact that is known or tainted. */
export function partOf(fact: Fact, name: string): Fact | undefined {
  const field = fact.fields?.get(name) ?? fact.fields?.get('*');
  if (field) return field;
  if (fact.taints.length === 0) return undefined;
  // The arguments as a whole: the part that is read is the parameter that the caller names.
  const taints = fact.taints.map((taint) =>
    taint.origin.param === anyParam ? { ...taint, origin: { ...taint.origin, param: name }, whole: true } : taint,
  );
  return { taints, from: fromWhole(fact.from) };
}

const patterns = new WeakMap<Module, Map<string, string>>();

/** Regular expressions that a module gives names to, spelled `/source/flags`. */
function patternsOf(module: Module): ReadonlyMap<string, string> {
  const known = patterns.get(module);
  if (known) return known;
  const found = new Map<string, string>();
  const stmt = (each: Stmt): void => {
    if (each.kind === 'assign' && each.target.kind === 'name' && each.value?.kind === 'regex')
      found.set(each.target.name, `/${each.value.source}/${each.value.flags}`);
  };
  if (module.language !== 'python') walk(module.body, { stmt, mayHold: (text) => /[\w$]\s*=\s*\//.test(text) });
  patterns.set(module, found);
  return found;
}

/** Shows a call to whoever watches, now and whenever the function around it is met again. */
export function see(context: Context, call: SeenCall): void {
  const { name, at } = call;
  context.reaches(name, at);
  if (isNoted(name)) {
    context.recorder?.events.push({ kind: 'reached', name, at }, { kind: 'call', call });
    context.sees(call);
  } else context.recorder?.events.push({ kind: 'reached', name, at });
}

/** The same for a hit. */
export function report(context: Context, hit: Hit, call: SeenCall): void {
  context.recorder?.events.push({ kind: 'hit', hit, call });
  context.report(hit, call);
}

/** What is shown of a text: a parameter by its name, the content of a file by the place where it is read too. */
const shownName = ({ origin: { param, at } }: Taint): string =>
  contentPath(param) === undefined ? param : `${param} ${at.module.path}:${at.spot.start}`;

/** Whether what a function did with texts of these names was shown already; from now on it was. */
export function isShown({ shown }: Context, summary: Summary, given: readonly Taint[]): boolean {
  const names = given.map(shownName).join('\u0001');
  const before = shown.get(summary);
  if (before?.has(names)) return true;
  if (before) before.add(names);
  else shown.set(summary, new Set([names]));
  return false;
}

/** Shows what a function showed before, with the texts that are given this time; once is enough for one tool. */
export function showAgain(context: Context, summary: Summary, given: readonly Taint[], route: Route | undefined): void {
  if (isShown(context, summary, given)) return;
  for (const event of summary.events) {
    if (event.kind === 'reached') context.reaches(event.name, event.at);
    else if (event.kind === 'call') context.sees(route ? callOn(route, event.call) : event.call);
    else if (event.kind === 'hit') context.report(route ? hitOn(route, event.hit) : event.hit, event.call);
    else {
      const inner = route ? event.given.map(route.taint) : event.given;
      showAgain(context, event.summary, inner, routeBetween(event.summary.given, inner));
    }
  }
}

/** Counts one step of the analysis; false when it must end. */
export function spend(context: Context): boolean {
  context.stepsLeft -= 1;
  return context.stepsLeft > 0;
}
