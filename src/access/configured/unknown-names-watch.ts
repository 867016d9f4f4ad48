import type { RuleProblem } from '../policy/policy.js';
import type { UnknownName } from '../policy/unknown-names.js';
import type { UnusedOverride } from '../../config/tool-overrides.js';
import type { EventBus } from '../../observe/events.js';
import type { HealthCheck } from '../../observe/health.js';
import type { Log } from '../../observe/log/log.js';
import type { Registry } from '../../registry/registry.js';
import type { Rules } from './rules.js';

/** What is compared: rules and overrides with the tools. */
interface RuleNamesOptions {
  readonly rules: () => Rules;
  readonly registry: Registry;
  /** Overrides that no tool uses. */
  readonly unused: () => readonly UnusedOverride[];
  readonly log: Log;
  readonly events: EventBus;
}

/** Logs names in rules and overrides that match nothing, whenever the tools change: as pending while a source is not ready, else as an error. */
export function ruleNames({ rules, registry, unused, log, events }: RuleNamesOptions): {
  look(): void;
  readonly check: HealthCheck;
} {
  const reported = { 'policy.waiting': '', 'policy.misnamed': '', 'config.unused': '' };
  const look = (): readonly UnknownName[] => {
    const found = rules().unknown(registry);
    const report = (what: keyof typeof reported, among: readonly RuleProblem[]): void => {
      // Bounded: a source that lost all its tools could make hundreds of lines.
      const problems = among.map(({ path, message }) => `${path} ${message}`).slice(0, 50);
      const text = problems.join('\n');
      // Logged once per change, not with every refresh of a source.
      if (reported[what] === text) return;
      reported[what] = text;
      if (text === '') return;
      log.event(what, { problems });
      events.publish('config', { event: what, problems });
    };
    report(
      'policy.waiting',
      found.filter(({ mayAppear: mayCome }) => mayCome),
    );
    report(
      'policy.misnamed',
      found.filter(({ mayAppear: mayCome }) => !mayCome),
    );
    report('config.unused', unused());
    return found;
  };
  return {
    look: () => void look(),
    check: {
      name: 'policy',
      priority: 'important',
      check() {
        // Also looks now, so that the check is right although no tool has changed since the reload.
        const found = look();
        const lost = found.filter(({ mayAppear: mayCome }) => !mayCome);
        const [first] = lost.length > 0 ? lost : found;
        return {
          status: lost.length > 0 ? 'degraded' : 'healthy',
          ...(first && { detail: `${first.path} ${first.message}${first.mayAppear ? ' yet' : ''}` }),
        };
      },
    },
  };
}
