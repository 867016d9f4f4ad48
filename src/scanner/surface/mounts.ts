import { optionsOf, type Value } from '../evaluate/values/values.js';
import type { Mount } from './registrations.js';

/** The name prefixes of a server's tools: empty if it is not mounted, else one per mount. */
export function prefixesOf(mounts: readonly Mount[], server: Value | undefined, depth = 0): string[] {
  const inside =
    // Bounded, because servers can mount each other in a cycle.
    server && depth < 6
      ? mounts.filter((mount) => optionsOf(mount.child).some((child) => optionsOf(server).includes(child)))
      : [];
  if (inside.length === 0) return [''];
  const found = inside.flatMap(({ parent, prefix }) =>
    prefixesOf(mounts, parent, depth + 1).map((outer) => [outer, prefix].filter(Boolean).join('_')),
  );
  return [...new Set(found)];
}
