import type { Manifests } from './manifests.js';
import { pythonResolver, scriptResolver, type Resolver } from './resolve.js';

/** File list and manifests of a tree; plain data, so that it can be sent to worker threads. */
export interface Tree {
  /** The folder that all paths are relative to. */
  readonly root: string;
  readonly files: readonly string[];
  readonly manifests: Manifests;
}

/** Resolves the imports of a tree's files. */
export function resolverOf({ files, manifests }: Pick<Tree, 'files' | 'manifests'>): Resolver {
  const known = new Set(files);
  const script = scriptResolver(known, manifests.node, manifests.paths);
  const python = pythonResolver(known);
  return (from, source) => (from.endsWith('.py') ? python(from, source) : script(from, source));
}
