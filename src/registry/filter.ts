/** Tool name filter; `exclude` takes precedence over `include`, and an empty `include` means all. */
export interface NameFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** An empty `include` means none. */
  readonly isClosed?: boolean;
}

export function passesFilter(filter: NameFilter, name: string): boolean {
  if (filter.exclude.includes(name)) return false;
  return (filter.include.length === 0 && filter.isClosed !== true) || filter.include.includes(name);
}
