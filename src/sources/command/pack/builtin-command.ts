import type { CommandDefinition } from '../definition.js';
import type { ManifestInput } from '../manifest/manifest.js';
import { fillManifestDefaults } from '../manifest/defaults.js';

/** Defines a command of the built-in pack; a test validates its manifest, so that the start does not have to. */
export const builtinCommand = (
  name: string,
  manifest: ManifestInput,
  code: Omit<CommandDefinition, 'name' | 'manifest'> = {},
): CommandDefinition => ({
  name,
  manifest: fillManifestDefaults(manifest),
  isBuiltin: true,
  ...code,
});
