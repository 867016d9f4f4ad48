/** The properties of a file needed for partitioning. */
export interface PartFile {
  readonly path: string;
  /** Estimated memory, in bytes of completely parsed code. */
  readonly cost: number;
  /** Files of the tree that it imports. */
  readonly imports: readonly string[];
  /** Whether it may register something although no entry point reaches it. */
  readonly mayRegister: boolean;
}

/** Files that are scanned together. */
export interface Part {
  /** In path order. */
  readonly paths: readonly string[];
  readonly cost: number;
  /** Whether it contains an entry point. */
  readonly isStarted: boolean;
  /** Whether some of its imports are missing, because shared files exceeded the read budget. */
  readonly isCut: boolean;
}

/** Limits of the partitioning. */
interface PartLimits {
  /** Target size of a part; a larger program becomes a separate part. */
  readonly maxCost: number;
  readonly maxFiles: number;
  /** How often a shared file may be scanned, on average. */
  readonly maxReadings: number;
}

/**
 * Partitions a tree: programs with all their imports first, then the code that no program reaches. A file shared by
 * several programs is in several parts. Deterministic for the same tree.
 */
export function partitionFiles(
  files: readonly PartFile[],
  entries: readonly string[],
  limits: PartLimits,
): readonly Part[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const path of file.imports) importers.set(path, [...(importers.get(path) ?? []), file.path]);
  let budget = limits.maxReadings * files.reduce((sum, { cost }) => sum + cost, 0);
  const placed = new Set<string>();
  const isOpen = (path: string): boolean => !placed.has(path);
  const costOf = (paths: readonly string[]): number =>
    paths.reduce((sum, path) => sum + (byPath.get(path)?.cost ?? 0), 0);

  /** Set once the budget for repeated reads is used up; afterwards shared files are not repeated. */
  let isOverBudget = false;

  const fillParts = (roots: readonly string[], isStarted: boolean, groupOf: Group): Part[] => {
    const made: Part[] = [];
    let held = new Set<string>();
    let cost = 0;
    const lacks = (path: string): boolean =>
      byPath.get(path)?.imports.some((next) => byPath.has(next) && !held.has(next)) === true;
    const close = (): void => {
      const isCut = isOverBudget && groupOf !== single && [...held].some(lacks);
      if (held.size > 0) made.push({ paths: [...held].sort(), cost, isStarted, isCut });
      [held, cost] = [new Set(), 0];
    };
    const groupAt = (root: string): readonly string[] =>
      groupOf(root, (path) => !held.has(path) && (!isOverBudget || isOpen(path)));
    for (const root of roots) {
      if (placed.has(root)) continue;
      let fresh = groupAt(root);
      if (held.size > 0 && (cost + costOf(fresh) > limits.maxCost || held.size + fresh.length > limits.maxFiles)) {
        close();
        fresh = groupAt(root);
      }
      if (budget < costOf(fresh)) {
        isOverBudget = true;
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
  const program: Group = (root, isWanted) => reachableFiles(byPath, root, isWanted);
  // A call site proves that a function is a helper and not a heuristic tool, so importers are scanned together with it.
  const withCallers: Group = (root, isWanted) => [
    ...new Set([
      ...program(root, isWanted),
      ...(importers.get(root) ?? []).filter((path) => isOpen(path) && isWanted(path)),
    ]),
  ];
  const started = fillParts(
    entries.filter((path) => byPath.has(path)),
    true,
    program,
  );
  const registering = files.filter(({ path, mayRegister }) => mayRegister && isOpen(path)).map(({ path }) => path);
  const unreached = fillParts(registering, false, withCallers);
  const nonRegistering = fillParts(
    files.filter(({ path }) => isOpen(path)).map(({ path }) => path),
    false,
    single,
  );
  return [...started, ...unreached, ...nonRegistering];
}

type Group = (root: string, isWanted: (path: string) => boolean) => readonly string[];

/** A file and its transitive imports that pass the filter, in breadth-first order. */
function reachableFiles(
  byPath: ReadonlyMap<string, PartFile>,
  root: string,
  isWanted: (path: string) => boolean,
): readonly string[] {
  const seen = new Set([root]);
  for (const path of seen)
    for (const next of byPath.get(path)?.imports ?? []) if (byPath.has(next) && isWanted(next)) seen.add(next);
  return [...seen];
}
