import { posix } from 'node:path';
import type { Project } from '../project/load.js';
import { languageOf } from '../languages/index.js';
import { isAside } from '../project/aside.js';
import { findEntry, type Resolver } from '../project/resolve.js';

/** Where the program starts: a module, and for Python scripts the function that is called. */
export interface EntryPoint {
  readonly path: string;
  readonly attribute?: string | undefined;
}

/** What tells how programs are started. */
export interface Starts {
  readonly manifests: Pick<Project, 'node' | 'python'>;
  readonly resolve: Resolver;
  readonly paths: ReadonlySet<string>;
  /** Whether a Python file starts itself. */
  readonly isStarted: (path: string) => boolean;
}

/** Whether a Python file is started itself. */
export const isStarted = (path: string, text: string): boolean =>
  path.endsWith('__main__.py') || /^if\s*\(?\s*__name__\s*==/m.test(text);

/** The entry points that manifests name, and Python files that are started themselves. */
export function startsIn({ manifests, resolve, paths, isStarted }: Starts): EntryPoint[] {
  const found = new Map<string, EntryPoint>();
  const add = (path: string | undefined, attribute?: string) => {
    if (path === undefined || !paths.has(path)) return;
    const key = `${path}\n${attribute ?? ''}`;
    if (!found.has(key)) found.set(key, { path, ...(attribute === undefined ? {} : { attribute }) });
  };
  for (const manifest of manifests.node) {
    if (isAside(`${manifest.folder}/`)) continue;
    for (const entry of manifest.entries) add(findEntry(manifest.folder, entry, paths));
  }
  for (const manifest of manifests.python) {
    if (isAside(`${manifest.folder}/`)) continue;
    for (const script of manifest.scripts)
      add(resolve(posix.join(manifest.folder, '_.py'), script.module), script.attribute);
  }
  for (const path of paths) if (languageOf(path) === 'python' && !isAside(path) && isStarted(path)) add(path);
  return [...found.values()];
}

/** The entry points of a project. */
export function entryPoints(project: Project): EntryPoint[] {
  const { modules, only } = project;
  // What a single file imports is not started for itself.
  if (only !== undefined) return modules.has(only) ? [{ path: only }] : [];
  return startsIn({
    manifests: project,
    resolve: project.resolve,
    paths: new Set(modules.keys()),
    isStarted: (path) => isStarted(path, modules.get(path)?.text ?? ''),
  });
}
