import type { Config } from '../../config/schema.js';
import type { RegistryState } from '../../registry/registry.js';
import { namePrefix, type SourceKind } from '../../sources/kind.js';

/** Name prefixes of sources that are missing, unhealthy, or have withheld items: their tools may still appear. */
export function awaitedNames(
  sources: Config['sources'],
  registry: RegistryState,
  kinds: readonly SourceKind[],
): readonly string[] {
  const health = registry.health();
  // A source that withholds definitions may offer them after an approval.
  const held = new Set(registry.withheld().map(({ source }) => source));
  const ids = [...new Set([...Object.keys(health), ...Object.keys(sources)])];
  return ids
    .filter(
      (id) =>
        health[id] === undefined || health[id].status === 'unhealthy' || (held.has(id) && Object.hasOwn(sources, id)),
    )
    .map((id) => namePrefix(id, sources, kinds));
}
