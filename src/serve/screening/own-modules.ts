import type { Project } from '../../scanner/project/load.js';

const scriptImport = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"`]([^'"`]+)['"`]/g;
const pythonFrom = /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([^#;]*?)(?:\)|$)/gm;
const pythonImport = /^[ \t]*import[ \t]+([\w., \t]+)/gm;

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
    for (const source of module.language === 'python'
      ? pythonSources(module.text)
      : Array.from(module.text.matchAll(scriptImport), ([, source]) => source ?? '')) {
      const found = project.resolve(path, source);
      if (found !== undefined) seen.add(found);
    }
  }
  return seen;
}

function pythonSources(text: string): readonly string[] {
  const whole = [...text.matchAll(pythonImport)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().split(/\s/)[0] ?? ''),
  );
  const parts = [...text.matchAll(pythonFrom)].flatMap(([, from = '', names = '']) => [
    from,
    ...names.split(',').map((name) => `${from}${from.endsWith('.') ? '' : '.'}${name.trim().split(/\s/)[0] ?? ''}`),
  ]);
  return [...whole, ...parts].filter((source) => /^\.*[\w.]+$|^\.+$/.test(source));
}
