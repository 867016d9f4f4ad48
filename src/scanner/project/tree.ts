import type { Manifests } from './manifests.js';
import { pythonResolver, scriptResolver, type Resolver } from './resolve.js';

/** What is known of a tree beside its code: plain data, so that it can be handed to another thread. */
export interface Tree {
  /** The folder that every path is relative to. */
  readonly root: string;
  readonly files: readonly string[];
  readonly manifests: Manifests;
}

/** Resolves the imports of a tree's files. */
export function resolverOf({ files, manifests }: Pick<Tree, 'files' | 'manifests'>): Resolver {
  const known = new Set(files);
  const script = scriptResolver(known, manifests.node, manifests.paths);
  const snake = pythonResolver(known);
  return (from, source) => (from.endsWith('.py') ? snake(from, source) : script(from, source));
}
