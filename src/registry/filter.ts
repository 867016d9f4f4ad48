/** Tool name filter; `exclude` takes precedence over `include`, and an empty `include` means all. */
export interface NameFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export function passesFilter(filter: NameFilter, name: string): boolean {
  if (filter.exclude.includes(name)) return false;
  return filter.include.length === 0 || filter.include.includes(name);
}
