import { type Constant, type Value, unknown } from '../../evaluate/values/values.js';
import { isClosedPrefix } from '../checks/containment.js';
import {
  type Fact,
  type Taint,
  danger,
  withoutWholeKeys,
  joinFacts,
  mergeTaints,
  untaintedFact,
  taintsIn,
} from './facts.js';
import { qualifiedName } from './qualified-names.js';
import { safeInsideQuotes } from '../checks/quoting.js';
import { settingComparison } from '../checks/opt-outs.js';
import { isUserFolder } from '../models/transfers.js';

/** String constant of a fact, if it is one. */
export const constantText = (fact: Fact | undefined): string | undefined =>
  fact?.value?.kind === 'constant' && typeof fact.value.value === 'string' ? fact.value.value : undefined;

/** Untainted string constant. */
export const constantFact = (value: string): Fact => ({ taints: [], value: { kind: 'constant', value } });

/** Concatenates strings; the prefix before the first tainted part becomes the lead, which fixes a folder or a URL host. */
export function concatFacts(parts: readonly Fact[]): Fact {
  const known: (string | Value)[] = [];
  const lists: (readonly Taint[])[] = [];
  /** Constant text before the first tainted part. */
  let front = '';
  let lead: string | true | undefined;
  let sawTaint = false;
  let literal = '';
  for (const part of parts) {
    const text = part.value?.kind === 'constant' ? String(part.value.value) : undefined;
    if (text !== undefined) known.push(text);
    else if (part.value?.kind === 'text') known.push(...part.value.parts);
    // A part that depends on a condition keeps its texts: `if f: q += …` must not hide the statement.
    else if (part.value?.kind === 'choice') known.push(part.value);
    else known.push(unknown('part'));
    const taints = taintsIn(part);
    if (taints.length > 0 && !sawTaint) {
      sawTaint = true;
      // An unknown but untainted part ahead stays `true`: the code chose it, even if its text is not known.
      lead =
        lead === true ? true : part.lead === true ? true : front + (typeof part.lead === 'string' ? part.lead : '');
    } else if (!sawTaint) {
      if (text === undefined) lead = true;
      else front += text;
    }
    // Behind a separator the tainted part cannot start the path, so it cannot be absolute; `..` is still possible.
    const behind = sawTaint && (lead === true || (typeof lead === 'string' && /[/\\]/.test(lead)));
    const safe = behind ? danger.pathAbsolute : 0;
    lists.push(
      taints.map((taint) => ({
        ...taint,
        safe: taint.safe | safe | safeInsideQuotes(literal, taint.safe),
        // A longer string is no longer the parameter itself; rules about whole values must not apply to it.
        whole: taint.whole && parts.length === 1,
      })),
    );
    literal = text ?? (part.value ? (constantSuffix(part.value) ?? '') : '');
  }
  const taints = mergeTaints(...lists);
  const last = parts.at(-1);
  const isKnown = taints.length === 0 && known.every((part) => typeof part === 'string');
  return {
    taints,
    // Bounded: a loop that appends would otherwise grow the abstract string without a fixpoint.
    value: isKnown ? { kind: 'constant', value: known.join('') } : { kind: 'text', parts: known.slice(0, 64) },
    ...(sawTaint
      ? { lead, tail: /\.\w{1,8}$/.exec(literal)?.[0] ?? (last && taintsIn(last).length > 0 ? last.tail : undefined) }
      : {}),
    ...(last && isClosedPrefix(last) ? { isClosed: true } : {}),
  };
}

/** Constant suffix of a string value. */
function constantSuffix(value: Value): string | undefined {
  const last = value.kind === 'text' ? value.parts.at(-1) : undefined;
  return typeof last === 'string' ? last : undefined;
}

/** Join of all elements of a collection. */
export function elementOf(fact: Fact): Fact {
  const fields = fact.fields ? [...fact.fields.values()] : [];
  const element = fields.reduce<Fact | undefined>(
    (joined, field) => (joined ? joinFacts(joined, field) : field),
    undefined,
  );
  if (element)
    // A tainted collection taints its elements even where their facts come from a literal.
    return fact.taints.length > 0 && element.taints.length === 0 ? { ...element, taints: fact.taints } : element;
  return { taints: fact.taints, from: withoutWholeKeys(fact.from) };
}

/**
 * Whether all keys are constants of the code: tainted values do not taint those keys. Numeric keys are list positions
 * and `*` is an unknown key; neither is a name written in the code.
 */
const isTable = ({ fields, taints }: Fact): boolean =>
  fields !== undefined &&
  fields.size > 0 &&
  taints.length === 0 &&
  [...fields.keys()].every((key) => !/^(?:\d+|\*)$/.test(key));

/** Loop variable when iterating over a value; a Python dict yields its keys, for which JavaScript has `for … in`. */
export const iterationFact = (fact: Fact, isPython: boolean): Fact =>
  isPython && isTable(fact) ? { taints: [] } : (constantItem(fact) ?? elementOf(fact));

/** Item of a list of constants, as the first pass evaluated it. */
function constantItem({ value, taints, fields }: Fact): Fact | undefined {
  if (value?.kind !== 'list' || fields || taints.length > 0 || value.items.length === 0) return undefined;
  // A choice of constants instead of an unknown: a loop over fixed commands stays provably fixed.
  return value.items.every(({ kind }) => kind === 'constant')
    ? { taints: [], value: { kind: 'choice', options: value.items.slice(0, 12) } }
    : undefined;
}

