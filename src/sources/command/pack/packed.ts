import type { CommandDefinition } from '../definition.js';
import type { ManifestInput } from '../manifest.js';
import { filledIn } from '../manifest-defaults.js';

/** A command of the built-in pack; its manifest is checked by a test, not at every start. */
export const packed = (
  name: string,
  manifest: ManifestInput,
  code: Omit<CommandDefinition, 'name' | 'manifest'> = {},
): CommandDefinition => ({
  name,
  manifest: filledIn(manifest),
  ...code,
});
