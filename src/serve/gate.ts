import type { Config } from '../config/schema.js';
import type { LoadedConfig } from '../config/load.js';
import type { Gateway } from '../core/gateway.js';
import type { CallRuntime } from '../gateway.js';
import { gateway } from '../gateway.js';
import type { Breakers } from '../guards/breaker.js';
import { neverAborted } from '../lib/light-signal.js';
import { redactor } from '../hostile-text/redact.js';
import type { EventBus } from '../observe/events.js';
import { eventBus } from '../observe/events.js';
import type { Health } from '../observe/health.js';
import type { Log } from '../observe/log.js';
import type { Metrics } from '../observe/metrics.js';
import { metrics } from '../observe/metrics.js';
import type { Processes } from '../processes/processes.js';
import { processes } from '../processes/processes.js';
import type { Registry } from '../registry/registry.js';
import { registry } from '../registry/registry.js';
import { truncatedResults } from '../sources/truncated-results.js';
import type { Store } from '../state/store.js';
import type { Approvals } from '../transports/http/approvals.js';
import type { Credentials, Rules } from './access.js';
import { keysIn, needsPersistence, callerMemory as memory } from './access.js';
import { recordAdmin, recordAnswer } from '../observe/admin-records.js';
import { admissionCheck } from '../admission/health-check.js';
import { quarantineLookAlikes } from '../admission/definitions.js';
import { unresolvableNames, formatRuleProblems } from './compiled-rules.js';
import { approvalsOf } from './approvals.js';
import { gateGuards } from './gate-guards.js';
import { gateSources } from './gate-sources.js';
import { gateHealth } from './health.js';
import type { Home } from './home.js';
import { makeHome } from './home.js';
import { activeConfig } from './active-config.js';
import { gateJournal } from './journal.js';
import { pinFiles } from '../admission/pins/pin-files.js';
import { ruleNames } from './unknown-names-watch.js';
import type { AdmissionRecord } from '../admission/evidence.js';
import { secretValues } from '../config/secret-values.js';
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
  /** Access rules of the active configuration. */
  rules(): Rules;
  readonly approvals: Approvals;
  /** Resolves when the first call needs approval. */
  readonly approvalRequested: Promise<void>;
  /** State store, opened at the first use. */
  readonly state: { open(): Promise<Store> };
  callers(): Credentials;
  /** Admission decision about a local server, with its evidence. */
  admission(source: string): AdmissionRecord | undefined;
  config(): Config;
  /** Activates a new configuration: builds new sources and swaps them in; running calls finish on the old ones. */
  reload(config: Config): Promise<void>;
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
}

