import {
  listValue,
  constant,
  native,
  undefinedValue,
  stringOf,
  unknown,
  type Args,
  type Value,
} from '../values/values.js';
import { maxText, textValue } from '../values/operators.js';

type StringMethod = (self: string, args: Args) => Value | undefined;

const first = (args: Args): string | undefined => stringOf(args.positional[0]);
const numberArgument = (value: Value | undefined): number | undefined =>
  value?.kind === 'constant' && typeof value.value === 'number' ? value.value : undefined;
/** In characters; longer results become unknown. */
const maxLength = 200_000;

const stringMethods: Readonly<Record<string, StringMethod>> = {
  toLowerCase: (self) => constant(self.toLowerCase()),
  lower: (self) => constant(self.toLowerCase()),
  toUpperCase: (self) => constant(self.toUpperCase()),
  upper: (self) => constant(self.toUpperCase()),
  trim: (self) => constant(self.trim()),
  strip: (self, args) => (args.positional.length === 0 ? constant(self.trim()) : undefined),
  lstrip: (self, args) => (args.positional.length === 0 ? constant(self.trimStart()) : undefined),
  rstrip: (self, args) => (args.positional.length === 0 ? constant(self.trimEnd()) : undefined),
  trimStart: (self) => constant(self.trimStart()),
  trimEnd: (self) => constant(self.trimEnd()),
  toString: (self: string) => constant(self),
  title: (self) =>
    constant(self.replace(/[A-Za-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())),
  capitalize: (self) => constant(self.charAt(0).toUpperCase() + self.slice(1).toLowerCase()),
  startsWith: (self, args) => ifKnown(first(args), (part) => constant(self.startsWith(part))),
  startswith: (self, args) => ifKnown(first(args), (part) => constant(self.startsWith(part))),
  endsWith: (self, args) => ifKnown(first(args), (part) => constant(self.endsWith(part))),
  endswith: (self, args) => ifKnown(first(args), (part) => constant(self.endsWith(part))),
  includes: (self, args) => ifKnown(first(args), (part) => constant(self.includes(part))),
  removeprefix: (self, args) =>
    ifKnown(first(args), (part) => constant(self.startsWith(part) ? self.slice(part.length) : self)),
  removesuffix: (self, args) =>
    ifKnown(first(args), (part) => constant(part && self.endsWith(part) ? self.slice(0, -part.length) : self)),
  replace: (self, args) => replaceText(self, args),
  replaceAll: (self, args) => replaceText(self, args),
  split: (self, args) =>
    ifKnown(first(args) ?? (args.positional.length === 0 ? ' ' : undefined), (by) =>
      listValue(self.split(by).slice(0, 2_000).map(constant)),
    ),
  concat: (self, args) => textValue([self, ...args.positional]),
  slice: (self, args) =>
    constant(self.slice(numberArgument(args.positional[0]) ?? 0, numberArgument(args.positional[1]))),
  substring: (self, args) =>
    constant(self.substring(numberArgument(args.positional[0]) ?? 0, numberArgument(args.positional[1]))),
  charAt: (self, args) => constant(self.charAt(numberArgument(args.positional[0]) ?? 0)),
  repeat: (self, args) =>
    ifKnown(numberArgument(args.positional[0]), (times) =>
      times >= 0 && times * self.length < maxLength ? constant(self.repeat(times)) : undefined,
    ),
  join: (self, args) => joinText(self, args.positional[0]),
  format: (self, args) => formatText(self, args),
};

const ifKnown = <T>(value: T | undefined, then: (value: T) => Value | undefined): Value | undefined =>
  value === undefined ? undefined : then(value);

function replaceText(self: string, args: Args): Value | undefined {
  const [from, by] = args.positional;
  const to = stringOf(by);
  const pattern = stringOf(from) ?? plainPattern(from);
  // Every character can be replaced: the worst case is bounded before anything is built.
  if (pattern === undefined || to === undefined || self.length * (to.length + 1) > maxText * 10) return undefined;
  // A function as replacement, since `$&` in a string would be expanded.
  return constant(typeof pattern === 'string' ? self.replaceAll(pattern, () => to) : self.replace(pattern, () => to));
}

/** A single character or class, optionally repeated. Other patterns of the scanned code are never executed (ReDoS). */
const onePlace = /^(?:[^\\()[\]{}*+?|^$.]|\\[^\dkpPux]|\[\^?(?:[^\]\\]|\\.)+\])[+*]?$/;

function plainPattern(value: Value | undefined): RegExp | undefined {
  const [, source, flags] = (value?.kind === 'native' && /^\/(.+)\/([gi]*)$/s.exec(value.name)) || [];
  if (source === undefined || !onePlace.test(source)) return undefined;
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** Joins list items with a separator. */
export function joinText(separator: string, items: Value | undefined): Value | undefined {
  if (items?.kind !== 'list') return undefined;
  const parts = items.items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]));
  return textValue(items.open ? [...parts, unknown('more')] : parts);
}

function formatText(self: string, args: Args): Value {
  const parts: (string | Value)[] = [];
  let from = 0;
  let next = 0;
  for (const match of self.matchAll(/\{\{|\}\}|\{(\w*)[^{}]*\}/g)) {
    parts.push(self.slice(from, match.index));
    from = match.index + match[0].length;
    const key = match[1];
    if (key === undefined) parts.push(match[0].charAt(0));
    else if (key === '') parts.push(args.positional[next++] ?? unknown('format'));
    else parts.push(args.named.get(key) ?? args.positional[/^\d+$/.test(key) ? Number(key) : -1] ?? unknown('format'));
  }
  return textValue([...parts, self.slice(from)]);
}

const limitLength = (value: Value): Value => ((stringOf(value)?.length ?? 0) > maxText ? unknown('too long') : value);

/** Built-in method or length of a string. */
export function stringMethod(value: Value, name: string): Value {
  const self = stringOf(value);
  if (self === undefined) {
    // Trimming leaves a partially known string as it is.
    return value.kind === 'text' && /^(?:trim|strip|trimStart|trimEnd|toString)$/.test(name)
      ? native(name, () => value)
      : unknown(name);
  }
  if (name === 'length') return constant(self.length);
  // Own keys only: a method named `constructor` must not be found on the prototype of the table.
  const method = Object.hasOwn(stringMethods, name) ? stringMethods[name] : undefined;
  return method
    ? native(name, (args) => limitLength(method(self, args) ?? unknown(name)))
    : /^\d+$/.test(name)
      ? constant(self.at(Number(name)))
      : value.kind === 'constant'
        ? unknown(name)
        : undefinedValue;
}

/** Python's `textwrap.dedent`. */
export function dedent(value: string): string {
  const lines = value.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const margin = indents.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  return Number.isFinite(margin) ? lines.map((line) => line.slice(margin)).join('\n') : value;
}
