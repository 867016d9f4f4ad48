import { connectShared, decisionChannel } from '../access/configured/shared-state.js';
import type { KeyStore } from '../access/identity/keys.js';
import { sharedKeys } from '../access/identity/shared-keys.js';
import type { PinStore } from '../admission/pins/pin-files.js';
import { sharedPins } from '../admission/pins/shared-pins.js';
import type { Config } from '../config/schema.js';
import type { AuditLog } from '../observe/audit/audit-log.js';
import { openPeers, type PeerNetwork } from './peer/peers.js';
import { fleetAudit } from './fleet-audit.js';
import type { DecisionChannel } from '../access/approvals/tickets.js';
import { enginesCheck } from '../observe/engine-check.js';
import type { HealthCheck } from '../observe/health.js';
import type { Log } from '../observe/log/log.js';
import { sealedGrants } from '../sources/mcp/oauth/sealed-grants.js';
import type { GrantStore } from '../sources/mcp/oauth/tokens.js';
import type { SourcePeers } from '../sources/source-peers.js';
import type { Bus } from '../state/bus.js';
import type { SharedState } from '../state/shared.js';
import { sharedSwitches } from '../state/shared-switches.js';
import type { FastStore } from '../state/valkey/valkey-store.js';

interface SwitchTargets {
  readonly enable: (tool: string, isOn: boolean) => void;
  readonly resetBreaker: (tool: string) => void;
}

/** What this replica shares with the others, instead of files in the state folder. */
interface Cluster {
  readonly state: SharedState;
  readonly keys: KeyStore;
  readonly pins: PinStore;
  readonly grants: GrantStore;
  readonly approvals: {
    readonly seals: { readonly key: Buffer; readonly used: FastStore };
    readonly channel: DecisionChannel;
  };
  /** The peer door; absent if none is configured. */
  readonly peers: SourcePeers | undefined;
  readonly check: HealthCheck;
  /** The journal whose lines are shipped to the archive of the fleet. */
  shipped(journal: AuditLog): AuditLog;
  close(): Promise<void>;
  /** Applies what administrators switch on other replicas, and announces what they switch here. */
  followSwitches(targets: SwitchTargets): {
    announce(action: 'enable' | 'disable' | 'breaker_reset', tool: string): void;
  };
}

/** Connects this replica with the others; undefined without `cluster`, and then no client library is loaded. */
export async function joinCluster(
  config: () => Config,
  env: NodeJS.ProcessEnv,
  log: Log,
): Promise<Cluster | undefined> {
  const shared = await connectShared(config, env);
  if (shared === undefined) return undefined;
  const { copies, bus, postgres } = shared;
  for (const engine of shared.engines)
    engine.onChange((isUp) => log.event(isUp ? 'cluster.engine_up' : 'cluster.engine_down', { engine: engine.name }));
  const pins = sharedPins(await copies.open('pins'));
  const keys = sharedKeys(await copies.open('keys'), {
    maxStaleMs: () => (config().cluster?.max_stale_seconds ?? 0) * 1000,
  });
  const switches = await copies.open('switches');
  // Definitions that could not be pinned during an outage are listed again after it.
  postgres.engine.onChange((isUp) => isUp && pins.retry());
  const audit = fleetAudit(shared, config, log);
  const network = await openPeerNetwork(shared, config, log);
  return {
    state: shared,
    peers: network && {
      network,
      stateKeys: shared.keysFor('upstream state'),
      placement: network.placement,
      lists: listChanges(bus),
    },
    shipped: audit.shipped,
    async close() {
      await network?.close();
      await audit.close();
      await shared.close();
    },
    keys,
    pins,
    approvals: {
      seals: { key: shared.keyFor('approval'), used: shared.fast },
      channel: decisionChannel(shared),
    },
    check: enginesCheck(shared),
    grants: sealedGrants(shared.locked('grants'), shared.keysFor('grants')),
    followSwitches({ enable, resetBreaker }) {
      const stored = sharedSwitches(switches, {
        apply: enable,
        onProblem: (tool, error) => log.event('cluster.switch_local', { tool, problem: String(error) }),
      });
      bus.subscribe('breaker_reset', (tool) => typeof tool === 'string' && resetBreaker(tool));
      return {
        announce(action, tool) {
          if (action === 'breaker_reset') bus.publish('breaker_reset', tool);
          else stored.set(tool, action === 'enable');
        },
      };
    },
  };
}

/** Announces changed lists of servers to the replicas that use them. */
function listChanges(bus: Bus): SourcePeers['lists'] {
  const topic = 'source-list';
  const listeners = new Map<string, Set<() => void>>();
  bus.subscribe(topic, (source) => {
    for (const listener of listeners.get(String(source)) ?? []) listener();
  });
  return {
    announce: (source) => bus.publish(topic, source),
    listen(source, listener) {
      const all = listeners.get(source) ?? new Set();
      listeners.set(source, all.add(listener));
      return () => void all.delete(listener);
    },
  };
}

/** Opens the peer door, if one is configured; a replica that cannot open it does not start. */
async function openPeerNetwork(shared: SharedState, config: () => Config, log: Log): Promise<PeerNetwork | undefined> {
  const { peer } = config().cluster ?? {};
  if (peer === undefined) return undefined;
  try {
    return await openPeers(shared, {
      listen: peer.listen,
      advertise: peer.advertise,
      onRefused: (why, address) => log.event('cluster.peer_refused', { address, problem: why }),
      onBug: (error) => log.event('server.problem', { message: `Peer door: ${String(error)}` }),
    });
  } catch (error) {
    await shared.close();
    throw new Error(`cluster.peer.listen: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
