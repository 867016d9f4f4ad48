import { type Constant, type Value, unknown } from '../evaluate/values.js';
import { isClosedPrefix } from './containment.js';
import { type Fact, type Taint, danger, fromWhole, joinFacts, mergeTaints, nothingKnown, taintsIn } from './facts.js';
import { nameOfValue } from './names.js';
import { safeBehind } from './quoting.js';
import { ofSetting } from './switches.js';
import { isAnywhere } from './transfers.js';

/** The known string of a fact. */
export const textOf = (fact: Fact | undefined): string | undefined =>
  fact?.value?.kind === 'constant' && typeof fact.value.value === 'string' ? fact.value.value : undefined;

/** A text of the code's own. */
export const constantFact = (value: string): Fact => ({ taints: [], value: { kind: 'constant', value } });

/** Known and unknown parts as one text; what stands before the first tainted part is its lead. */
export function concat(parts: readonly Fact[]): Fact {
  const known: (string | Value)[] = [];
  const lists: (readonly Taint[])[] = [];
  let front = '';
  let lead: string | true | undefined;
  let sawTaint = false;
  let literal = '';
  for (const part of parts) {
    const text = part.value?.kind === 'constant' ? String(part.value.value) : undefined;
    if (text !== undefined) known.push(text);
    else if (part.value?.kind === 'text') known.push(...part.value.parts);
    else known.push(unknown('part'));
    const taints = taintsIn(part);
    if (taints.length > 0 && !sawTaint) {
      sawTaint = true;
      lead =
        lead === true ? true : part.lead === true ? true : front + (typeof part.lead === 'string' ? part.lead : '');
    } else if (!sawTaint) {
      if (text === undefined) lead = true;
      else front += text;
    }
    const behind = sawTaint && (lead === true || (typeof lead === 'string' && /[/\\]/.test(lead)));
    const safe = behind ? danger.pathAbsolute : 0;
    lists.push(
      taints.map((taint) => ({
        ...taint,
        safe: taint.safe | safe | safeBehind(literal, taint.safe),
        whole: taint.whole && parts.length === 1,
      })),
    );
    literal = text ?? (part.value ? (trailing(part.value) ?? '') : '');
  }
  const taints = mergeTaints(...lists);
  const last = parts.at(-1);
  const isKnown = taints.length === 0 && known.every((part) => typeof part === 'string');
  return {
    taints,
    value: isKnown ? { kind: 'constant', value: known.join('') } : { kind: 'text', parts: known.slice(0, 64) },
    ...(sawTaint
      ? { lead, tail: /\.\w{1,8}$/.exec(literal)?.[0] ?? (last && taintsIn(last).length > 0 ? last.tail : undefined) }
      : {}),
    ...(last && isClosedPrefix(last) ? { isClosed: true } : {}),
  };
}

/** The known text at the end of a value. */
function trailing(value: Value): string | undefined {
  const last = value.kind === 'text' ? value.parts.at(-1) : undefined;
  return typeof last === 'string' ? last : undefined;
}

/** Any one element of a collection. */
export function elementOf(fact: Fact): Fact {
  const fields = fact.fields ? [...fact.fields.values()] : [];
  const element = fields.reduce<Fact | undefined>(
    (joined, field) => (joined ? joinFacts(joined, field) : field),
    undefined,
  );
  if (element)
    return fact.taints.length > 0 && element.taints.length === 0 ? { ...element, taints: fact.taints } : element;
  return { taints: fact.taints, from: fromWhole(fact.from) };
}

/** A table whose keys the code wrote; values of the caller's under them do not make the keys the caller's. */
const isTable = ({ fields, taints }: Fact): boolean =>
  fields !== undefined &&
  fields.size > 0 &&
  taints.length === 0 &&
  [...fields.keys()].every((key) => !/^(?:\d+|\*)$/.test(key));

/** What going through a value gives at each turn; a table of Python gives its keys. */
export const turnOf = (fact: Fact, isPython: boolean): Fact =>
  isPython && isTable(fact) ? { taints: [] } : elementOf(fact);

