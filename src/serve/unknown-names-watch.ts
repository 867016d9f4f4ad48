import type { RuleProblem } from '../access/policy.js';
import type { UnknownName } from '../access/unknown-names.js';
import type { UnusedOverride } from '../config/tool-overrides.js';
import type { EventBus } from '../observe/events.js';
import type { HealthCheck } from '../observe/health.js';
import type { Log } from '../observe/log.js';
import type { Registry } from '../registry/registry.js';
import type { Rules } from './access.js';

export interface RuleNamesOptions {
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
  const told = { 'policy.waiting': '', 'policy.misnamed': '', 'config.unused': '' };
  const look = (): readonly UnknownName[] => {
    const found = rules().unknown(registry);
    const tell = (what: keyof typeof told, among: readonly RuleProblem[]): void => {
      const problems = among.map(({ path, message }) => `${path} ${message}`).slice(0, 50);
      const text = problems.join('\n');
      if (told[what] === text) return;
      told[what] = text;
      if (text === '') return;
      log.event(what, { problems });
      events.publish('config', { event: what, problems });
    };
    tell(
      'policy.waiting',
      found.filter(({ mayAppear: mayCome }) => mayCome),
    );
    tell(
      'policy.misnamed',
      found.filter(({ mayAppear: mayCome }) => !mayCome),
    );
    tell('config.unused', unused());
    return found;
  };
  return {
    look: () => void look(),
    check: {
      name: 'policy',
      priority: 'important',
      check() {
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
