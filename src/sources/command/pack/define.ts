import type { CommandDefinition } from '../definition.js';
import { parseManifest, type ManifestInput } from '../manifest/manifest.js';

/** Defines a command in code; throws if the manifest is invalid. */
export function defineCommand(
  name: string,
  manifest: ManifestInput,
  code: Omit<CommandDefinition, 'name' | 'manifest'> = {},
): CommandDefinition {
  const result = parseManifest(manifest);
  if (!result.ok)
    throw new Error(
      `invalid manifest of ${name}: ${result.problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
    );
  return { name, manifest: result.manifest, ...code };
}
