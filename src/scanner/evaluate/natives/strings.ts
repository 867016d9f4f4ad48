import { list, constant, native, nothing, stringOf, unknown, type Args, type Value } from '../values.js';
import { maxText, text } from '../operators.js';

type StringMethod = (self: string, args: Args) => Value | undefined;

const first = (args: Args): string | undefined => stringOf(args.positional[0]);
const number = (value: Value | undefined): number | undefined =>
  value?.kind === 'constant' && typeof value.value === 'number' ? value.value : undefined;
const maxLength = 200_000;

const methods: Readonly<Record<string, StringMethod>> = {
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
  startsWith: (self, args) => known(first(args), (part) => constant(self.startsWith(part))),
  startswith: (self, args) => known(first(args), (part) => constant(self.startsWith(part))),
  endsWith: (self, args) => known(first(args), (part) => constant(self.endsWith(part))),
  endswith: (self, args) => known(first(args), (part) => constant(self.endsWith(part))),
  includes: (self, args) => known(first(args), (part) => constant(self.includes(part))),
  removeprefix: (self, args) =>
    known(first(args), (part) => constant(self.startsWith(part) ? self.slice(part.length) : self)),
  removesuffix: (self, args) =>
    known(first(args), (part) => constant(part && self.endsWith(part) ? self.slice(0, -part.length) : self)),
  replace: (self, args) => replaced(self, args),
  replaceAll: (self, args) => replaced(self, args),
  split: (self, args) =>
    known(first(args) ?? (args.positional.length === 0 ? ' ' : undefined), (by) =>
      list(self.split(by).slice(0, 2_000).map(constant)),
    ),
  concat: (self, args) => text([self, ...args.positional]),
  slice: (self, args) => constant(self.slice(number(args.positional[0]) ?? 0, number(args.positional[1]))),
  substring: (self, args) => constant(self.substring(number(args.positional[0]) ?? 0, number(args.positional[1]))),
  charAt: (self, args) => constant(self.charAt(number(args.positional[0]) ?? 0)),
  repeat: (self, args) =>
    known(number(args.positional[0]), (times) =>
      times >= 0 && times * self.length < maxLength ? constant(self.repeat(times)) : undefined,
    ),
  join: (self, args) => joined(self, args.positional[0]),
  format: (self, args) => formatted(self, args),
};

const known = <T>(value: T | undefined, then: (value: T) => Value | undefined): Value | undefined =>
  value === undefined ? undefined : then(value);

function replaced(self: string, args: Args): Value | undefined {
  const [from, by] = args.positional;
  const to = stringOf(by);
  const pattern = stringOf(from) ?? plainPattern(from);
  if (pattern === undefined || to === undefined || self.length * (to.length + 1) > maxText * 10) return undefined;
  return constant(typeof pattern === 'string' ? self.replaceAll(pattern, () => to) : self.replace(pattern, () => to));
}

/** One character or class, repeated or not. Others are left alone: a pattern of the scanned code must not be able to stall the scan. */
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

/** A list of texts joined by a separator, known as far as its items are. */
export function joined(separator: string, items: Value | undefined): Value | undefined {
  if (items?.kind !== 'list') return undefined;
  const parts = items.items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]));
  return text(items.open ? [...parts, unknown('more')] : parts);
}

function formatted(self: string, args: Args): Value {
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
  return text([...parts, self.slice(from)]);
}

const bounded = (value: Value): Value => ((stringOf(value)?.length ?? 0) > maxText ? unknown('too long') : value);

/** The method of a string, or its length. */
export function stringMethod(value: Value, name: string): Value {
  const self = stringOf(value);
  if (self === undefined) {
    // Methods that only tidy a partly known text leave it as it is.
    return value.kind === 'text' && /^(?:trim|strip|trimStart|trimEnd|toString)$/.test(name)
      ? native(name, () => value)
      : unknown(name);
  }
  if (name === 'length') return constant(self.length);
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return method
    ? native(name, (args) => bounded(method(self, args) ?? unknown(name)))
    : /^\d+$/.test(name)
      ? constant(self.at(Number(name)))
      : value.kind === 'constant'
        ? unknown(name)
        : nothing;
}

/** Python's `textwrap.dedent`. */
export function dedent(value: string): string {
  const lines = value.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const margin = indents.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  return Number.isFinite(margin) ? lines.map((line) => line.slice(margin)).join('\n') : value;
}
