import { vouchedEffects } from '../policy/vouched-effects.js';
import type { Config } from '../../config/schema.js';
import { limitOverrides } from '../../config/tool-overrides.js';
import type { Tool } from '../../core/tool.js';

/** Applies the settings of the operator to every tool: its limits, and the effects the operator vouches for. */
export function overridesOf(config: Config): (tool: Tool) => Tool {
  const { overrides } = config.tool;
  const withLimits = limitOverrides(config);
  const withEffects = vouchedEffects({
    trustedSources: config.output.trusted_sources,
    stated: (name) => (Object.hasOwn(overrides, name) ? overrides[name]?.effects : undefined),
  });
  return (tool) => withEffects(withLimits(tool));
}
