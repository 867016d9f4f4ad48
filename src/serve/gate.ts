import type { Config } from '../config/schema.js';
import { unusedOverrides } from '../config/tool-overrides.js';
import type { LoadedConfig } from '../config/load.js';
import type { ReloadReport } from '../config/reload-report.js';
import { reloadReport } from '../config/reload-report.js';
import type { Gateway } from '../core/gateway.js';
import { standInNames } from '../core/stand-in.js';
import type { Guard } from '../core/guard.js';
import type { ToolSource } from '../core/source.js';
import { gateway } from '../gateway.js';
import type { Breakers } from '../guards/breaker.js';
import { neverAborted } from '../lib/light-signal.js';
import type { EventBus } from '../observe/events.js';
import type { Health } from '../observe/health.js';
import type { Log } from '../observe/log.js';
import type { Metrics } from '../observe/metrics.js';
import type { Processes } from '../processes/processes.js';
import { processes } from '../processes/processes.js';
import { protectedPaths } from '../processes/protected-paths.js';
import type { Registry } from '../registry/registry.js';
import { registry } from '../registry/registry.js';
import { sourceKinds } from '../sources/index.js';
import type { SourceKind } from '../sources/kind.js';
import { truncatedResults } from '../sources/truncated-results.js';
import type { Store } from '../state/store.js';
import type { Approvals } from '../transports/http/approvals.js';
import type { Route } from '../transports/http/route.js';
import type { Credentials, Rules } from './access.js';
import { awaitedNames, keysIn, needsPersistence, callerMemory } from './access.js';
import { recordAdmin, recordAnswer } from '../observe/admin-records.js';
import type { EdgeRecords } from '../observe/edge-records.js';
import { edgeRecords } from '../observe/edge-records.js';
import { admissionCheck } from '../admission/health-check.js';
import { quarantineLookAlikes } from '../admission/definitions.js';
import { compileOrThrow, formatRuleProblems, unresolvableNames } from './compiled-rules.js';
import { approvalBooks } from './approvals.js';
import type { ConfigStatus } from './config-status.js';
import { configStatus } from './config-status.js';
import { sourceDrain } from './drain.js';
import { carriedGuards } from './gate-guards.js';
import { gateSources } from './gate-sources.js';
import { gateHealth } from './health.js';
import type { Home } from './home.js';
import { gateFiles, makeHome } from './home.js';
import { pinFiles } from '../admission/pins/pin-files.js';
import { gateRecords } from './records.js';
import { reloader } from './reload.js';
import type { CarriedOver, Runtime } from './runtime.js';
import { assemble, restrict } from './runtime.js';
import { ruleNames } from './unknown-names-watch.js';
import type { AdmissionRecord } from '../admission/evidence.js';
import { lazyState } from '../state/lazy-state.js';

/** A gateway with its sources, guards and state, but without a transport. */
export interface Gate {
  readonly gateway: Gateway & { active(): number; close(): void };
  readonly registry: Registry;
  readonly breakers: Breakers;
  readonly metrics: Metrics;
  readonly processes: Processes;
  readonly events: EventBus;
  readonly health: Health;
  readonly log: Log;
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
  callers(): Credentials;
  /** The active runtime; replaced as a whole by a reload. */
  current(): Runtime;
  /** Admission decision about a local server, with its evidence. */
  admission(source: string): AdmissionRecord | undefined;
  config(): Config;
  /** Activates a configuration: builds it completely, then swaps; unchanged sources continue, running calls end as they began. */
  reload(config: Config): Promise<ReloadReport>;
  /** State of the configuration file. */
  readonly configStatus: ConfigStatus;
  /** Resolves when all sources are listed; closes the gate and rejects if rules name unknown tools. */
  readonly ready: Promise<void>;
  /** Ends every process within the grace period and closes the stores. */
  close(graceMs: number): Promise<void>;
}

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
  /** Run after `authorize`, the first one outermost. */
  readonly guards?: readonly Guard[];
  readonly routes?: readonly Route[];
  /** Kinds of sources that the configuration may use, the built-in ones included. */
  readonly kinds?: readonly SourceKind[];
}

