import { vouchedEffects } from '../access/vouched-effects.js';
import type { Config } from '../config/schema.js';
import { sourceKinds } from '../sources/index.js';
import { kindOf } from '../sources/kind.js';
import type { Limits, Tool } from '../core/tool.js';

/** Applies the overrides of the operator to tools; returns the same object for the same tool. */
export function overridesOf(config: Config): (tool: Tool) => Tool {
  const { overrides } = config.tool;
  const withLimits = limitOverrides(config);
  const withEffects = vouchedEffects({
    trustedSources: config.output.trusted_sources,
    stated: (name) => (Object.hasOwn(overrides, name) ? overrides[name]?.effects : undefined),
  });
  return (tool) => withEffects(withLimits(tool));
}

function limitOverrides(config: Config): (tool: Tool) => Tool {
  const made = new WeakMap<Tool, Tool>();
  return (tool) => {
    const over = Object.hasOwn(config.tool.overrides, tool.name) ? config.tool.overrides[tool.name] : undefined;
    if (over === undefined) return tool;
    let changed = made.get(tool);
    if (changed === undefined) {
      // Copies descriptors, so that lazy getters are not evaluated.
      changed = Object.defineProperties(
        {},
        {
          ...Object.getOwnPropertyDescriptors(tool),
          limits: { value: overriddenLimits(config, tool), enumerable: true },
          ...(over.tasks !== undefined && { tasks: { value: over.tasks, enumerable: true } }),
        },
      ) as Tool; // the fields of the tool, two of them replaced
      made.set(tool, changed);
    }
    return changed;
  };
}

/** Limits with overrides. Command and HTTP sources apply timeouts and slots themselves; the operator's maximum applies to all. */
function overriddenLimits(config: Config, { name, source, limits }: Tool): Limits {
  const { timeout, max_timeout: most, concurrency, rate } = config.tool.overrides[name] ?? {};
  const entry = config.sources[source];
  const foreign = entry !== undefined && !kindOf(entry, sourceKinds).reads.includes('outbound');
  const timeoutMs = foreign && timeout !== undefined ? timeout * 1000 : limits.timeoutMs;
  const maxTimeoutMs = most === undefined ? Math.max(limits.maxTimeoutMs, timeoutMs) : most * 1000;
  return {
    ...limits,
    timeoutMs: Math.min(timeoutMs, maxTimeoutMs),
    maxTimeoutMs,
    ...(foreign && concurrency !== undefined && { concurrency }),
    ...(foreign && rate !== undefined && { ratePerMinute: rate }),
  };
}
