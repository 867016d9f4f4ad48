import type { Config } from '../config/schema.js';
import type { Limits, Tool } from '../core/tool.js';

/** Puts what the operator says of single tools over what their sources say; the same tool gives the same object each time. */
export function overridesOf(config: Config): (tool: Tool) => Tool {
  const made = new WeakMap<Tool, Tool>();
  return (tool) => {
    const over = Object.hasOwn(config.tool.overrides, tool.name) ? config.tool.overrides[tool.name] : undefined;
    if (over === undefined) return tool;
    let changed = made.get(tool);
    if (changed === undefined) {
      // By descriptors, so that what a tool only makes when asked stays unmade.
      changed = Object.defineProperties(
        {},
        {
          ...Object.getOwnPropertyDescriptors(tool),
          limits: { value: limitsUnder(config, tool), enumerable: true },
          ...(over.tasks !== undefined && { tasks: { value: over.tasks, enumerable: true } }),
        },
      ) as Tool; // a tool's own fields, with two others in their place
      made.set(tool, changed);
    }
    return changed;
  };
}

/** Command and HTTP sources have settled their own times and slots, within ranges that only they know; nobody exceeds the operator's maximum anywhere. */
function limitsUnder(config: Config, { name, source, limits }: Tool): Limits {
  const { timeout, max_timeout: most, concurrency, rate } = config.tool.overrides[name] ?? {};
  const kind = config.sources[source]?.kind;
  const foreign = kind === 'openapi' || kind === 'mcp';
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
