import { posix } from 'node:path';
import type { Project } from '../project/load.js';
import { languageOf } from '../languages/index.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import { findEntry, type Resolver } from '../project/resolve.js';

/** An entry point: a module, and for Python scripts the called function. */
export interface EntryPoint {
  readonly path: string;
  readonly attribute?: string | undefined;
}

/** Input of the entry point search. */
interface StartInfo {
  readonly manifests: Pick<Project, 'node' | 'python'>;
  readonly resolve: Resolver;
  readonly paths: ReadonlySet<string>;
  /** Whether a Python file has a main guard. */
  readonly isStarted: (path: string) => boolean;
}

/** Whether a Python file is `__main__.py` or has a main guard. */
export const isPythonMain = (path: string, text: string): boolean =>
  path.endsWith('__main__.py') || /^if\s*\(?\s*__name__\s*==/m.test(text);

/** Entry points from manifests, and Python files with a main guard. */
export function findEntryPoints({ manifests, resolve, paths, isStarted }: StartInfo): EntryPoint[] {
  const found = new Map<string, EntryPoint>();
  const add = (path: string | undefined, attribute?: string) => {
    if (path === undefined || !paths.has(path)) return;
    const key = `${path}\n${attribute ?? ''}`;
    if (!found.has(key)) found.set(key, { path, ...(attribute === undefined ? {} : { attribute }) });
  };
  for (const manifest of manifests.node) {
    if (isAuxiliary(`${manifest.folder}/`)) continue;
    for (const entry of manifest.entries) add(findEntry(manifest.folder, entry, paths));
  }
  for (const manifest of manifests.python) {
    if (isAuxiliary(`${manifest.folder}/`)) continue;
    for (const script of manifest.scripts)
      add(resolve(posix.join(manifest.folder, '_.py'), script.module), script.attribute);
  }
  for (const path of paths) if (languageOf(path) === 'python' && !isAuxiliary(path) && isStarted(path)) add(path);
  return [...found.values()];
}

/** The entry points of a project. */
export function entryPointsOf(project: Project): EntryPoint[] {
  const { modules, only } = project;
  // For a single file, its imports are not entry points.
  if (only !== undefined) return modules.has(only) ? [{ path: only }] : [];
  return findEntryPoints({
    manifests: project,
    resolve: project.resolve,
    paths: new Set(modules.keys()),
    isStarted: (path) => isPythonMain(path, modules.get(path)?.text ?? ''),
  });
}
