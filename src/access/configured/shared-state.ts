import type { Config } from '../../config/schema.js';
import type { SharedState } from '../../state/shared.js';
import type { DurableOptions, DurableState } from '../../state/durable.js';
import type { DecisionChannel } from '../approvals/tickets.js';

/** Connects to the engines of a cluster; undefined without one, and then no client library is loaded. */
export async function connectShared(config: () => Config, env: NodeJS.ProcessEnv): Promise<SharedState | undefined> {
  const { cluster } = config();
  if (cluster === undefined) return undefined;
  const { openShared } = await import('../../state/shared.js');
  return openShared({
    ...durableOptions(cluster, env),
    valkey: resolveKey(cluster, 'valkey', env),
    replica: cluster.replica,
    limitsOnFailure: () => config().cluster?.limits_on_failure ?? 'share',
    maxKeys: () => config().rate_limit.max_keys,
  });
}

/** Connects to PostgreSQL only, for commands that read or change keys, pins and logins of a cluster. */
export async function connectDurable({ cluster }: Config, env: NodeJS.ProcessEnv): Promise<DurableState | undefined> {
  if (cluster === undefined) return undefined;
  const { openDurable } = await import('../../state/durable.js');
  return openDurable(durableOptions(cluster, env));
}

/** The section `cluster`, where it is set. */
type Cluster = NonNullable<Config['cluster']>;

/** Value of a key that the checks of the configuration require; throws if it is missing. */
function resolveKey(cluster: Cluster, key: 'secret' | 'postgres' | 'valkey', env: NodeJS.ProcessEnv): string {
  const value = cluster[key]?.resolve(env);
  if (value?.ok !== true) throw new Error(`cluster.${key}: is missing`);
  return value.value;
}

function durableOptions(cluster: Cluster, env: NodeJS.ProcessEnv): DurableOptions {
  const previous = cluster.previous_secret?.resolve(env);
  return {
    // The previous secret stays valid for reading while replicas change to the new one (key rotation).
    secrets: [resolveKey(cluster, 'secret', env), ...(previous?.ok === true ? [previous.value] : [])],
    postgres: resolveKey(cluster, 'postgres', env),
  };
}

/** Decisions about tickets, announced to all replicas. */
export const decisionChannel = ({ bus }: SharedState): DecisionChannel => ({
  // Polling covers announcements that were lost with a connection.
  pollMs: 1_000,
  publish: (ticket) => bus.publish('ticket', ticket),
  subscribe: (listener) => bus.subscribe('ticket', (ticket) => typeof ticket === 'string' && listener(ticket)),
});
