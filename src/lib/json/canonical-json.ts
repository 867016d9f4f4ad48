/** Depth up to which the recursive form is used; deeper values are written with an explicit stack. */
const maxRecursion = 64;
/** Longest text; values with many references to one another could grow without end. */
const maxLength = 67_108_864;

/**
 * JSON with sorted keys and no spaces: equal values give equal text, so that it can be hashed or compared. Any depth is written: callers
 * choose it, and an exhausted stack in the audit would lose the record (denial of service). Throws RangeError beyond 64 Mi
 * characters and for a value that contains itself.
 */
export function canonicalJson(value: unknown): string {
  const sorted = isCanonical(value, 0) ? value : sortedCopy(value, 0);
  return sorted === unsorted ? write(value, 0) : (JSON.stringify(sorted) ?? 'null');
}

/** Whether JSON.stringify writes the canonical form as it is: all keys in order. */
function isCanonical(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxRecursion) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isCanonical(item, depth + 1)) return false;
    return true;
  }
  if (!isPlain(value)) return false;
  let before = '';
  for (const key in value) {
    if (key < before) return false;
    before = key;
    if (!isCanonical((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false; // a key of it
  }
  return true;
}

/** Objects of JSON: neither inherited fields nor a `toJSON` can make JSON.stringify write something else. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !('toJSON' in value);
}

const unsorted = Symbol('no sorted copy');
/** An array index as a key always comes first in an object, wherever it is put. */
const INDEX = /^\d/;

/** A copy with keys in order, for JSON.stringify, which is several times as fast as building the text here; `unsorted` if there is none. */
function sortedCopy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxRecursion) return unsorted;
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    for (const item of value) {
      const sorted = sortedCopy(item, depth + 1);
      if (sorted === unsorted) return unsorted;
      copy.push(sorted);
    }
    return copy;
  }
  if (!isPlain(value)) return unsorted;
  const record = value as Readonly<Record<string, unknown>>; // an object that is neither null nor an array
  const copy: Record<string, unknown> = {};
  for (const key of sortedKeys(record)) {
    if (INDEX.test(key) || key === '__proto__') return unsorted;
    const sorted = sortedCopy(record[key], depth + 1);
    if (sorted === unsorted) return unsorted;
    copy[key] = sorted;
  }
  return copy;
}

function write(value: unknown, depth: number): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (depth === maxRecursion) return writeDeep(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  const record = value as Readonly<Record<string, unknown>>; // an object that is neither null nor an array
  // Appends to one string: this runs for every audited call, and joining a list of parts costs half as much again.
  let text = '{';
  for (const key of sortedKeys(record)) {
    const field = record[key];
    if (field !== undefined) text += `${text.length === 1 ? '' : ','}${JSON.stringify(key)}:${write(field, depth + 1)}`;
  }
  return `${text}}`;
}

/** An object or array that is being written: what is left of it, last part first. */
interface OpenContainer {
  readonly parts: (readonly [prefix: string, value: unknown])[];
  readonly end: string;
  readonly value: object;
}

function containerOf(value: object): OpenContainer {
  if (Array.isArray(value))
    return {
      parts: value.map((item, at): [string, unknown] => [at === 0 ? '' : ',', item]).toReversed(),
      end: ']',
      value,
    };
  const record = value as Readonly<Record<string, unknown>>; // an object that is neither null nor an array
  const keys = sortedKeys(record).filter((key) => record[key] !== undefined);
  return {
    parts: keys
      .map((key, at): [string, unknown] => [`${at === 0 ? '' : ','}${JSON.stringify(key)}:`, record[key]])
      .toReversed(),
    end: '}',
    value,
  };
}

function writeDeep(root: object): string {
  let text = Array.isArray(root) ? '[' : '{';
  const open = [containerOf(root)];
  const ancestors = new Set<object>([root]);
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    if (text.length > maxLength) throw new RangeError('The value is too large for its canonical form');
    const part = frame.parts.pop();
    if (part === undefined) {
      text += frame.end;
      open.pop();
      ancestors.delete(frame.value);
      continue;
    }
    const [prefix, value] = part;
    text += prefix;
    if (value === null || typeof value !== 'object') text += JSON.stringify(value) ?? 'null';
    else {
      if (ancestors.has(value)) throw new RangeError('The value contains itself');
      ancestors.add(value);
      text += Array.isArray(value) ? '[' : '{';
      open.push(containerOf(value));
    }
  }
  return text;
}

let lastKeys: readonly string[] = [];
let lastSorted: readonly string[] = [];

function sortedKeys(record: Readonly<Record<string, unknown>>): readonly string[] {
  const keys = Object.keys(record);
  if (isInOrder(keys)) return keys;
  // Rows of a table have the same keys: sorting them once is enough.
  if (keys.length !== lastKeys.length || keys.some((key, at) => key !== lastKeys[at])) {
    lastKeys = keys;
    lastSorted = keys.toSorted();
  }
  return lastSorted;
}

function isInOrder(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at += 1) if ((keys[at - 1] ?? '') > (keys[at] ?? '')) return false;
  return true;
}
