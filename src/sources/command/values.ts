import type { JsonObject } from '../../core/json.js';
import type { Flag } from './flag.js';
import { anchored } from './pattern.js';

/** A value of a flag in the form it is kept and passed on. */
export type FlagValue = string | number | boolean | readonly (string | number)[];

/** A value that keeps its flag's rule, or what the rule is. */
export type ValueReading = { readonly ok: true; readonly value: FlagValue } | Misfit;

interface Misfit {
  readonly ok: false;
  readonly message: string;
  readonly expected: string;
  readonly example: string;
}

// Lone surrogates and everything outside printable ASCII: no vetted flag needs them, and programs disagree on what they mean.
const unprintable = /[^\x20-\x7e]/;
const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const ipv6 = /^[0-9a-f:]{2,39}(?:\d{1,3}(?:\.\d{1,3}){3})?$/i;
const maxPortRanges = 100;

/** Reads one value of a flag as JSON gives it: exact type, range and rule, nothing coerced. */
export function readValue(flag: Flag, given: unknown): ValueReading {
  if (!flag.repeatable) return readOne(flag, given);
  const items: unknown[] = Array.isArray(given) ? given : [given];
  if (items.length === 0 || items.length > flag.max_items)
    return misfit(flag, `must hold 1 to ${flag.max_items} values`);
  const values: (string | number)[] = [];
  for (const item of items) {
    const reading = readOne({ ...flag, repeatable: false }, item);
    if (!reading.ok) return reading;
    values.push(joined(reading.value));
  }
  return { ok: true, value: values };
}

/** Reads a value as a word of `extra_args` spells it, by the same rules. */
export function readWord(flag: Flag, word: string): ValueReading {
  if (flag.type === 'integer') return readOne(flag, /^\d{1,15}$/.test(word) ? Number(word) : word);
  if (flag.type === 'number') return readOne(flag, /^\d{1,15}(?:\.\d{1,6})?$/.test(word) ? Number(word) : word);
  return readOne(flag, word);
}

function readOne(flag: Flag, given: unknown): ValueReading {
  switch (flag.type) {
    case 'boolean':
      return typeof given === 'boolean' ? { ok: true, value: given } : misfit(flag);
    case 'integer':
    case 'number':
      return readNumber(flag, given);
    case 'list':
      return readList(flag, given);
    default:
      return readText(flag, given);
  }
}

function readNumber(flag: Flag, given: unknown): ValueReading {
  const { min = 0, max = 0 } = flag;
  if (typeof given !== 'number' || !Number.isFinite(given) || given < min || given > max) return misfit(flag);
  if (flag.type === 'integer' && !Number.isInteger(given)) return misfit(flag);
  // 1e-7 is a number to us and a word to the program.
  return /^\d+(?:\.\d+)?$/.test(String(given)) ? { ok: true, value: given } : misfit(flag);
}

function readList(flag: Flag, given: unknown): ValueReading {
  const items: unknown[] = typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : [];
  if (items.length === 0 || items.length > flag.max_items) return misfit(flag);
  const texts: string[] = [];
  for (const item of items) {
    const reading = readText(flag, item);
    if (!reading.ok) return reading;
    // A comma inside an item would be two items to the program.
    if (typeof reading.value !== 'string' || reading.value.includes(',')) return misfit(flag);
    texts.push(reading.value);
  }
  return { ok: true, value: texts };
}

function readText(flag: Flag, given: unknown): ValueReading {
  if (typeof given !== 'string' || given === '' || given.length > flag.max_length) return misfit(flag);
  if (unprintable.test(given)) return misfit(flag, 'must be printable ASCII without control characters');
  // The program would take it for another flag.
  if (given.startsWith('-')) return misfit(flag, 'must not begin with a hyphen');
  if (flag.type === 'ports') return readPorts(flag, given);
  if (flag.type === 'address' && !(ipv4.test(given) || (given.includes(':') && ipv6.test(given)))) return misfit(flag);
  if (flag.values !== undefined && !flag.values.includes(given)) return misfit(flag);
  if (flag.pattern !== undefined && !anchored(flag.pattern).test(given)) return misfit(flag);
  return { ok: true, value: given };
}

function readPorts(flag: Flag, given: string): ValueReading {
  const ranges = given.split(',');
  if (!/^[\d,-]+$/.test(given)) return misfit(flag);
  if (ranges.length > maxPortRanges) return misfit(flag, `must hold at most ${maxPortRanges} ports or ranges`);
  for (const range of ranges) {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(range) ?? [];
    const [low, high] = [Number(from), Number(to)];
    if (from === '' || low < 1 || high > 65_535)
      return misfit(flag, `${range.slice(0, 20)} is not a port from 1 to 65535`);
    if (low > high) return misfit(flag, `the range ${range} begins above its end`);
  }
  return { ok: true, value: given };
}

const joined = (value: FlagValue): string | number =>
  typeof value === 'object' ? value.join(',') : typeof value === 'boolean' ? String(value) : value;

function misfit(flag: Flag, message?: string): Misfit {
  const expected = expectation(flag);
  return { ok: false, message: message ?? `must be ${expected}`, expected, example: exampleOf(flag) };
}

/** What a flag takes, in words. */
export function expectation(flag: Flag): string {
  switch (flag.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number from ${flag.min} to ${flag.max}`;
    case 'number':
      return `a number from ${flag.min} to ${flag.max}`;
    case 'enum':
      return `one of ${flag.values?.join(', ')}`;
    case 'ports':
      return 'ports from 1 to 65535 as numbers and ranges, separated by commas';
    case 'address':
      return 'one IP address';
    case 'list':
      return `up to ${flag.max_items} values, each ${flag.values ? `one of ${flag.values.join(', ')}` : `like ${flag.pattern}`}`;
    case 'string':
      return flag.values ? `one of ${flag.values.join(', ')}` : `text like ${flag.pattern}`;
  }
}

/** A value that keeps the flag's rule, as far as one can be told. */
export function exampleOf(flag: Flag): string {
  if (flag.example !== undefined) return flag.example;
  if (flag.default !== undefined) return String(flag.default);
  if (flag.type === 'ports') return '80-443';
  if (flag.type === 'address') return '192.168.1.10';
  if (flag.type === 'boolean') return 'true';
  return String(flag.values?.[0] ?? flag.min ?? '');
}

/** The JSON Schema of the argument this flag becomes. */
export function schemaOf(flag: Flag): JsonObject {
  const told = {
    ...(flag.description !== undefined && { description: flag.description }),
    ...(flag.default !== undefined && { default: flag.default }),
  };
  const { repeatable, max_items: maxItems } = flag;
  if (repeatable) return { type: 'array', items: itemSchema(flag), minItems: 1, maxItems, ...told };
  if (flag.type === 'list')
    return { type: 'array', items: itemSchema({ ...flag, type: 'string' }), minItems: 1, maxItems, ...told };
  return { ...itemSchema(flag), ...told };
}

function itemSchema(flag: Flag): JsonObject {
  switch (flag.type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
    case 'number':
      return { type: flag.type, minimum: flag.min, maximum: flag.max };
    case 'ports':
      return {
        type: 'string',
        pattern: '^[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*$',
        maxLength: flag.max_length,
      };
    case 'address':
      return { type: 'string', description: 'An IP address', maxLength: 45 };
    default:
      if (flag.values) return { type: 'string', enum: flag.values };
      return { type: 'string', pattern: `^(?:${flag.pattern})$`, maxLength: flag.max_length };
  }
}
