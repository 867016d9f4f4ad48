import type { Control } from '../access/control.js';
import type { ApprovalRequirement } from '../guards/confirm.js';
import type { Rules } from './access.js';

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
      enter(call, tool) {
        const entries = [previous.flows.enter(call, tool), next.flows.enter(call, tool)];
        return {
          leave(hasRun, earned) {
            for (const entry of entries) entry.leave(hasRun, earned);
          },
        };
      },
    },
    profiles: {
      usable: (view) => previous.profiles.usable(view) && next.profiles.usable(view),
      holds: (view, item) => previous.profiles.holds(view, item) && next.profiles.holds(view, item),
      key: (view) => `${previous.profiles.key(view)}|${next.profiles.key(view)}`,
    },
    visibility: {
      group: (view) => `${previous.visibility.group(view)}|${next.visibility.group(view)}`,
      isVisible: (view, item) => previous.visibility.isVisible(view, item) && next.visibility.isVisible(view, item),
    },
  };
}

const restrictedControl = (previous: Control, next: Control): Control => ({
  ...next,
  decide: (call, tool) => next.decide(call, tool) ?? previous.decide(call, tool),
  requirement: (call, tool) => stricter(next.requirement(call, tool), previous.requirement(call, tool)),
});

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
