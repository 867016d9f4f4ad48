import type { Config } from './schema.js';

/** New names of tools that are there under another name, or that a source with one of these prefixes may still list. */
export const expectedNames = (
  overrides: Config['tool']['overrides'],
  listed: ReadonlySet<string>,
  mayAppear: readonly string[],
): readonly string[] =>
  Object.entries(overrides).flatMap(([own, { name }]) =>
    name !== undefined && (listed.has(own) || mayAppear.some((prefix) => own.startsWith(prefix))) ? [name] : [],
  );

/** A new name that another tool has, too. */
export interface NameCollision {
  readonly path: string;
  readonly message: string;
}

/** New names that two tools would have; `listed` are the tools as their sources list them. Only one of the two would be offered. */
export function nameCollisions(
  overrides: Config['tool']['overrides'],
  listed: Iterable<{ readonly name: string; readonly source: string }>,
): readonly NameCollision[] {
  // A tool that is renamed away frees its old name for another.
  const isRenamed = (own: string): boolean => {
    const name = Object.hasOwn(overrides, own) ? overrides[own]?.name : undefined;
    return name !== undefined && name !== own;
  };
  const places = new Map<string, string>();
  // A tool that is not listed yet still has the name of its override.
  for (const own of Object.keys(overrides)) if (!isRenamed(own)) places.set(own, `tool.overrides.${own}`);
  for (const { name, source } of listed) if (!isRenamed(name)) places.set(name, `the tool ${name} of source ${source}`);
  const found: NameCollision[] = [];
  for (const [own, { name }] of Object.entries(overrides)) {
    if (name === undefined || name === own) continue;
    const place = places.get(name);
    const path = `tool.overrides.${own}.name`;
    // The first one keeps the name, so that the second is reported and not both.
    if (place === undefined) places.set(name, path);
    else found.push({ path, message: `${name} is already the name of ${place}` });
  }
  return found;
}
