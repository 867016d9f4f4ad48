import { posix } from 'node:path';
import type { Project } from '../project/load.js';
import { isAside } from '../project/aside.js';
import { findEntry } from '../project/resolve.js';

/** Where the program starts: a module, and for Python scripts the function that is called. */
export interface EntryPoint {
  readonly path: string;
  readonly attribute?: string | undefined;
}

/** The entry points that manifests name, and Python files that are started themselves. */
export function entryPoints(project: Project): EntryPoint[] {
  const found: EntryPoint[] = [];
  const paths = new Set(project.modules.keys());
  const add = (path: string | undefined, attribute?: string) => {
    if (path === undefined || !project.modules.has(path)) return;
    if (!found.some((each) => each.path === path && each.attribute === attribute))
      found.push({ path, ...(attribute === undefined ? {} : { attribute }) });
  };
  // What a single file imports is not started for itself.
  if (project.only !== undefined) return project.modules.has(project.only) ? [{ path: project.only }] : [];
  for (const manifest of project.node) {
    if (isAside(`${manifest.folder}/`)) continue;
    for (const entry of manifest.entries) add(findEntry(manifest.folder, entry, paths));
  }
  for (const manifest of project.python) {
    if (isAside(`${manifest.folder}/`)) continue;
    for (const script of manifest.scripts)
      add(project.resolve(posix.join(manifest.folder, '_.py'), script.module), script.attribute);
  }
  for (const [path, module] of project.modules) {
    if (module.language !== 'python' || isAside(path)) continue;
    if (path.endsWith('__main__.py') || /^if\s*\(?\s*__name__\s*==/m.test(module.text)) add(path);
  }
  return found;
}
