import type { View } from '../core/gateway.js';
import type { Prompt, Resource, ResourceTemplate } from '../core/prompt.js';
import type { Tool } from '../core/tool.js';
import { lru } from '../lib/lru.js';
import type { Catalogue } from './registry.js';

/** Decides which tools, prompts and resources a principal may see. */
export interface Visibility {
  /** Cache key: equal for views with the same visible items. */
  group(view: View): string;
  isVisible(view: View, item: { readonly name: string; readonly source: string }): boolean;
}

/** Catalogue and visibility that one request sees, to its end. */
export interface VisibleCatalogue {
  readonly runtime: { readonly visibility: Visibility };
  readonly catalogue: Catalogue;
}

/** What a view may list. */
interface VisibleItems {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** Whether a view may use a resource; one that is a form of a tool is as visible as the tool. */
export function canRead(at: VisibleCatalogue, view: View, resource: Resource | ResourceTemplate): boolean {
  const { read } = resource;
  if (typeof read === 'function') return at.runtime.visibility.isVisible(view, resource);
  const tool = at.catalogue.tools.get(read.tool);
  return tool !== undefined && isUsable(at, view, tool);
}

const isUsable = ({ runtime, catalogue }: VisibleCatalogue, view: View, tool: Tool): boolean =>
  tool.unavailable === undefined && !catalogue.disabled.has(tool.name) && runtime.visibility.isVisible(view, tool);

/** Number of visibility groups whose lists are cached. */
const maxCachedGroups = 256;

/** Lists filtered by visibility, cached per group until the runtime or the catalogue changes. */
export function visibleLists(): (at: VisibleCatalogue, view: View) => VisibleItems {
  // By catalogue, because principals with resources of their own have other ones.
  let caches = new WeakMap<Catalogue, ReturnType<typeof lru<string, VisibleItems>>>();
  let cachedRuntime: VisibleCatalogue['runtime'] | undefined;

  return (at, view) => {
    const { catalogue, runtime } = at;
    if (runtime !== cachedRuntime) {
      cachedRuntime = runtime;
      caches = new WeakMap();
    }
    let cache = caches.get(catalogue);
    if (cache === undefined) caches.set(catalogue, (cache = lru(maxCachedGroups)));
    const group = runtime.visibility.group(view);
    let found = cache.get(group);
    if (found === undefined) {
      found = {
        tools: [...catalogue.tools.values()].filter((tool) => tool.unlisted !== true && isUsable(at, view, tool)),
        prompts: catalogue.prompts.filter((prompt) => runtime.visibility.isVisible(view, prompt)),
        resources: catalogue.resources.filter((resource) => canRead(at, view, resource)),
        templates: catalogue.templates.filter((template) => canRead(at, view, template)),
      };
      cache.set(group, found);
    }
    return found;
  };
}
