import type { Config } from '../config/schema.js';
import type { LoadedConfig } from '../config/load.js';
import type { ReloadReport } from '../config/reload-report.js';
import type { Gateway } from '../core/gateway.js';
import type { Guard } from '../core/guard.js';
import type { ToolSource } from '../core/source.js';
import type { StageRecorders } from '../core/stage.js';
import type { Breakers } from '../guards/breaker.js';
import type { SourceLog } from '../observe/source-log.js';
import type { EventBus } from '../observe/events.js';
import type { Health } from '../observe/health.js';
import type { Log } from '../observe/log/log.js';
import type { Metrics } from '../observe/metrics/metrics.js';
import type { Processes } from '../processes/processes.js';
import type { Registry } from '../registry/registry.js';
import type { CommandDefinition } from '../sources/command/definition.js';
import type { SourceKind } from '../sources/kind.js';
import type { Store } from '../state/store.js';
import type { Approvals } from '../core/approvals.js';
import type { Route } from '../transports/http/edge/route.js';
import type { Credentials } from '../access/configured/credentials.js';
import type { Rules } from '../access/configured/rules.js';
import type { AdminAction } from '../observe/audit/admin-records.js';
import type { Door } from '../core/call.js';
import type { Principal } from '../core/principal.js';
import type { EdgeRecords } from '../observe/audit/edge-records.js';
import type { ConfigStatus } from '../observe/configured/config-status.js';
import type { Home } from './home.js';
import type { PinStore } from '../admission/pins/pin-files.js';
import type { GateRecords } from '../observe/configured/records.js';
import type { Runtime } from './runtime.js';
import type { AdmissionRecord } from '../admission/evidence.js';
import type { ConsoleSessions } from '../access/identity/console-sessions.js';
import type { KeyStore } from '../access/identity/keys.js';
import type { SharedState } from '../state/shared.js';

/** A gateway with its sources, guards and state, but without a transport. */
export interface Gate extends Pick<GateRecords, 'recent' | 'history' | 'clients'> {
  readonly gateway: Gateway & { active(): number; close(): void };
  readonly registry: Registry;
  readonly breakers: Breakers;
  readonly metrics: Metrics;
  readonly processes: Processes;
  readonly events: EventBus;
  readonly health: Health;
  readonly log: Log;
  /** Observers of calls on their way through the guards: `add` one to see each stage; see docs/architecture.md. */
  readonly stages: StageRecorders;
  /** HTTP routes of the embedding program. */
  readonly routes: readonly Route[];
  /** Records what the doors refuse before a call exists. */
  readonly edge: EdgeRecords;
  /** Access rules of the active configuration. */
  rules(): Rules;
  readonly approvals: Approvals;
  /** Resolves when the first call needs approval. */
  readonly approvalRequested: Promise<void>;
  /** State store, opened at the first use. */
  readonly state: { open(): Promise<Store> };
  /** State shared with other replicas, in a cluster. */
  readonly shared: SharedState | undefined;
  callers(): Credentials;
  /** Configuration file, if there is one. */
  readonly file: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Latest stderr lines and events of a source. */
  sourceLines: SourceLog['lines'];
  readonly pins: PinStore;
  readonly keys: KeyStore;
  readonly sessions: ConsoleSessions;
  /** Records the action of an administrator in audit and log. */
  record(action: AdminAction, target: string, by: Principal, via: Door): void;
  /** The active runtime; replaced as a whole by a reload. */
  current(): Runtime;
  /** Admission decision about a local server, with its evidence. */
  admission(source: string): AdmissionRecord | undefined;
  config(): Config;
  /** Activates a configuration: builds it completely, then swaps; unchanged sources continue, running calls end as they began. */
  reload(config: Config): Promise<ReloadReport>;
  /** Calls a listener after each activated configuration; for parts that hold state besides the runtime. */
  onReload(listener: () => void): void;
  /** State of the configuration file. */
  readonly configStatus: ConfigStatus;
  /** Resolves when all sources are listed; closes the gate and rejects if rules name unknown tools. */
  readonly ready: Promise<void>;
  /** Ends every process within the grace period and closes the stores. */
  close(graceMs: number): Promise<void>;
}

/** What a gateway is built from. */
export interface GateOptions {
  readonly loaded: LoadedConfig;
  readonly home: Home;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  readonly extensions?: Extensions;
}

/** What an embedding program adds to the gateway. */
export interface Extensions {
  readonly sources?: readonly ToolSource[];
  /** Commands defined in code; they run like those of the manifest folders. */
  readonly commands?: readonly CommandDefinition[];
  /** Run after `authorize`, the first one outermost. */
  readonly guards?: readonly Guard[];
  readonly routes?: readonly Route[];
  /** Kinds of sources that the configuration may use, the built-in ones included. */
  readonly kinds?: readonly SourceKind[];
}
