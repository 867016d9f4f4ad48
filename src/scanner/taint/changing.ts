import type { Module } from '../ir/nodes.js';
import type { Value } from '../evaluate/values.js';

const names = new WeakMap<Module, ReadonlySet<string>>();

/** Names of a module that its functions set anew: `global level` in Python, `let level` that a setter assigns. */
function changingIn(module: Module): ReadonlySet<string> {
  const before = names.get(module);
  if (before) return before;
  const { text } = module;
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '');
  const set = new Set(all(/^[ \t]+(\w+)\s*=(?![=>])/gm));
  const found =
    module.language === 'python'
      ? all(/^[ \t]+global[ \t]+([\w, \t]+)/gm).flatMap((list) => list.split(',').map((name) => name.trim()))
      : all(/^(?:export[ \t]+)?(?:let|var)[ \t]+(\w+)/gm);
  const made = new Set(found.filter((name) => set.has(name)));
  names.set(module, made);
  return made;
}

/**
 * Whether what a name of a module began with says nothing of what it holds when a tool is called: a mode that can be switched
 * hides no branch.
 */
export const isChanging = (module: Module, name: string, value: Value): boolean =>
  value.kind === 'constant' &&
  (typeof value.value === 'string' || typeof value.value === 'boolean') &&
  changingIn(module).has(name);
