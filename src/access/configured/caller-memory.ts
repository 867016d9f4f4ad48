import type { Config } from '../../config/schema.js';
import type { TokenBucket } from '../../lib/token-bucket.js';
import { tokenBucket } from '../../lib/token-bucket.js';
import type { Budgets } from '../limits/budgets.js';
import { budgets } from '../limits/budgets.js';
import type { FlowMemory } from '../flows/flow-memory.js';
import { flowMemory } from '../flows/flow-memory.js';

/** State about callers that survives reloads, and restarts if it must be persisted. */
export interface CallerMemory {
  readonly flows: FlowMemory;
  readonly budgets: Budgets;
  /** Tokens of the limits over several tools. */
  readonly rates: TokenBucket;
}

export const callerMemory = (config: () => Config): CallerMemory => {
  const maxKeys = (): number => config().rate_limit.max_keys;
  return {
    flows: flowMemory(),
    budgets: budgets({ maxKeys }),
    // Budgets and limits share the clock of calendar time.
    rates: tokenBucket({ maxKeys, clock: Date.now }),
  };
};

/** Whether a restart would reset something a caller could exploit: a budget, or the labels of a conversation. */
export const needsPersistence = ({ access, flows, policy }: Config): boolean =>
  access.limits.some(({ calls_per_day: budget }) => budget !== undefined) ||
  flows.rules.length > 0 ||
  policy.rules.some(({ when }) => when?.includes('session') === true);
