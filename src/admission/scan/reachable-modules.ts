import { importsIn } from '../../scanner/project/imports.js';
import type { Project } from '../../scanner/project/load.js';

/** Project reduced to the modules reachable from one script: a folder may contain several servers. */
export function reachableModules(project: Project, entry: string): Project {
  const own = reachableFrom(project, entry);
  return { ...project, only: entry, modules: new Map([...project.modules].filter(([path]) => own.has(path))) };
}

/** Entry and its transitive local imports; any text that looks like an import counts, so that none is missed. */
function reachableFrom(project: Project, entry: string): ReadonlySet<string> {
  const seen = new Set([entry]);
  // The set grows while it is iterated: a worklist that visits each module once, also in import cycles.
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
