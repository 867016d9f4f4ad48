import type { ResourceLists } from '../core/source.js';
import { lru } from '../lib/lru.js';
import type { Catalogue } from './catalogue.js';
import { assignAddresses } from './resource-owners.js';

/** The catalogue that one principal sees: the shared one, with the resources that are listed for this principal only. */
interface PersonalCatalogues {
  /** A promise while a source reads the lists of this principal. */
  of(catalogue: Catalogue, principal: string): Catalogue | Promise<Catalogue>;
  /** From the last lists, without reading any. */
  known(catalogue: Catalogue, principal: string): Catalogue;
  /** Whether a source with personal lists no longer has those of this principal, so that nothing follows from their absence. */
  isEvicted(catalogue: Catalogue, principal: string, source: string | undefined): boolean;
}

/** Lists by the position of their source in `Catalogue.addresses`. */
type PersonalLists = ReadonlyMap<number, ResourceLists>;

/** Principals whose merged catalogue is kept. */
const maxCachedPrincipals = 256;
/** Lists of a source without personal ones. */
const noLists: ResourceLists = { resources: [], templates: [] };

/** Merges the lists of a principal; the same object until one of them changes, so that transports can cache by identity. */
export function personalCatalogues(): PersonalCatalogues {
  // Weak: a changed shared catalogue is a new object, and its merges are dropped with it.
  const caches = new WeakMap<Catalogue, ReturnType<typeof lru<string, Merged>>>();

  function merge(catalogue: Catalogue, principal: string, lists: PersonalLists): Catalogue {
    let cache = caches.get(catalogue);
    if (cache === undefined) caches.set(catalogue, (cache = lru(maxCachedPrincipals)));
    const cached = cache.get(principal);
    if (cached !== undefined && isSame(cached.lists, lists)) return cached.catalogue;
    const addresses = catalogue.addresses.map((shared, index) => {
      const { resources, templates } = lists.get(index) ?? noLists;
      return {
        source: shared.source,
        resources: [...shared.resources, ...resources],
        templates: [...shared.templates, ...templates],
      };
    });
    // Addresses that another source owns are left out without a report: reports are shared, and these names are not.
    const { resources, templates } = assignAddresses(addresses, catalogue.tools);
    const merged = { ...catalogue, resources, templates };
    cache.set(principal, { lists, catalogue: merged });
    return merged;
  }

  return {
    of(catalogue, principal) {
      const lists = new Map<number, ResourceLists>();
      const reading: Promise<void>[] = [];
      for (const [index, { source }] of catalogue.addresses.entries()) {
        const list = source.personal?.of(principal);
        if (list instanceof Promise) reading.push(list.then((read) => void lists.set(index, read)));
        else if (list !== undefined) lists.set(index, list);
      }
      // A promise only if a list has to be read: most callers have theirs already.
      if (reading.length > 0) return Promise.all(reading).then(() => merge(catalogue, principal, lists));
      return lists.size === 0 ? catalogue : merge(catalogue, principal, lists);
    },
    known(catalogue, principal) {
      const lists = new Map<number, ResourceLists>();
      for (const [index, { source }] of catalogue.addresses.entries()) {
        const list = source.personal?.known(principal);
        if (list !== undefined) lists.set(index, list);
      }
      return lists.size === 0 ? catalogue : merge(catalogue, principal, lists);
    },
    isEvicted(catalogue, principal, id) {
      const personal = catalogue.addresses.find(({ source }) => source.id === id)?.source.personal;
      return personal !== undefined && personal.known(principal) === undefined;
    },
  };
}

/** A merged catalogue with the lists it was made of. */
interface Merged {
  readonly lists: PersonalLists;
  readonly catalogue: Catalogue;
}

/** Whether two sets of lists are the same objects. */
const isSame = (a: PersonalLists, b: PersonalLists): boolean =>
  a.size === b.size && [...a].every(([index, lists]) => b.get(index) === lists);
