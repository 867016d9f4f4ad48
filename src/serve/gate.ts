import type { Config } from '../config/schema.js';
import { unusedOverrides } from '../config/tool-overrides.js';
import { reloadReport } from '../config/reload-report.js';
import { standInNames } from '../core/stand-in.js';
import { gateway } from '../gateway.js';
import { neverAborted } from '../lib/light-signal.js';
import { liveCheck } from '../observe/health.js';
import { processes } from '../processes/processes.js';
import { protectedPaths } from '../processes/sandbox/protected-paths.js';
import { preparingSources } from '../registry/preparing.js';
import { registry } from '../registry/registry.js';
import { sourceKinds } from '../sources/index.js';
import { namePrefix } from '../sources/kind.js';
import { storedResults } from '../sources/stored-results.js';
import type { Store } from '../state/store.js';
import { heldResults } from '../access/approvals/held-results.js';
import { keysIn } from '../access/configured/credentials.js';
import { awaitedNames } from '../access/configured/awaited-names.js';
import { callerMemory, needsPersistence } from '../access/configured/caller-memory.js';
import { recordAdmin, recordAnswer } from '../observe/audit/admin-records.js';
import { edgeRecords } from '../observe/audit/edge-records.js';
import { admissionCheck } from '../admission/health-check.js';
import { quarantineLookAlikes } from '../admission/definitions.js';
import { compileOrThrow, formatRuleProblems, unresolvableNames } from '../access/configured/compiled-rules.js';
import { approvalBooks } from '../access/configured/approval-books.js';
import { configStatus } from '../observe/configured/config-status.js';
import { joinCluster } from '../cluster/join.js';
import { sourceDrain } from '../registry/source-drain.js';
import { carriedGuards } from './gate-guards.js';
import { gateSources } from './gate-sources.js';
import { gateHealth } from '../observe/configured/gate-health.js';
import { gateFiles, makeHome, lockFile } from './home.js';
import { pinFiles } from '../admission/pins/pin-files.js';
import { queuedCalls } from '../guards/concurrency.js';
import { gateRecords } from '../observe/configured/records.js';
import { reloader } from './reload.js';
import type { CarriedOver, Runtime } from './runtime.js';
import { assemble, restrict } from './runtime.js';
import { ruleNames } from '../access/configured/unknown-names-watch.js';
import { logLoaded } from '../observe/loaded-sources.js';
import { consoleSessions } from '../access/identity/console-sessions.js';
import { lazyState } from '../state/lazy-state.js';
import type { Gate, GateOptions } from './gate-types.js';

