import type { ReloadReport } from '../../config/reload-report.js';
import type { HealthCheck } from '../health.js';

/** State of the configuration file, for operators. */
export interface ConfigStatus {
  readonly check: HealthCheck;
  /** Result of the last reload, and why the present file was rejected, if so. */
  report(): ReloadReport & { readonly rejected?: readonly string[] };
  applied(report: ReloadReport): void;
  rejected(problems: readonly string[]): void;
}

/** Fails as a health check while the file on disk is not the active configuration. */
export function configStatus(): ConfigStatus {
  let last: ReloadReport = { applied: [], needs_restart: [] };
  let problems: readonly string[] = [];
  return {
    report: () => ({ ...last, ...(problems.length > 0 && { rejected: problems }) }),
    applied(report) {
      last = report;
      // A valid file clears the earlier rejection.
      problems = [];
    },
    rejected(found) {
      // Bounded: the health response repeats these lines.
      problems = found.slice(0, 20);
    },
    check: {
      name: 'config',
      priority: 'important',
      check: () =>
        problems.length > 0
          ? // Unhealthy although the old configuration still serves: what an operator believes to be active is not.
            { status: 'unhealthy', detail: `the file was rejected: ${problems.join('; ')}` }
          : {
              status: 'healthy',
              ...(last.needs_restart.length > 0 && { detail: `needs a restart: ${last.needs_restart.join(', ')}` }),
            },
    },
  };
}
