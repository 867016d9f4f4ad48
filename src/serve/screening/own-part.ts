import type { Project } from '../../scanner/project/load.js';
import type { SurfaceReport } from '../../scanner/surface/report.js';

const scriptImport = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"`]([^'"`]+)['"`]/g;
const pythonFrom = /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([^#;]*?)(?:\)|$)/gm;
const pythonImport = /^[ \t]*import[ \t]+([\w., \t]+)/gm;

/** The part of a folder's surface that belongs to one of its scripts: a folder may hold several servers. */
export function ownPart(project: Project, surface: SurfaceReport, entry: string): SurfaceReport {
  const own = reachable(project, entry);
  const isOwn = ({ location }: { readonly location: { readonly file: string } }): boolean => own.has(location.file);
  const [tools, optionalTools] = [surface.tools.filter(isOwn), surface.optionalTools.filter(isOwn)];
  const unresolved = surface.unresolved.filter(isOwn);
  const untold = tools.length + optionalTools.length + unresolved.length === 0;
  return {
    ...surface, tools, optionalTools,
    resources: surface.resources.filter(isOwn),
    prompts: surface.prompts.filter(isOwn),
    unresolved: untold ? [{ kind: 'any', reason: 'no registration was found in the script or what it imports', location: { file: entry, start_line: 1 } }] : unresolved,
  };
}

/** The entry and all that it imports from its own folder, by any spelling that looks like an import. */
function reachable(project: Project, entry: string): ReadonlySet<string> {
  const seen = new Set([entry]);
  for (const path of seen) {
    const module = project.modules.get(path);
    if (!module) continue;
    for (const source of module.language === 'python' ? pythonSources(module.text) : Array.from(module.text.matchAll(scriptImport), ([, source]) => source ?? '')) {
      const found = project.resolve(path, source);
      if (found !== undefined) seen.add(found);
    }
  }
  return seen;
}

function pythonSources(text: string): readonly string[] {
  const whole = [...text.matchAll(pythonImport)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim().split(/\s/)[0] ?? ''));
  const parts = [...text.matchAll(pythonFrom)].flatMap(([, from = '', names = '']) => [from, ...names.split(',').map((name) => `${from}${from.endsWith('.') ? '' : '.'}${name.trim().split(/\s/)[0] ?? ''}`)]);
  return [...whole, ...parts].filter((source) => /^\.*[\w.]+$|^\.+$/.test(source));
}
