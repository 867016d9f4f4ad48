import type { Module } from '../../ir/nodes.js';
import type { Value } from '../../evaluate/values/values.js';

const mutableNames = new WeakMap<Module, ReadonlySet<string>>();

/** Module variables reassigned by functions: `global level` in Python, `let level` with a setter. */
function mutableGlobals(module: Module): ReadonlySet<string> {
  const before = mutableNames.get(module);
  if (before) return before;
  const { text } = module;
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '');
  // Matched in the text and not in the tree: approximate, linear, and a false match only keeps one more branch.
  const set = new Set(all(/^[ \t]+(\w+)\s*=(?![=>])/gm));
  const found =
    module.language === 'python'
      ? all(/^[ \t]+global[ \t]+([\w, \t]+)/gm).flatMap((list) => list.split(',').map((name) => name.trim()))
      : all(/^(?:export[ \t]+)?(?:let|var)[ \t]+(\w+)/gm);
  // Both a declaration that allows reassignment and an indented assignment are needed.
  const made = new Set(found.filter((name) => set.has(name)));
  mutableNames.set(module, made);
  return made;
}

/**
 * Whether a module variable may have changed between start and tool call. Its initial value must not prune branches:
 * a mode that is off at start can be switched on.
 */
export const isMutableGlobal = (module: Module, name: string, value: Value): boolean =>
  value.kind === 'constant' &&
  (typeof value.value === 'string' || typeof value.value === 'boolean') &&
  mutableGlobals(module).has(name);

/** Whether functions of the module reassign this module variable. */
export const isReassignedGlobal = (module: Module, name: string): boolean => mutableGlobals(module).has(name);