/** The keys of a table, or each with its value. */
export function listed(table: Fact, how: 'keys' | 'pairs'): Fact | undefined {
  if (!isTable(table)) return undefined;
  const pair = listFact([
    { fact: { taints: [] }, spread: false },
    { fact: elementOf(table), spread: false },
  ]);
  return { taints: [], fields: new Map([['*', how === 'keys' ? { taints: [] } : pair]]) };
}

/** A list of known items. */
export function listFact(items: readonly { readonly fact: Fact; readonly spread: boolean }[]): Fact {
  const fields = new Map<string, Fact>();
  let at: number | undefined = 0;
  const add = (key: string, fact: Fact): void => {
    const before = fields.get(key);
    fields.set(key, before ? joinFacts(before, fact) : fact);
  };
  for (const { fact, spread } of items) {
    const inner = spread ? fact.fields : undefined;
    if (inner && !inner.has('*') && at !== undefined) {
      for (const field of inner.values()) add(String(at++), field);
    } else if (spread) {
      // What a list of the code's own begins with is not the caller's, whatever it is.
      if (at === 0 && taintsIn(fact).length === 0) add('0', elementOf(fact));
      add('*', elementOf(fact));
      at = undefined;
    } else if (at === undefined) add('*', fact);
    else add(String(at++), fact);
  }
  return { taints: [], fields };
}

const isList = ({ fields, value }: Fact): boolean => fields !== undefined && !value;
const isNoText = ({ taints, value }: Fact): boolean =>
  taints.length === 0 && value?.kind !== 'constant' && value?.kind !== 'text';

/** A list that the run knows as a whole, with its items as parts. */
function withItems(fact: Fact): Fact {
  const { value } = fact;
  if (fact.fields || value?.kind !== 'list') return fact;
  const items = value.items.map((item, at): [string, Fact] => [
    String(at),
    { taints: [], value: item, name: nameOfValue(item) },
  ]);
  return { taints: [], fields: new Map(items) };
}

export function binaryFact(op: string, left: Fact, right: Fact): Fact {
  if (op === '+') {
    if ((left.fields && !left.value) || (isList(right) && isNoText(left)))
      return listFact([
        { fact: withItems(left), spread: true },
        { fact: right, spread: true },
      ]);
    return concat([left, right]);
  }
  if (op === '%') return concatFormat(left, right);
  if (op === '/') {
    const taints = mergeTaints(taintsIn(left), taintsIn(right));
    // In Python this joins paths; a number has no text to carry.
    return taints.length === 0 && left.name === undefined
      ? nothingKnown
      : {
          taints: taints.map((taint) => ({ ...taint, whole: false })),
          name: 'pathlib.Path()',
          from: [...(left.from ?? []), ...(right.from ?? [])],
          lead: taintsIn(left).length > 0 ? left.lead : isAnywhere(left) ? right.lead : true,
          tail: right.tail,
        };
  }
  if (op === '==' || op === '!=') return ofSetting(op, left, right) ?? sameness(op, left, right);
  if (op === '|' || op === '??') return joinFacts(left, right);
  return nothingKnown;
}

/** `'… %s' % x` puts the text in the middle of the known one. */
function concatFormat(left: Fact, right: Fact): Fact {
  const text = textOf(left);
  if (text === undefined) return { taints: mergeTaints(taintsIn(left), taintsIn(right)) };
  const cut = text.indexOf('%');
  return concat([
    { taints: [], value: { kind: 'constant', value: text.slice(0, Math.max(0, cut)) } },
    { taints: taintsIn(right) },
    { taints: [], value: { kind: 'constant', value: text.slice(cut) } },
  ]);
}

function sameness(op: string, left: Fact, right: Fact): Fact {
  const [one, other] = [plainConstant(left), plainConstant(right)];
  return one && other
    ? { taints: [], value: { kind: 'constant', value: (one.value === other.value) === (op === '==') } }
    : nothingKnown;
}

/** The constant that a value is; a member of a Python enumeration of strings is its text. */
export function plainConstant(fact: Fact): Constant | undefined {
  if (fact.taints.length > 0) return undefined;
  const value = fact.value?.kind === 'object' && fact.value.cls ? fact.value.props.get('value') : fact.value;
  return value?.kind === 'constant' ? value : undefined;
}
