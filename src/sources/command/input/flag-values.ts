import type { JsonObject } from '../../../core/json.js';
import type { Flag } from '../manifest/flag.js';
import { anchoredPattern } from '../manifest/pattern.js';

/** A parsed flag value. */
export type FlagValue = string | number | boolean | readonly (string | number)[];

/** A valid flag value, or why it is invalid. */
type ValueResult = { readonly ok: true; readonly value: FlagValue } | InvalidValue;

/** Why a value does not fit a flag, with what would. */
interface InvalidValue {
  readonly ok: false;
  readonly message: string;
  readonly expected: string;
  readonly example: string;
}

// Only printable ASCII: no flag needs more, and programs interpret other characters differently.
const nonPrintable = /[^\x20-\x7e]/;
/**
 * Dotted quads only: `010.0.0.1` and `1.1` mean different addresses to different programs, and the range check is the
 * policy's.
 */
const ipv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const ipv6 = /^[0-9a-f:]{2,39}(?:\d{1,3}(?:\.\d{1,3}){3})?$/i;
/** Bound of a port list; more is a scan of everything in disguise. */
const maxPortRanges = 100;

/** Parses a JSON value for a flag: exact type, range and pattern, without coercion. */
export function parseFlagValue(flag: Flag, given: unknown): ValueResult {
  if (!flag.repeatable) return parseSingleValue(flag, given);
  const items: unknown[] = Array.isArray(given) ? given : [given];
  if (items.length === 0 || items.length > flag.max_items)
    return invalidValue(flag, `must hold 1 to ${flag.max_items} values`);
  const values: (string | number)[] = [];
  for (const item of items) {
    const result = parseSingleValue({ ...flag, repeatable: false }, item);
    if (!result.ok) return result;
    values.push(toFlagScalar(result.value));
  }
  return { ok: true, value: values };
}

/** Parses a word of `extra_args` by the same rules. */
export function parseFlagWord(flag: Flag, word: string): ValueResult {
  // Leading zeros and signs stay text and fail: programs read `010` as octal.
  if (flag.type === 'integer') return parseSingleValue(flag, /^\d{1,15}$/.test(word) ? Number(word) : word);
  if (flag.type === 'number')
    return parseSingleValue(flag, /^\d{1,15}(?:\.\d{1,6})?$/.test(word) ? Number(word) : word);
  return parseSingleValue(flag, word);
}

/** One value by the type of its flag. */
function parseSingleValue(flag: Flag, given: unknown): ValueResult {
  switch (flag.type) {
    case 'boolean':
      return typeof given === 'boolean' ? { ok: true, value: given } : invalidValue(flag);
    case 'integer':
    case 'number':
      return parseNumberValue(flag, given);
    case 'list':
      return parseListValue(flag, given);
    default:
      return parseTextValue(flag, given);
  }
}

/** A number within its range, in plain decimal notation. */
function parseNumberValue(flag: Flag, given: unknown): ValueResult {
  const { min = 0, max = 0 } = flag;
  if (typeof given !== 'number' || !Number.isFinite(given) || given < min || given > max) return invalidValue(flag);
  if (flag.type === 'integer' && !Number.isInteger(given)) return invalidValue(flag);
  // String(1e-7) is exponent notation, which programs do not accept.
  return /^\d+(?:\.\d+)?$/.test(String(given)) ? { ok: true, value: given } : invalidValue(flag);
}

/** A list, given as JSON array or as text with commas, as programs take it. */
function parseListValue(flag: Flag, given: unknown): ValueResult {
  const items: unknown[] = typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : [];
  if (items.length === 0 || items.length > flag.max_items) return invalidValue(flag);
  const texts: string[] = [];
  for (const item of items) {
    const result = parseTextValue(flag, item);
    if (!result.ok) return result;
    // A comma inside an item would split it into two items for the program.
    if (typeof result.value !== 'string' || result.value.includes(',')) return invalidValue(flag);
    texts.push(result.value);
  }
  return { ok: true, value: texts };
}

/** A text by length, character set, closed list and pattern. */
function parseTextValue(flag: Flag, given: unknown): ValueResult {
  if (typeof given !== 'string' || given === '' || given.length > flag.max_length) return invalidValue(flag);
  if (nonPrintable.test(given)) return invalidValue(flag, 'must be printable ASCII without control characters');
  // Argument injection: the program would interpret it as another flag.
  if (given.startsWith('-')) return invalidValue(flag, 'must not begin with a hyphen');
  if (flag.type === 'ports') return parsePorts(flag, given);
  if (flag.type === 'address' && !(ipv4.test(given) || (given.includes(':') && ipv6.test(given))))
    return invalidValue(flag);
  if (flag.values !== undefined && !flag.values.includes(given)) return invalidValue(flag);
  if (flag.pattern !== undefined && !anchoredPattern(flag.pattern).test(given)) return invalidValue(flag);
  return { ok: true, value: given };
}

/** Ports and ranges as nmap takes them; each is checked, because `-p-` and `-p 0-` mean "all". */
function parsePorts(flag: Flag, given: string): ValueResult {
  const ranges = given.split(',');
  if (!/^[\d,-]+$/.test(given)) return invalidValue(flag);
  if (ranges.length > maxPortRanges) return invalidValue(flag, `must hold at most ${maxPortRanges} ports or ranges`);
  for (const range of ranges) {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(range) ?? [];
    const [low, high] = [Number(from), Number(to)];
    if (from === '' || low < 1 || high > 65_535)
      return invalidValue(flag, `${range.slice(0, 20)} is not a port from 1 to 65535`);
    if (low > high) return invalidValue(flag, `the range ${range} begins above its end`);
  }
  return { ok: true, value: given };
}

/** Flattens a value to one word; lists are joined with commas. */
export const toFlagScalar = (value: FlagValue): string | number =>
  typeof value === 'object' ? value.join(',') : typeof value === 'boolean' ? String(value) : value;

/** A rejection that names what the flag accepts. */
function invalidValue(flag: Flag, message?: string): InvalidValue {
  const expected = describeExpected(flag);
  return { ok: false, message: message ?? `must be ${expected}`, expected, example: exampleFor(flag) };
}

/** Describes the values a flag accepts. */
function describeExpected(flag: Flag): string {
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
      return `up to ${flag.max_items} values, each ${flag.values ? `one of ${flag.values.join(', ')}` : `matching ${flag.pattern}`}`;
    case 'string':
      return flag.values ? `one of ${flag.values.join(', ')}` : `text matching ${flag.pattern}`;
  }
}

/** An example value for a flag, if one can be derived. */
function exampleFor(flag: Flag): string {
  if (flag.example !== undefined) return flag.example;
  if (flag.default !== undefined) return String(flag.default);
  if (flag.type === 'ports') return '80-443';
  if (flag.type === 'address') return '192.168.1.10';
  if (flag.type === 'boolean') return 'true';
  return String(flag.values?.[0] ?? flag.min ?? '');
}

/** JSON Schema of a flag's argument. */
export function toFlagSchema(flag: Flag): JsonObject {
  const annotations = {
    ...(flag.description !== undefined && { description: flag.description }),
    ...(flag.default !== undefined && { default: flag.default }),
  };
  const { repeatable, max_items: maxItems } = flag;
  if (repeatable) return { type: 'array', items: itemSchema(flag), minItems: 1, maxItems, ...annotations };
  if (flag.type === 'list')
    return { type: 'array', items: itemSchema({ ...flag, type: 'string' }), minItems: 1, maxItems, ...annotations };
  return { ...itemSchema(flag), ...annotations };
}

/** Schema of a single value, which clients use to build forms. */
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
