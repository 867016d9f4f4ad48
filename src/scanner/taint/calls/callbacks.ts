import { elementOf } from '../facts/combine.js';
import type { Context } from '../interpreter/context.js';
import { withProof, type Env } from '../facts/environment.js';
import { allSafe, untaintedFact, taintsIn, type Fact } from '../facts/facts.js';
import { callProject, type CallArgs } from './functions.js';
import { withListKeys } from '../checks/guard-lists.js';
import { withSite } from '../facts/sites.js';
import { isModelled, modelOf } from '../models/models.js';
import { isCallable, listItems } from './indirect-calls.js';

/** Methods whose result is built from the answers of the callback. */
const resultMethods = /^(?:map|flatMap|filter|then|catch|finally|reduce|find|sort|slice)$/;

const reducers = /^reduce(?:Right)?$/;

/** Methods that call back for every item: a proof about one item then holds for the list. */
const visitingMethods = /^(?:forEach|map|flatMap)$/;

/** Key of the item a callback receives, to read back what the callback proves about it. */
const itemKey = '\u0000item';

/** External call that takes functions; `list` is the key of the collection they iterate over. */
interface ExternalCall {
  readonly name: string;
  readonly method: string;
  readonly receiver: Fact | undefined;
  readonly list: string | undefined;
}

/** Analyses an external function by name, as if the code called it directly. */
type CallExternal = (name: string, args: readonly Fact[], named: ReadonlyMap<string, Fact>) => Fact;

/** Analyses callbacks with the arguments the external function passes to them. */
export function runCallbacks(
  context: Context,
  { name, method, receiver, list }: ExternalCall,
  given: CallArgs,
  env: Env,
  outsideCall: CallExternal,
): Fact | undefined {
  let result: Fact | undefined;
  const facts = [...given.positional, ...given.named.values()];
  const isPassing = isModelled('forwards-arguments', name);
  const element = elementGiven(name, receiver, given);
  // `forEach(assertSafe)`: what the callback proves about one item holds for all visited items.
  const visited = receiver && visitingMethods.test(method) ? withListKeys(element, receiver, list) : element;
  const asked = withListKeys(visited, untaintedFact, itemKey);
  facts.forEach((fact, at) => {
    const target = fact.value?.kind === 'function' ? fact.value : undefined;
    const isOurs = fact.closure !== undefined || target !== undefined;
    // Anything else among the arguments is data.
    if (!isOurs && !isCallable(fact)) return;
    const rest = isPassing ? argumentsBehind(name, given, at) : undefined;
    const isReached = [...(rest ?? []), element].some((each) => taintsIn(each).length > 0);
    // External callbacks matter only with tainted arguments, and only where they are certainly called.
    const isNeeded = isOurs
      ? fact.closure !== undefined || isPassing || isReached
      : isReached && (isPassing || isModelled('calls-per-item', name) || /^(?:map|forEach|flatMap)$/.test(method));
    if (!isNeeded) return;
    const fold = reducers.test(method) || name === 'functools.reduce' ? foldArguments(name, given, element) : undefined;
    const answer = isOurs
      ? callProject(
          context,
          fact.closure ? { closure: fact.closure } : target ? { target } : {},
          // All arguments of a replacer function are substrings of the receiver.
          {
            positional: fold ?? rest ?? [asked, /^replace(?:All)?$/.test(method) ? element : untaintedFact, element],
            named: new Map(),
            rest: [],
            exprs: [],
          },
          undefined,
          env,
        )
      : outsideCall(fact.name ?? '', rest ?? [element], isPassing ? given.named : new Map());
    if (resultMethods.test(method) || isModelled('calls-per-item', name))
      result = collectResult(name, method, element, answer);
    else if (rest || name === 'Promise' || /^replace(?:All)?$/.test(method)) result = answer;
  });
  return result;
}

function elementGiven(name: string, receiver: Fact | undefined, given: CallArgs): Fact {
  if (isModelled('calls-per-item', name) && given.positional[1]) return elementOf(given.positional[1]);
  return receiver ? elementOf(receiver) : untaintedFact;
}

/** Arguments of a reducer: what was collected so far, and the next item. */
function foldArguments(name: string, given: CallArgs, element: Fact): readonly Fact[] {
  const start = given.positional[name === 'functools.reduce' ? 2 : 1];
  // Without an initial value the first item is the accumulator.
  return [start ? withSite(start) : element, element];
}

/** `f, a, b`, `f, delay, a, b` and `target=f, args=(a, b)`. */
function argumentsBehind(name: string, given: CallArgs, at: number): readonly Fact[] {
  const listed = given.named.get('args');
  if (listed) return listItems(listed);
  const model = modelOf('forwards-arguments', name);
  const [from = 1] = model?.positions ?? [];
  // A row with a name takes its arguments as one list, at that position or under that name.
  if (model && model.names.length > 0) return given.positional[from] ? listItems(given.positional[from]) : [];
  return given.positional.slice(at + from);
}

function collectResult(name: string, method: string, element: Fact, answer: Fact): Fact {
  // `filter` keeps the item and not the answer of the callback.
  const kept = method === 'filter' || method === 'find' ? filteredItem(element, answer) : answer;
  const isOne = method === 'then' || method === 'find' || method === 'reduce' || name === 'functools.reduce';
  return isOne ? kept : { taints: taintsIn(kept), fields: new Map([['*', kept]]) };
}

/** Item kept by `filter` or `find`, with what a true answer proves about it. */
const filteredItem = (turn: Fact, { implies }: Fact): Fact =>
  (implies?.yes ?? [])
    .filter(({ key }) => key === itemKey)
    .reduce((fact, { safe }) => withProof(fact, safe & allSafe), turn);
