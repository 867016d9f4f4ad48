import { posix } from 'node:path';
import { constant, isVoid, join, listValue, unknown, type Constant, type Value } from './values.js';

const textParts = (value: Value): readonly (string | Value)[] => {
  if (value.kind === 'text') return value.parts;
  if (value.kind === 'constant') return [String(value.value)];
  return [value];
};

/** Fast path: concatenates parts that are all constant and short enough, without copying. */
function plainText(parts: readonly (string | Value)[]): string | undefined {
  let whole = '';
  for (const part of parts) {
    if (typeof part === 'string') whole += part;
    else if (part.kind === 'constant') whole += String(part.value);
    else return undefined;
    if (whole.length > maxText) return undefined;
  }
  return whole;
}

// Bounds on the size of strings and lists that hostile code can build in a loop.
const maxTexts = 12;
const maxParts = 5_000;

/** Longer strings become unknown. */
export const maxText = 300_000;
const maxItems = 20_000;

/** String from parts: a constant if all are known, a choice if one part is a choice. */
export function textValue(parts: readonly (string | Value)[]): Value {
  const whole = plainText(parts);
  if (whole !== undefined) return constant(whole);
  const at = parts.findIndex(
    (part) => typeof part !== 'string' && part.kind === 'choice' && part.options.length <= maxTexts,
  );
  const part = parts[at];
  // One choice is distributed over the string; a second one would multiply the options.
  if (part === undefined || typeof part === 'string' || part.kind !== 'choice') return mergeParts(parts);
  // Drop undefined options: they would only print as "undefined".
  const options = part.options
    .filter((option) => option.kind === 'unknown' || !isVoid(option))
    .map((option) => mergeParts(parts.with(at, option)));
  return options.reduce<Value | undefined>((all, option) => join(all, option), undefined) ?? mergeParts(parts);
}

function mergeParts(parts: readonly (string | Value)[]): Value {
  const flat = parts.flatMap((part) => (typeof part === 'string' ? [part] : textParts(part)));
  const merged: (string | Value)[] = [];
  for (const part of flat) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  if (merged.length === 0) return constant('');
  // Memory exhaustion: `s = s + s` in a loop doubles each time.
  if (
    merged.length > maxParts ||
    merged.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 1), 0) > maxText
  )
    return unknown('too long');
  const [only] = merged;
  return merged.length === 1 && typeof only === 'string' ? constant(only) : { kind: 'text', parts: merged };
}

const isText = (value: Value): boolean =>
  value.kind === 'text' || (value.kind === 'constant' && typeof value.value === 'string');
const maxRepeat = 10_000;

/** Abstract value of `left op right`. */
export function binary(op: string, left: Value, right: Value): Value {
  if (op === '+' && (isText(left) || isText(right))) return textValue([left, right]);
  if (op === '+' && left.kind === 'list' && right.kind === 'list')
    return listValue(
      [...left.items, ...right.items].slice(0, maxItems),
      left.open || right.open || left.items.length + right.items.length > maxItems,
    );
  // An unknown right operand may add items, so the list is open.
  if (op === '+' && left.kind === 'list') return listValue([...left.items], true);
  if (op === '%' && left.kind === 'constant' && typeof left.value === 'string') return percentFormat(left.value, right);
  if (op === '|' && left.kind === 'object' && right.kind === 'object') {
    return { ...left, props: new Map([...left.props, ...right.props]), open: left.open || right.open };
  }
  if (left.kind === 'constant' && right.kind === 'constant') return constantOperation(op, left.value, right.value);
  // A value of a known kind is never null: `handler != null` is decided without its content.
  if ((op === '==' || op === '!=') && (isDefinite(left) || isDefinite(right)) && (isNone(left) || isNone(right)))
    return constant(op === '!=');
  if (op === 'in' || op === 'not in') return membershipValue(op === 'in', left, right);
  return unknown(`operator ${op}`);
}

const isNone = (value: Value): boolean =>
  value.kind === 'constant' && (value.value === null || value.value === undefined);
const isDefinite = (value: Value): boolean =>
  ['list', 'object', 'function', 'class', 'module', 'native', 'text'].includes(value.kind);

function constantOperation(op: string, left: Constant['value'], right: Constant['value']): Value {
  // None, null and undefined compare equal, as in `== null`.
  const [one, other] = [left ?? undefined, right ?? undefined];
  if (op === '==') return constant(one === other);
  if (op === '!=') return constant(one !== other);
  if (typeof left === 'number' && typeof right === 'number') return arithmetic(op, left, right);
  if (typeof left === 'string' && typeof right === 'number' && op === '*')
    // Memory exhaustion: `"a" * 10**9`.
    return right * left.length <= maxRepeat && right >= 0 ? constant(left.repeat(right)) : unknown('repeat');
  if (typeof left === 'string' && typeof right === 'string') {
    if (op === 'in' || op === 'not in') return constant(right.includes(left) === (op === 'in'));
    if (op === '<') return constant(left < right);
    if (op === '>') return constant(left > right);
    // Paths are represented by their string: `/` joins them.
    if (op === '/') return constant(posix.join(left, right));
  }
  return unknown(`operator ${op}`);
}

function arithmetic(op: string, left: number, right: number): Value {
  switch (op) {
    case '+':
      return constant(left + right);
    case '-':
      return constant(left - right);
    case '*':
      return constant(left * right);
    case '/':
      return constant(left / right);
    case '//':
      return constant(Math.floor(left / right));
    case '%':
      return constant(left % right);
    case '**':
      return constant(left ** right);
    case '<':
      return constant(left < right);
    case '<=':
      return constant(left <= right);
    case '>':
      return constant(left > right);
    case '>=':
      return constant(left >= right);
    default:
      return unknown(`operator ${op}`);
  }
}

function membershipValue(wanted: boolean, left: Value, right: Value): Value {
  if (left.kind !== 'constant') return unknown('membership');
  if (right.kind === 'object' && !right.open && !right.collection)
    return constant(right.props.has(String(left.value)) === wanted);
  if (right.kind !== 'list') return unknown('membership');
  if (right.items.some((item) => item.kind === 'constant' && item.value === left.value)) return constant(wanted);
  // "Not in" needs complete knowledge: a closed list of constants.
  return right.open || right.items.some((item) => item.kind !== 'constant') ? unknown('membership') : constant(!wanted);
}

function percentFormat(format: string, right: Value): Value {
  const values = right.kind === 'list' ? [...right.items] : [right];
  const parts: (string | Value)[] = [];
  let from = 0;
  for (const match of format.matchAll(/%(?:\((\w+)\))?[-+#0 ]*\d*(?:\.\d+)?([sdrifx%])/g)) {
    parts.push(format.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === '%') parts.push('%');
    else if (match[1] !== undefined)
      parts.push((right.kind === 'object' ? right.props.get(match[1]) : undefined) ?? unknown('format'));
    else parts.push(values.shift() ?? unknown('format'));
  }
  return textValue([...parts, format.slice(from)]);
}
