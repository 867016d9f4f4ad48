import { elementOf } from './combine.js';
import type { Context } from './context.js';
import { vouched, type Env } from './environment.js';
import { all, nothingKnown, taintsIn, type Fact } from './facts.js';
import { callProject, type Given } from './functions.js';
import { ofList } from './guard-lists.js';
import { isCallable, items } from './handed.js';

/** Those that run what they are given with the arguments behind it. */
export const passesOn =
  /^(?:asyncio\.to_thread|anyio\.to_thread\.run_sync|(?:\?\.)?(?:.*\.)?(?:run_in_executor|submit|apply_async|run_sync|run_in_threadpool|call_soon|call_soon_threadsafe|call_later)|functools\.partial|asyncio\.run|asyncio\.create_task|threading\.Thread|multiprocessing\.Process|threading\.Timer|atexit\.register|setTimeout|setInterval|setImmediate|process\.nextTick|queueMicrotask)$/;
const waitsFirst = /^(?:setTimeout|setInterval)$/;
const eachOf = /^(?:map|filter|functools\.reduce|itertools\.starmap)$/;
const keepsList = /^(?:map|flatMap|filter|then|catch|finally|reduce|find|sort|slice)$/;

const visitsAll = /^(?:forEach|map|flatMap)$/;

/** The item that a callback is asked about, as its answer names it. */
const item = '\u0000item';

/** A call of something outside that takes functions; `list` is the name of what they are run over. */
export interface Outside {
  readonly name: string;
  readonly method: string;
  readonly receiver: Fact | undefined;
  readonly list: string | undefined;
}

/** Calls something outside by its name, as if the code had written the call. */
export type CallOutside = (name: string, args: readonly Fact[], named: ReadonlyMap<string, Fact>) => Fact;

/** Functions handed to the outside are run with what the outside would give them. */
export function runCallbacks(
  context: Context,
  { name, method, receiver, list }: Outside,
  given: Given,
  env: Env,
  outsideCall: CallOutside,
): Fact | undefined {
  let result: Fact | undefined;
  const facts = [...given.positional, ...given.named.values()];
  const isPassing = passesOn.test(name);
  const element = elementGiven(name, receiver, given);
  // What a callback proves of an item that it gets past is proved of all that it visits.
  const visited = receiver && visitsAll.test(method) ? ofList(element, receiver, list) : element;
  const asked = ofList(visited, nothingKnown, item);
  facts.forEach((fact, at) => {
    const target = fact.value?.kind === 'function' ? fact.value : undefined;
    const isOurs = fact.closure !== undefined || target !== undefined;
    if (!isOurs && !isCallable(fact)) return;
    const rest = isPassing ? argumentsBehind(name, given, at) : undefined;
    const isReached = [...(rest ?? []), element].some((each) => taintsIn(each).length > 0);
    // What is not ours does something only with what it is given, and only where it is sure to be called.
    const isNeeded = isOurs
      ? fact.closure !== undefined || isPassing || isReached
      : isReached && (isPassing || eachOf.test(name) || /^(?:map|forEach|flatMap)$/.test(method));
    if (!isNeeded) return;
    const answer = isOurs
      ? callProject(
          context,
          fact.closure ? { closure: fact.closure } : target ? { target } : {},
          // Every argument that a replacer gets is a piece of the text.
          {
            positional: rest ?? [asked, /^replace(?:All)?$/.test(method) ? element : nothingKnown, element],
            named: new Map(),
            rest: [],
            exprs: [],
          },
          undefined,
          env,
        )
      : outsideCall(fact.name ?? '', rest ?? [element], isPassing ? given.named : new Map());
    if (keepsList.test(method) || eachOf.test(name)) result = collected(name, method, element, answer);
    else if (rest || name === 'Promise' || /^replace(?:All)?$/.test(method)) result = answer;
  });
  return result;
}

function elementGiven(name: string, receiver: Fact | undefined, given: Given): Fact {
  if (eachOf.test(name) && given.positional[1]) return elementOf(given.positional[1]);
  return receiver ? elementOf(receiver) : nothingKnown;
}

/** `f, a, b`, `f, delay, a, b` and `target=f, args=(a, b)`. */
function argumentsBehind(name: string, given: Given, at: number): readonly Fact[] {
  const listed = given.named.get('args');
  if (listed) return items(listed);
  const isTimer = name === 'threading.Timer';
  if (isTimer) return given.positional[2] ? items(given.positional[2]) : [];
  return given.positional.slice(at + (waitsFirst.test(name) ? 2 : 1));
}

function collected(name: string, method: string, element: Fact, answer: Fact): Fact {
  const kept = method === 'filter' || method === 'find' ? passed(element, answer) : answer;
  const isOne = method === 'then' || method === 'find' || method === 'reduce' || name === 'functools.reduce';
  return isOne ? kept : { taints: taintsIn(kept), fields: new Map([['*', kept]]) };
}

/** An item that was kept because the answer about it was true. */
const passed = (turn: Fact, { implies }: Fact): Fact =>
  (implies?.yes ?? []).filter(({ key }) => key === item).reduce((fact, { safe }) => vouched(fact, safe & all), turn);
