/** What must be known of a file to put it together with others. */
export interface PartFile {
  readonly path: string;
  /** How much memory it takes to read, in bytes of dense code. */
  readonly cost: number;
  /** The files of the tree that it imports. */
  readonly imports: readonly string[];
  /** Whether it may register something although nothing known starts it. */
  readonly mayRegister: boolean;
}

/** Files that are read at once. */
export interface Part {
  /** In path order. */
  readonly paths: readonly string[];
  readonly cost: number;
  /** Whether something in it is started; the rest is only looked at. */
  readonly isStarted: boolean;
  /** Whether files are missing that it imports, since too much is shared to read it again for everybody. */
  readonly isCut: boolean;
}

export interface PartLimits {
  /** Parts are filled up to here; a program that is larger is a part of its own. */
  readonly maxCost: number;
  readonly maxFiles: number;
  /** How often a file may be read on average, where programs share it. */
  readonly maxReadings: number;
}

/**
 * Cuts a tree into parts: programs with all that they import, and then what no program reaches. A file that several
 * programs share is in several parts. The same tree always gives the same parts.
 */
export function partsOf(files: readonly PartFile[], entries: readonly string[], limits: PartLimits): readonly Part[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const path of file.imports) importers.set(path, [...(importers.get(path) ?? []), file.path]);
  let budget = limits.maxReadings * files.reduce((sum, { cost }) => sum + cost, 0);
  const placed = new Set<string>();
  const isOpen = (path: string): boolean => !placed.has(path);
  const costOf = (paths: readonly string[]): number =>
    paths.reduce((sum, path) => sum + (byPath.get(path)?.cost ?? 0), 0);

  /** Once too much was read again, everything is read once more at most. */
  let isPoor = false;

  const filled = (roots: readonly string[], isStarted: boolean, groupOf: Group): Part[] => {
    const made: Part[] = [];
    let held = new Set<string>();
    let cost = 0;
    const lacks = (path: string): boolean =>
      byPath.get(path)?.imports.some((next) => byPath.has(next) && !held.has(next)) === true;
    const close = (): void => {
      const isCut = isPoor && groupOf !== single && [...held].some(lacks);
      if (held.size > 0) made.push({ paths: [...held].sort(), cost, isStarted, isCut });
      [held, cost] = [new Set(), 0];
    };
    const groupAt = (root: string): readonly string[] =>
      groupOf(root, (path) => !held.has(path) && (!isPoor || isOpen(path)));
    for (const root of roots) {
      if (placed.has(root)) continue;
      let fresh = groupAt(root);
      if (held.size > 0 && (cost + costOf(fresh) > limits.maxCost || held.size + fresh.length > limits.maxFiles)) {
        close();
        fresh = groupAt(root);
      }
      if (budget < costOf(fresh)) {
        isPoor = true;
        fresh = groupAt(root);
      }
      budget -= costOf(fresh);
      cost += costOf(fresh);
      for (const path of fresh) held.add(path);
      for (const path of fresh) placed.add(path);
    }
    close();
    return made;
  };

  const single: Group = (root) => [root];
  const program: Group = (root, isWanted) => reached(byPath, root, isWanted);
  // Whoever calls a function by its name tells that it is no tool by its name: such files are read together.
  const withCallers: Group = (root, isWanted) => [
    ...new Set([
      ...program(root, isWanted),
      ...(importers.get(root) ?? []).filter((path) => isOpen(path) && isWanted(path)),
    ]),
  ];
  const started = filled(
    entries.filter((path) => byPath.has(path)),
    true,
    program,
  );
  const registering = files.filter(({ path, mayRegister }) => mayRegister && isOpen(path)).map(({ path }) => path);
  const unreached = filled(registering, false, withCallers);
  const silent = filled(
    files.filter(({ path }) => isOpen(path)).map(({ path }) => path),
    false,
    single,
  );
  return [...started, ...unreached, ...silent];
}

type Group = (root: string, isWanted: (path: string) => boolean) => readonly string[];

/** A file and all that it imports and that is wanted, in the order in which it is come upon. */
function reached(
  byPath: ReadonlyMap<string, PartFile>,
  root: string,
  isWanted: (path: string) => boolean,
): readonly string[] {
  const seen = new Set([root]);
  for (const path of seen)
    for (const next of byPath.get(path)?.imports ?? []) if (byPath.has(next) && isWanted(next)) seen.add(next);
  return [...seen];
}
