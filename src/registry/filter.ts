/** Which tool names are let in: a name on `exclude` is out, whatever `include` says; an empty `include` means all. */
export interface NameFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export function passes(filter: NameFilter, name: string): boolean {
  if (filter.exclude.includes(name)) return false;
  return filter.include.length === 0 || filter.include.includes(name);
}