/** Builds the gateway of a configuration and lists its tools. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const gate = await startGate(options);
  await gate.ready;
  return gate;
}

/** Builds the gateway without waiting for its sources: methods that need no tools can be answered at once. */
export async function startGate({ loaded, home, log, env }: GateOptions): Promise<Gate> {
  const { config } = loaded;
  const remembered = memory(config);
  const results = truncatedResults({ ttlMs: () => active.config().output.keep_seconds * 1000 });
  const state = lazyState(home.state, (problem) => log.event('state.set_aside', { problem }));
  const keys = keysIn(home.folder);
  const active = activeConfig({ loaded, remembered, results, open: state.open, keys, env });
  makeHome(home);
  log.hide(secretValues(config, env));
  const journal = gateJournal(home.audit, config, log);
  const numbers = metrics();
  const events = eventBus();
  const programs = processes({
    bestEffort: config.security.best_effort_sandbox,
    stateFolder: home.run,
    onProblem: (message) => log.event('server.problem', { message }),
  });
  const pins = pinFiles(home.pins);
  const sources = gateSources({
    config: active.config,
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
  });
  const toolRegistry = registry({
    sources: await sources.build(),
    filter: filterOf(config),
    adjust: (tool) => active.override(tool),
    quarantine: quarantineLookAlikes(pins),
    onProblem(source, problem) {
      log.event('source.failed', { source, problem });
      events.publish('source', { event: 'source.failed', source, problem });
    },
  });
  const hideSecrets = redactor(secretValues(config, env));
  const approvals = approvalsOf({
    config: active.config,
    open: state.open,
    labelsOf: (tool) => active.rules().labelsOf(tool),
    redactor: hideSecrets,
    log,
    events,
    onAnswer: ({ id, tool, status }, by) => recordAnswer(journal, log, { id, tool, status }, by),
  });
  const guards = await gateGuards({
    active,
    journal,
    metrics: numbers,
    log,
    events,
    approvals: approvals.consent,
    hideSecrets,
  });
  const runtime: CallRuntime = {
    wire: guards.wire,
    visibility: {
      group: (view) => active.group(view),
      isVisible: (view, item) => active.rules().visibility.isVisible(view, item),
    },
  };
  const gate = gateway({
    registry: toolRegistry,
    breakers: guards.breakers,
    current: () => runtime,
    onAdmin: (action, target, by) => recordAdmin(journal, log, action, target, by),
  });
  const updateToolNames = (): void => {
    const names = [...toolRegistry.catalogue().tools.keys(), 'prompts/get', 'resources/read', 'completion/complete'];
    numbers.tools(names);
    guards.breakers.retainOnly(new Set(names));
  };
  toolRegistry.onChange((what) => {
    updateToolNames();
    events.publish('registry', { changed: what });
  });
  const names = ruleNames({ rules: active.rules, registry: toolRegistry, log, events });
  const healthy = gateHealth({
    gateway: gate,
    registry: toolRegistry,
    journal,
    folder: home.folder,
    log,
    events,
    more: [names.check, admissionCheck(() => Object.keys(active.config().sources), sources.admission)],
  });
  let unwatch = (): void => {};

  const shutDown = async (graceMs: number): Promise<void> => {
    gate.close();
    unwatch();
    healthy.stop();
    events.close();
    await programs.close(graceMs);
    await toolRegistry.close();
    await sources.close();
    await active.callers().close();
    remembered.budgets.settle();
    await state.close();
    journal.close();
  };
  let closed: Promise<void> | undefined;
  const close = (graceMs: number): Promise<void> => (closed ??= shutDown(graceMs));

  const keep = async (from: Config): Promise<void> => {
    if (!needsPersistence(from)) return;
    const store = await state.open();
    remembered.flows.keepIn(store);
    remembered.budgets.keepIn(store);
  };
  const list = async (): Promise<void> => {
    await Promise.all([toolRegistry.refresh(neverAborted()), keep(config)]);
    for (const [name, over] of Object.entries(config.tool.overrides))
      if (over.enabled === false) toolRegistry.setEnabled(name, false);
    updateToolNames();
    const misnamed = unresolvableNames(active.rules(), toolRegistry);
    if (misnamed.length > 0) {
      await close(0);
      throw new Error(formatRuleProblems(misnamed, loaded));
    }
    names.look();
    toolRegistry.onChange(() => names.look());
    if (Object.keys(config.sources).length > 0)
      unwatch = pins.watch((source) => void toolRegistry.refresh(neverAborted(), source));
    healthy.start();
  };
  const ready = list();
  ready.catch(() => {}); // reported to the caller that awaits `ready`

  const switchSources = async (next: Config): Promise<void> => {
    active.useSources(next);
    log.hide(secretValues(next, env));
    await toolRegistry.replace(await sources.build(), filterOf(next), neverAborted());
  };

  return {
    ready,
    close,
    rules: active.rules,
    approvals: approvals.approvals,
    approvalRequested: approvals.asked,
    state,
    callers: active.callers,
    admission: sources.admission,
    gateway: gate,
    registry: toolRegistry,
    breakers: guards.breakers,
    metrics: numbers,
    processes: programs,
    events,
    health: healthy,
    log,
    config: active.config,
    async reload(next) {
      const [before, ruled] = [active.config(), active.compiled(next)];
      await switchSources(next);
      // The tools are known only now. A rule about an unknown tool protects nothing, so the whole reload is rolled back.
      const unknown = unresolvableNames(ruled, toolRegistry);
      if (unknown.length > 0) {
        await switchSources(before);
        throw new Error(formatRuleProblems(unknown));
      }
      await keep(next);
      const oldCallers = active.callers();
      active.useRules(ruled);
      names.look();
      await oldCallers.close();
      for (const what of ['tools', 'prompts', 'resources'] as const) toolRegistry.announce(what);
    },
  };
}

const filterOf = ({ tool }: Config): { readonly include: readonly string[]; readonly exclude: readonly string[] } => ({
  include: tool.include,
  exclude: tool.exclude,
});
