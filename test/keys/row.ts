import type { Subject } from './subject.js';

/** Proof by behaviour for one key: what a caller sees differs with its value. */
export interface Row {
  /** Path in the schema; `*` is any name, `[]` any list item, `(kind)` one kind of source. */
  readonly key: string;
  readonly from: unknown;
  readonly to: unknown;
  /** The rest of the configuration; has to contain the objects that the key stands in. */
  readonly base: object;
  observe(subject: Subject): unknown;
  /** What is observed before and after the change. */
  readonly sees: readonly [unknown, unknown];
  /** Runs on a gateway of its own: the row leaves state behind that the next one would see. */
  readonly alone?: true;
}

/** A key whose effect cannot be seen from outside within reason. */
export interface UnseenRow {
  readonly key: string;
  readonly why: string;
  /** File and title of the test that proves it. */
  readonly test: readonly [file: string, title: string];
}

type Values = readonly [from: unknown, to: unknown];

/** A factory of rows over one base configuration. */
export const rowsOver =
  (base: object) =>
  (key: string, [from, to]: Values, observe: Row['observe'], sees: Row['sees'], more: object = {}): Row => ({
    key,
    from,
    to,
    observe,
    sees,
    base: merged(base, more),
  });

/** The row on a gateway of its own. */
export const alone = (row: Row): Row => ({ ...row, alone: true });

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects are merged, everything else is replaced. */
export function merged(base: object, more: object): object {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(more)) {
    const before = result[key];
    result[key] = isPlain(before) && isPlain(value) ? merged(before, value) : value;
  }
  return result;
}

/** Where a key of the schema stands in a configuration: `*` is the first name there, `[]` the first item. */
export function placeOf(key: string, base: object): readonly string[] {
  let at: unknown = base;
  const place: string[] = [];
  for (const part of key.split('.')) {
    if (/^\(.*\)$/.test(part)) continue;
    const name = part === '*' ? Object.keys(isPlain(at) ? at : {})[0] : part === '[]' ? '0' : part;
    if (name === undefined) throw new Error(`${key}: the base has no entry for ${part}`);
    place.push(name);
    at = isPlain(at) ? at[name] : Array.isArray(at) ? at[Number(name)] : undefined;
  }
  return place;
}

/** The configuration with a value at a place; undefined removes the key. */
export function withValue(base: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(base)) return base.map((item, at) => (String(at) === name ? withValue(item, rest, value) : item));
  const { [name]: inner, ...others } = isPlain(base) ? base : {};
  const next = withValue(inner, rest, value);
  return next === undefined ? others : { ...others, [name]: next };
}
