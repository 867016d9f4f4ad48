/** Depth up to which the recursive form is used; deeper values are written with an explicit stack. */
const maxRecursion = 64;
/** Longest text; a value that refers to itself would never end. */
const maxLength = 67_108_864;

/**
 * JSON with sorted keys and no spaces: equal values give equal text, so that it can be hashed or compared. Any depth is written: callers
 * choose it, and an exhausted stack in the audit would lose the record (denial of service). Throws RangeError beyond 64 Mi characters.
 */
export const canonicalJson = (value: unknown): string => write(value, 0);

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
}

function containerOf(value: object): OpenContainer {
  if (Array.isArray(value))
    return { parts: value.map((item, at): [string, unknown] => [at === 0 ? '' : ',', item]).toReversed(), end: ']' };
  const record = value as Readonly<Record<string, unknown>>; // an object that is neither null nor an array
  const keys = sortedKeys(record).filter((key) => record[key] !== undefined);
  return {
    parts: keys
      .map((key, at): [string, unknown] => [`${at === 0 ? '' : ','}${JSON.stringify(key)}:`, record[key]])
      .toReversed(),
    end: '}',
  };
}

function writeDeep(root: object): string {
  let text = Array.isArray(root) ? '[' : '{';
  const open = [containerOf(root)];
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    if (text.length > maxLength) throw new RangeError('The value is too large for its canonical form');
    const part = frame.parts.pop();
    if (part === undefined) {
      text += frame.end;
      open.pop();
      continue;
    }
    const [prefix, value] = part;
    text += prefix;
    if (value === null || typeof value !== 'object') text += JSON.stringify(value) ?? 'null';
    else {
      text += Array.isArray(value) ? '[' : '{';
      open.push(containerOf(value));
    }
  }
  return text;
}

function sortedKeys(record: Readonly<Record<string, unknown>>): string[] {
  const keys = Object.keys(record);
  return isInOrder(keys) ? keys : keys.sort();
}

function isInOrder(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at += 1) if ((keys[at - 1] ?? '') > (keys[at] ?? '')) return false;
  return true;
}
