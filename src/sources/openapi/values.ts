/** An object of a document, before anybody has said what it means. */
export type Raw = Readonly<Record<string, unknown>>;

export const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field that the object has itself: `constructor` and its kin are not found on every object. */
export const own = (of: unknown, key: string): unknown => (isRaw(of) && Object.hasOwn(of, key) ? of[key] : undefined);

/** A field that is a text. */
export function textOf(of: unknown, key: string): string | undefined {
  const value = own(of, key);
  return typeof value === 'string' ? value : undefined;
}

/** A field that names something; unquoted in YAML, the name `404` is a number. */
export function labelOf(of: unknown, key: string): string | undefined {
  const value = own(of, key);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : textOf(of, key);
}

/** A field that is yes or no. */
export function flagOf(of: unknown, key: string): boolean | undefined {
  const value = own(of, key);
  return typeof value === 'boolean' ? value : undefined;
}

/** A field that is a list; anything else is an empty one. */
export function listOf(of: unknown, key: string): readonly unknown[] {
  const value = own(of, key);
  return Array.isArray(value) ? value : [];
}

/** The entries of a field that is an object, without `__proto__`, which no table may be asked for. */
export function entriesOf(of: unknown, key: string): readonly (readonly [string, unknown])[] {
  const value = own(of, key);
  return isRaw(value) ? Object.entries(value).filter(([name]) => name !== '__proto__') : [];
}

/** The texts of a field that is a list. */
export const textsOf = (of: unknown, key: string): readonly string[] =>
  listOf(of, key).filter((item) => typeof item === 'string');