/** Result of `keys()` or `items()`/`entries()` on a table. */
export function tableListing(table: Fact, how: 'keys' | 'pairs' | 'values'): Fact | undefined {
  if (!isTable(table)) return undefined;
  if (how === 'values') return { taints: [], fields: new Map([['*', elementOf(table)]]) };
  const pair = listFact([
    { fact: { taints: [] }, spread: false },
    { fact: elementOf(table), spread: false },
  ]);
  return { taints: [], fields: new Map([['*', how === 'keys' ? { taints: [] } : pair]]) };
}

/** List literal, with spreads. */
export function listFact(items: readonly { readonly fact: Fact; readonly spread: boolean }[]): Fact {
  const fields = new Map<string, Fact>();
  /** Next position; undefined after a spread of unknown length, from where items are joined under `*`. */
  let at: number | undefined = 0;
  const add = (key: string, fact: Fact): void => {
    const before = fields.get(key);
    // Two items under one key are joined (weak update): the analysis cannot order them.
    fields.set(key, before ? joinFacts(before, fact) : fact);
  };
  for (const { fact, spread } of items) {
    const inner = spread ? fact.fields : undefined;
    if (inner && !inner.has('*') && at !== undefined) {
      for (const field of inner.values()) add(String(at++), field);
    } else if (spread) {
      // An untainted spread at the front fixes item 0, the program of a command list.
      if (at === 0 && taintsIn(fact).length === 0) add('0', elementOf(fact));
      add('*', elementOf(fact));
      at = undefined;
    } else if (at === undefined) add('*', fact);
    else add(String(at++), fact);
  }
  return { taints: [], fields };
}

const isListFact = ({ fields, value }: Fact): boolean => fields !== undefined && !value;
const isNotString = ({ taints, value }: Fact): boolean =>
  taints.length === 0 && value?.kind !== 'constant' && value?.kind !== 'text';

/** Expands a list value of the first pass into fields. */
function withItems(fact: Fact): Fact {
  const { value } = fact;
  if (fact.fields || value?.kind !== 'list') return fact;
  const items = value.items.map((item, at): [string, Fact] => [
    String(at),
    { taints: [], value: item, name: qualifiedName(item) },
  ]);
  return { taints: [], fields: new Map(items) };
}

/** Transfer function of a binary operator: `+` concatenates, `%` formats, `/` joins paths in Python. */
export function binaryFact(op: string, left: Fact, right: Fact): Fact {
  if (op === '+') {
    // `+` of lists is concatenation of items in Python; as a string it would taint the program of a command list.
    if ((left.fields && !left.value) || (isListFact(right) && isNotString(left)))
      return listFact([
        { fact: withItems(left), spread: true },
        { fact: right, spread: true },
      ]);
    return concatFacts([left, right]);
  }
  if (op === '%') return concatFormat(left, right);
  if (op === '/') {
    const taints = mergeTaints(taintsIn(left), taintsIn(right));
    // pathlib overloads `/`; a division of numbers carries no taint.
    return taints.length === 0 && left.name === undefined
      ? untaintedFact
      : {
          // A joined path is not the parameter itself any more.
          taints: taints.map((taint) => ({ ...taint, whole: false })),
          name: 'pathlib.Path()',
          // A check of the joined path also proves its parts.
          from: [...(left.from ?? []), ...(right.from ?? [])],
          // The home folder is no boundary: a path below it counts as if it began with the right side.
          lead:
            taints.length === 0
              ? spelledPath(left, right)
              : taintsIn(left).length > 0
                ? left.lead
                : isUserFolder(left)
                  ? right.lead
                  : true,
          tail: right.tail,
        };
  }
  if (op === '==' || op === '!=') return settingComparison(op, left, right) ?? equalityFact(op, left, right);
  if (op === '|' || op === '??') return joinFacts(left, right);
  return untaintedFact;
}

const spelling = (fact: Fact): string =>
  typeof fact.lead === 'string' ? fact.lead : (constantText(fact) ?? (isUserFolder(fact) ? '~' : ''));
/** Path of two untainted parts as far as it is written in the code, to recognise credential files. */
const spelledPath = (left: Fact, right: Fact): string => `${spelling(left)}/${spelling(right)}`;

/** `'… %s' % x`: the tainted string lands inside the constant one. */
function concatFormat(left: Fact, right: Fact): Fact {
  const text = constantText(left);
  if (text === undefined) return { taints: mergeTaints(taintsIn(left), taintsIn(right)) };
  // Format directives are not parsed one by one: everything after the first one counts as behind the tainted part.
  const cut = text.indexOf('%');
  return concatFacts([
    { taints: [], value: { kind: 'constant', value: text.slice(0, Math.max(0, cut)) } },
    { taints: taintsIn(right) },
    { taints: [], value: { kind: 'constant', value: text.slice(cut) } },
  ]);
}

function equalityFact(op: string, left: Fact, right: Fact): Fact {
  const [one, other] = [plainConstant(left), plainConstant(right)];
  return one && other
    ? { taints: [], value: { kind: 'constant', value: (one.value === other.value) === (op === '==') } }
    : untaintedFact;
}

/** Constant of an untainted value; a member of a Python string enum counts as its string. */
export function plainConstant(fact: Fact): Constant | undefined {
  // A tainted value may hold the constant only on some paths, so no branch may be pruned by it.
  if (fact.taints.length > 0) return undefined;
  const value = fact.value?.kind === 'object' && fact.value.cls ? fact.value.props.get('value') : fact.value;
  return value?.kind === 'constant' ? value : undefined;
}
