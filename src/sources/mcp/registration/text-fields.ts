/** The value if it is a non-empty string: manifests come from untrusted files, so every field is checked. */
export const nonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The strings of a list; anything else in it is ignored. */
export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