export type { Extensions, Gate } from './gate-types.js';

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
  // Until the first swap the loaded configuration is the active one.
  const config = (): Config => current?.config ?? loaded.config;
  const remembered = callerMemory(config);
  // Compiled before anything is opened: a gateway without its rules must not start.
  const rules = compileOrThrow(loaded.config, remembered, loaded, kinds);
  makeHome(home);
  // Before the journal, which a cluster ships to its archive.
  const cluster = await joinCluster(config, env, log);
  const shared = cluster?.state;
  const records = gateRecords(home, loaded.config, log, cluster?.shipped);
  const { journal, metrics: numbers, events, recent, history } = records;
  // Opened with the first use: a gateway that needs no state creates no database.
  const local = lazyState(home.state, (problem) => log.event('state.set_aside', { problem }));
  const state = { open: (): Promise<Store> => (shared ? Promise.resolve(shared.store) : local.open()) };
  if (shared) remembered.flows.shareIn(shared.labels);
  const results = storedResults({
    ttlMs: () => config().output.keep_seconds * 1000,
    ...(cluster?.peers && {
      peers: { network: cluster.peers.network, toolNamed: (name) => toolRegistry.catalogue().tools.get(name) },
    }),
  });
  const programs = processes({
    bestEffort: loaded.config.security.best_effort_sandbox,
    stateFolder: home.run,
    // Sandboxed programs must not read the token, the configuration or the state: each would make them an administrator.
    paths: protectedPaths(env, gateFiles(loaded, home), [lockFile(loaded.base)]),
    onProblem: (message) => log.event('server.problem', { message }),
  });
  const pins = cluster?.pins ?? pinFiles(home.pins);
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
    commands: extensions.commands ?? [],
    kinds,
    grantStore: cluster?.grants,
    peers: cluster?.peers,
  });
  const books = approvalBooks({
    config,
    open: state.open,
    shared: cluster?.approvals,
    log,
    events,
    env,
    onAnswer: ({ id, tool, status, denyReason }, by, via) =>
      recordAnswer(
        journal,
        log,
        { id, tool, status, ...(denyReason !== undefined && { reason: denyReason }) },
        by,
        via,
      ),
  });
  // In a cluster keys are in the shared store, so that a revocation holds on every replica.
  const keys = cluster?.keys ?? keysIn(home.folder);
  const sessions = consoleSessions(home.console);
  const carried: CarriedOver = {
    remembered,
    results,
    held: heldResults({ peers: cluster?.peers?.network }),
    env,
    open: state.open,
    keys,
    sessions,
    tokenFile: home.token,
    // A new owner token must be redacted from the moment it exists.
    onToken: (token) => log.hide([token]),
    guards: await carriedGuards({
      config,
      journal,
      metrics: numbers,
      log,
      events,
      extensions: extensions.guards ?? [],
      counters: shared?.counters,
    }),
    approvals: books,
    secretValues: new Set(),
    kinds,
  };
  const { breakers, inFlight } = carried.guards;
  // The only place that changes the active runtime; synchronous, so that no call can see half of it.
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
    onProblem: (source, problem) => sources.report('source.failed', { source, problem }),
    onRecovered: (source) => sources.report('source.recovered', { source }),
  });
  // Only after the registry took them over: a failed start must not count them as running.
  sources.keep();
  history.addGauge('queued', () => queuedCalls(toolRegistry.catalogue().tools.values()));
  const gate = gateway({
    registry: toolRegistry,
    preparing: preparingSources(
      // While a source starts, a call of one of its tools gets "starting" instead of "unknown tool".
      toolRegistry,
      (id) => namePrefix(id, config().sources, kinds),
      (name) => active().terms.shown?.ownersOf(name)[0] ?? name,
    ),
    breakers,
    results,
    current: active,
    onAdmin(action, target, by) {
      recordAdmin(journal, log, action, target, by);
      switches?.announce(action, target);
    },
  });
  // Switches of one replica hold for all: a tool disabled at one must not be callable at another.
  const switches = cluster?.followSwitches({
    enable: (name, isOn) => toolRegistry.setSwitch(name, isOn),
    resetBreaker: (name) => breakers.get(name)?.reset(),
  });
  // Breakers and metrics of tools that no longer exist would grow without bound.
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
      unusedOverrides(config(), toolRegistry.catalogue(), awaitedNames(config().sources, toolRegistry, kinds)),
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
    metrics: numbers,
    more: [
      liveCheck('keys', 'important', carried.keys.problem),
      liveCheck('state', 'important', local.problem),
      ...(cluster ? [cluster.check] : []),
      status.check,
      names.check,
      admissionCheck(() => Object.keys(config().sources), sources.admission),
    ],
  });
  let unwatch = (): void => {};

  const shutDown = async (graceMs: number): Promise<void> => {
    // New calls are refused first; then watchers stop, so that nothing starts again while the rest closes.
    gate.close();
    unwatch();
    healthy.stop();
    history.stop();
    events.close();
    // Processes get the grace period; the sources behind them are closed afterwards.
    await programs.close(graceMs);
    await Promise.all([toolRegistry.close(), drain.finish()]);
    await Promise.all([sources.close(), books.close()]);
    await active().credentials.close();
    remembered.budgets.settle();
    await local.close();
    // The journal is closed last of the local parts: everything before may still write a record.
    journal.close();
    await cluster?.close();
  };
  const reloadListeners = new Set<() => void>();
  let closed: Promise<void> | undefined;
  // Idempotent: signal, idle watch and a failed start may all close the gate.
  const close = (graceMs: number): Promise<void> => (closed ??= shutDown(graceMs));

  const prepare = async (next: Config): Promise<void> => {
    // A cluster persists in its own store.
    if (shared || !needsPersistence(next)) return;
    const store = await local.open();
    remembered.flows.keepIn(store);
    remembered.budgets.keepIn(store);
  };
  const list = async (): Promise<void> => {
    await Promise.all([toolRegistry.refresh(neverAborted()), prepare(loaded.config)]);
    updateToolNames();
    // Only with all tools listed is a name certainly wrong; a rule about no tool protects nothing, so the start fails.
    const misnamed = unresolvableNames(active().rules, toolRegistry);
    if (misnamed.length > 0) {
      await close(0);
      throw new Error(formatRuleProblems(misnamed, loaded));
    }
    logLoaded(log, toolRegistry.catalogue().tools.values());
    // The probe has run for the commands; its result is cached.
    void programs
      .tiers()
      .then(({ bwrap, prlimit }) =>
        log.event('sandbox.probed', { bwrap: bwrap.available, prlimit: prlimit.available }),
      );
    names.look();
    toolRegistry.onChange(() => names.look());
    // An approval of pins in another process lists the source again.
    unwatch = pins.watch((source) => void toolRegistry.refresh(neverAborted(), source));
    healthy.start();
  };
  // Not awaited: methods that need no tools are answered while the sources start.
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
      // After the activation: listeners read the new configuration.
      for (const listener of reloadListeners) listener();
      history.mark('configuration changed');
      status.applied(reloadReport(loaded.config, before, next));
      return status.report();
    },
    onReload: (listener) => void reloadListeners.add(listener),
    current: active,
    rules: () => active().rules,
    callers: () => active().credentials,
    approvals: books.approvals,
    recent,
    history,
    sourceLines: sources.lines,
    clients: records.clients,
    file: loaded.file,
    env,
    pins,
    keys,
    sessions,
    record: (action, target, by, via) => recordAdmin(journal, log, action, target, by, via),
    approvalRequested: books.asked,
    state,
    shared,
    admission: sources.admission,
    gateway: gate,
    registry: toolRegistry,
    breakers,
    stages: carried.guards.stages,
    metrics: numbers,
    processes: programs,
    events,
    health: healthy,
    log,
    routes: extensions.routes ?? [],
    edge: edgeRecords(journal, log),
  };
}
