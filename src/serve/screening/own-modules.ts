import { importsIn } from '../../scanner/project/imports.js';
import type { Project } from '../../scanner/project/load.js';

/** The part of a folder that one of its scripts reaches, as if it stood alone: a folder may hold several servers. */
export function ownModules(project: Project, entry: string): Project {
  const own = reachable(project, entry);
  return { ...project, only: entry, modules: new Map([...project.modules].filter(([path]) => own.has(path))) };
}

/** The entry and all that it imports from its own folder, by any spelling that looks like an import. */
function reachable(project: Project, entry: string): ReadonlySet<string> {
  const seen = new Set([entry]);
  for (const path of seen) {
    const module = project.modules.get(path);
    if (!module) continue;
    for (const source of importsIn(module.language, module.text)) {
      const found = project.resolve(path, source);
      if (found !== undefined) seen.add(found);
    }
  }
  return seen;
}