/** Builds the gateway of a configuration and lists its tools. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const gate = await startGate(options);
  await gate.ready;
  return gate;
}

/** Builds the gateway without waiting for its sources: methods that need no tools can be answered at once. */
export async function startGate({ loaded, home, log, env, extensions = {} }: GateOptions): Promise<Gate> {
  const { kinds = sourceKinds } = extensions;
  let current: Runtime | undefined;
  const config = (): Config => current?.config ?? loaded.config;
  const remembered = callerMemory(config);
  const rules = compileOrThrow(loaded.config, remembered, loaded, kinds);
  makeHome(home);
  const records = gateRecords(home, loaded.config, log);
  const { journal, metrics: numbers, events } = records;
  const state = lazyState(home.state, (problem) => log.event('state.set_aside', { problem }));
  const results = truncatedResults({ ttlMs: () => config().output.keep_seconds * 1000 });
  const programs = processes({
    bestEffort: loaded.config.security.best_effort_sandbox,
    stateFolder: home.run,
    paths: protectedPaths(env, gateFiles(loaded, home)),
    onProblem: (message) => log.event('server.problem', { message }),
  });
  const pins = pinFiles(home.pins);
  const sources = gateSources({
    config,
    base: loaded.base,
    home,
    processes: programs,
    pins,
    results,
    env,
    journal,
    metrics: numbers,
    log,
    events,
    extensions: extensions.sources ?? [],
    kinds,
  });
  const books = approvalBooks({
    config,
    open: state.open,
    log,
    events,
    onAnswer: ({ id, tool, status }, by) => recordAnswer(journal, log, { id, tool, status }, by),
  });
  const carried: CarriedOver = {
    remembered,
    results,
    env,
    open: state.open,
    keys: keysIn(home.folder),
    tokenFile: home.token,
    onToken: (token) => log.hide([token]),
    guards: await carriedGuards({
      config,
      journal,
      metrics: numbers,
      log,
      events,
      extensions: extensions.guards ?? [],
    }),
    approvals: books,
    secretValues: new Set(),
    kinds,
  };
  const { breakers, inFlight } = carried.guards;
  const swap = (runtime: Runtime): void => {
    // At the start the settings are those the log and the journal were opened with.
    if (current !== undefined) records.configure(runtime.config);
    current = { ...runtime, generation: (current?.generation ?? 0) + 1 };
    log.hide(carried.secretValues);
  };
  swap(assemble(loaded.config, carried, rules));
  // Set by the swap above, and never unset.
  const active = (): Runtime => current as Runtime;
  const drain = sourceDrain({
    inFlight,
    graceMs: () => config().server.shutdown_grace_period * 1000,
    onProblem: (source, error) => log.event('server.problem', { message: `Cannot close ${source}: ${String(error)}` }),
  });
  const toolRegistry = registry({
    ...active().terms,
    sources: await sources.build(loaded.config),
    quarantine: quarantineLookAlikes(pins),
    onRemoved: drain.close,
    onProblem(source, problem) {
      log.event('source.failed', { source, problem });
      events.publish('source', { event: 'source.failed', source, problem });
    },
    onRecovered(source) {
      log.event('source.recovered', { source });
      events.publish('source', { event: 'source.recovered', source });
    },
  });
  sources.keep();
  const gate = gateway({
    registry: toolRegistry,
    breakers,
    current: active,
    onAdmin: (action, target, by) => recordAdmin(journal, log, action, target, by),
  });
  const updateToolNames = (): void => {
    const names = [...toolRegistry.catalogue().tools.keys(), ...standInNames];
    numbers.tools(names);
    breakers.retainOnly(new Set(names));
  };
  toolRegistry.onChange((what) => {
    updateToolNames();
    events.publish('registry', { changed: what });
  });
  const status = configStatus();
  const names = ruleNames({
    rules: () => active().rules,
    registry: toolRegistry,
    unused: () =>
      unusedOverrides(config(), toolRegistry.catalogue().tools, awaitedNames(config().sources, toolRegistry, kinds)),
    log,
    events,
  });
  const healthy = gateHealth({
    gateway: gate,
    registry: toolRegistry,
    journal,
    folder: home.folder,
    log,
    events,
    more: [status.check, names.check, admissionCheck(() => Object.keys(config().sources), sources.admission)],
  });
  let unwatch = (): void => {};

  const shutDown = async (graceMs: number): Promise<void> => {
    gate.close();
    unwatch();
    healthy.stop();
    events.close();
    await programs.close(graceMs);
    await Promise.all([toolRegistry.close(), drain.finish()]);
    await sources.close();
    await active().credentials.close();
    remembered.budgets.settle();
    await state.close();
    journal.close();
  };
  let closed: Promise<void> | undefined;
  const close = (graceMs: number): Promise<void> => (closed ??= shutDown(graceMs));

  const prepare = async (next: Config): Promise<void> => {
    if (!needsPersistence(next)) return;
    const store = await state.open();
    remembered.flows.keepIn(store);
    remembered.budgets.keepIn(store);
  };
  const list = async (): Promise<void> => {
    await Promise.all([toolRegistry.refresh(neverAborted()), prepare(loaded.config)]);
    updateToolNames();
    const misnamed = unresolvableNames(active().rules, toolRegistry);
    if (misnamed.length > 0) {
      await close(0);
      throw new Error(formatRuleProblems(misnamed, loaded));
    }
    names.look();
    toolRegistry.onChange(() => names.look());
    unwatch = pins.watch((source) => void toolRegistry.refresh(neverAborted(), source));
    healthy.start();
  };
  const ready = list();
  ready.catch(() => {}); // reported to the caller that awaits `ready`
  const activate = reloader({
    registry: toolRegistry,
    sources,
    swap,
    prepare,
    current: active,
    assemble: (next) => assemble(next, carried),
    restrict: (previous, next) => restrict(previous, next, carried),
    isClosed: () => closed !== undefined,
  });

  return {
    ready,
    close,
    config,
    configStatus: status,
    async reload(next) {
      const before = config();
      await activate(next);
      status.applied(reloadReport(loaded.config, before, next));
      return status.report();
    },
    current: active,
    rules: () => active().rules,
    callers: () => active().credentials,
    approvals: books.approvals,
    approvalRequested: books.asked,
    state,
    admission: sources.admission,
    gateway: gate,
    registry: toolRegistry,
    breakers,
    metrics: numbers,
    processes: programs,
    events,
    health: healthy,
    log,
    routes: extensions.routes ?? [],
    edge: edgeRecords(journal, log),
  };
}
