import type { CommandDefinition } from '../definition.js';
import { readManifest, type ManifestInput } from '../manifest.js';

/** A command written in code; a mistake in it stops the program at once. */
export function defineCommand(
  name: string,
  manifest: ManifestInput,
  code: Omit<CommandDefinition, 'name' | 'manifest'> = {},
): CommandDefinition {
  const reading = readManifest(manifest);
  if (!reading.ok)
    throw new Error(
      `the manifest of ${name} is broken: ${reading.problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
    );
  return { name, manifest: reading.manifest, ...code };
}
