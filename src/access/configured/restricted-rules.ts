import type { Control } from '../control.js';
import type { ApprovalRequirement } from '../../guards/confirm.js';
import type { Soon } from '../../lib/soon.js';
import type { Rules } from './rules.js';

/**
 * Rules while a reload waits for its sources: a call must be allowed by the previous and by the next rules. So a new deny rule
 * applies at once, and nothing that the next rules add is allowed before the sources they were written for are there.
 */
export function restrictedRules(previous: Rules, next: Rules): Rules {
  return {
    ...next,
    control: restrictedControl(previous.control, next.control),
    flows: {
      ...next.flows,
      // Both memories are read: each has its own rules about which labels matter.
      pull: (call, tool) => all([previous.flows.pull(call, tool), next.flows.pull(call, tool)]),
      enter(call, tool) {
        const entries = [previous.flows.enter(call, tool), next.flows.enter(call, tool)];
        return {
          saved: all(entries.map(({ saved }) => saved)),
          leave: (hasRun, earned) => all(entries.map((entry) => entry.leave(hasRun, earned))),
        };
      },
    },
    profiles: {
      usable: (view) => previous.profiles.usable(view) && next.profiles.usable(view),
      holds: (view, item) => previous.profiles.holds(view, item) && next.profiles.holds(view, item),
      searches: (view) => next.profiles.searches(view),
      // Both keys: a view is cached only for callers that are equal under both.
      key: (view) => `${previous.profiles.key(view)}|${next.profiles.key(view)}`,
    },
    visibility: {
      group: (view) => `${previous.visibility.group(view)}|${next.visibility.group(view)}`,
      isVisible: (view, item) => previous.visibility.isVisible(view, item) && next.visibility.isVisible(view, item),
    },
  };
}

/** A denial of either holds, and the stricter demand for approval. */
const restrictedControl = (previous: Control, next: Control): Control => ({
  ...next,
  decide: (call, tool) => next.decide(call, tool) ?? previous.decide(call, tool),
  requirement: (call, tool) => stricter(next.requirement(call, tool), previous.requirement(call, tool)),
});

/** Both demands as one; an operator outweighs the caller. */
const stricter = (
  a: ApprovalRequirement | undefined,
  b: ApprovalRequirement | undefined,
): ApprovalRequirement | undefined =>
  a === undefined || b === undefined
    ? (a ?? b)
    : {
        rules: [...new Set([...a.rules, ...b.rules])],
        reason: a.reason === b.reason ? a.reason : `${a.reason}; ${b.reason}`,
        by: a.by === 'operator' || b.by === 'operator' ? 'operator' : 'caller',
      };

/** Resolves with the last of them; at once if none has to be awaited. */
const all = (works: readonly Soon<void>[]): Soon<void> =>
  works.some((work) => work instanceof Promise) ? Promise.all(works).then(() => undefined) : undefined;
