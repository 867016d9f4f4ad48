import type { Config } from '../config/schema.js';
import type { ToolStatus } from '../core/gateway.js';
import type { SourceHealth } from '../core/source.js';
import type { Processes } from '../processes/index.js';
import { programChecks, sandboxChecks } from './machine-checks.js';
import type { Check } from './settings-checks.js';
import { settingsChecks } from './settings-checks.js';

/** A gateway as far as the checks look at it. */
interface CheckedGate {
  config(): Config;
  readonly processes: Pick<Processes, 'tiers'>;
  readonly registry: { health(): Readonly<Record<string, SourceHealth>> };
}

/** The whole deployment checklist: settings, sandbox of each source, programs of this machine. */
export async function doctorChecks(
  gate: CheckedGate,
  statuses: readonly ToolStatus[],
  env: NodeJS.ProcessEnv,
): Promise<readonly Check[]> {
  return [
    ...settingsChecks(gate.config(), await gate.processes.tiers(), statuses),
    ...sandboxChecks(gate.registry.health()),
    ...(await programChecks(env)),
  ];
}
