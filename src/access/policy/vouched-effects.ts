import type { Effects, Tool } from '../../core/tool.js';
import { anyGlob } from '../../lib/text/glob.js';

/** Effects as an operator states them. */
interface StatedEffects {
  readonly reads?: boolean;
  readonly writes?: boolean;
  readonly destroys?: boolean;
  readonly idempotent?: boolean;
  readonly open_world?: boolean;
}

interface VouchOptions {
  /** Patterns of sources whose own statements are believed. */
  readonly trustedSources: readonly string[];
  /** Effects by tool name. */
  readonly stated: (name: string) => StatedEffects | undefined;
}

/**
 * Decides which effects a tool has for rules, approval and labels. What a source states about itself counts only if the operator
 * vouches for the source: a malicious server would declare a tool that deletes data read-only. Returns the same object for the same tool.
 */
export function vouchedEffects({ trustedSources, stated }: VouchOptions): (tool: Tool) => Tool {
  const isTrusted = trustedSources.length === 0 ? () => false : anyGlob(trustedSources);
  const made = new WeakMap<Tool, Tool>();
  return (tool) => {
    const base = tool.claimedEffects !== undefined && isTrusted(tool.source) ? tool.claimedEffects : tool.effects;
    const own = stated(tool.name);
    if (base === tool.effects && own === undefined) return tool;
    let changed = made.get(tool);
    if (changed === undefined) {
      const effects = own === undefined ? base : withStated(base, own);
      // Copies descriptors, so that lazy getters are not evaluated.
      changed = Object.defineProperties(
        {},
        { ...Object.getOwnPropertyDescriptors(tool), effects: { value: effects, enumerable: true } },
      ) as Tool; // the fields of the tool, one of them replaced
      made.set(tool, changed);
    }
    return changed;
  };
}

const withStated = (base: Effects, { open_world: openWorld, ...rest }: StatedEffects): Effects => {
  const merged = { ...base, ...rest, ...(openWorld !== undefined && { openWorld }) };
  // A tool that is stated not to write cannot delete either, unless that is stated too.
  return rest.writes === false && rest.destroys === undefined ? { ...merged, destroys: false } : merged;
};
