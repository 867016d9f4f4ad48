import type { Json } from '../../../core/json.js';
import { secretText } from '../../../lib/text/secret-text.js';
import type { PresetArgument } from './overrides.js';

/** Values of the operator for arguments that callers do not give. */
export interface PresetValues {
  /** By argument name; undefined if the argument is never sent. */
  readonly byArgument: ReadonlyMap<string, Json | undefined>;
  /** Values from variables, which responses must not disclose. */
  readonly secrets: readonly string[];
}

/** Resolves variables in preset values; throws if one is not set. Without an environment, as in `toolgate check`, they stay empty. */
export function resolvePresets(
  presets: Readonly<Record<string, PresetArgument>>,
  env: NodeJS.ProcessEnv | undefined,
): PresetValues {
  const byArgument = new Map<string, Json | undefined>();
  const secrets: string[] = [];
  for (const [argument, preset] of Object.entries(presets)) {
    if (!('fixed' in preset)) byArgument.set(argument, undefined);
    else if (typeof preset.fixed !== 'string') byArgument.set(argument, preset.fixed);
    else byArgument.set(argument, resolveText(argument, preset.fixed));
  }
  return { byArgument, secrets };

  function resolveText(argument: string, template: string): string {
    const read = secretText(template);
    // The overlay was checked when it was parsed.
    if (!read.ok || env === undefined) return '';
    const resolved = read.secret.resolve(env);
    if (!resolved.ok)
      throw new Error(`overlay: ${argument}: fixed refers to ${resolved.unset.join(', ')}, which is not set`);
    if (read.secret.names.length > 0) secrets.push(resolved.value, ...read.secret.values(env));
    return resolved.value;
  }
}
