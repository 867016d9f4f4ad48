/** An unvalidated object of an untrusted document. */
export type RawObject = Readonly<Record<string, unknown>>;

export const isRawObject = (value: unknown): value is RawObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads an own property only: inherited ones such as `constructor` must not be found (prototype pollution). */
export const ownField = (object: unknown, key: string): unknown =>
  isRawObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;

/** A field that is a string. */
export function textField(object: unknown, key: string): string | undefined {
  const value = ownField(object, key);
  return typeof value === 'string' ? value : undefined;
}

/** A field that is a name; an unquoted `404` in YAML is a number. */
export function labelField(object: unknown, key: string): string | undefined {
  const value = ownField(object, key);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : textField(object, key);
}

/** A field that is a boolean. */
export function booleanField(object: unknown, key: string): boolean | undefined {
  const value = ownField(object, key);
  return typeof value === 'boolean' ? value : undefined;
}

/** A field that is a list; empty if it is anything else. */
export function listField(object: unknown, key: string): readonly unknown[] {
  const value = ownField(object, key);
  return Array.isArray(value) ? value : [];
}

/** Entries of a field that is an object, without `__proto__` (prototype pollution). */
export function fieldEntries(object: unknown, key: string): readonly (readonly [string, unknown])[] {
  const value = ownField(object, key);
  return isRawObject(value) ? Object.entries(value).filter(([name]) => name !== '__proto__') : [];
}

/** The strings of a field that is a list. */
export const textListField = (object: unknown, key: string): readonly string[] =>
  listField(object, key).filter((item) => typeof item === 'string');
