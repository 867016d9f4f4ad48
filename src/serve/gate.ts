import type { Config } from '../config/schema.js';
import type { Good } from '../config/load.js';
import type { Gateway } from '../core/gateway.js';
import { gateway } from '../gateway.js';
import type { Breakers } from '../guards/breaker.js';
import { nobodyCancels } from '../lib/light-signal.js';
import { redactor } from '../lib/redact.js';
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
import { keptResults } from '../sources/kept-results.js';
import type { Store } from '../state/store.js';
import type { Approvals } from '../transports/http/approvals.js';
import type { Credentials, Rules } from './access.js';
import { keysIn, mustKeep, remembered as memory } from './access.js';
import { recordAdmin, recordAnswer } from './admin-records.js';
import { admissionCheck } from './admission-check.js';
import { quarantine } from './admission.js';
import { misspelt, told } from './compiled-rules.js';
import { consentOf } from './consent.js';
import { gateGuards } from './gate-guards.js';
import { gateSources } from './gate-sources.js';
import { gateHealth } from './health.js';
import type { Home } from './home.js';
import { makeHome } from './home.js';
import { inForce } from './in-force.js';
import { gateJournal } from './journal.js';
import { pinFiles } from './pin-files.js';
import { ruleNames } from './rule-names.js';
import type { Screening } from './screening/evidence.js';
import { secretValues } from './secret-values.js';
import { lazyState } from './task-store.js';

/** A gateway with everything behind it, and no door yet. */
export interface Gate {
  readonly gateway: Gateway & { active(): number; close(): void };
  readonly registry: Registry;
  readonly breakers: Breakers;
  readonly metrics: Metrics;
  readonly processes: Processes;
  readonly events: EventBus;
  readonly health: Health;
  readonly log: Log;
  /** Who may do what, under the configuration in force. */
  rules(): Rules;
  readonly approvals: Approvals;
  /** Resolves when the first call needs somebody's consent. */
  readonly asked: Promise<void>;
  /** Where small things are kept; opened at the first use. */
  readonly state: { open(): Promise<Store> };
  callers(): Credentials;
  /** What was decided about a local server before it was started, and by what. */
  screening(source: string): Screening | undefined;
  config(): Config;
  /** Takes a new configuration: new sources are built and swapped in, running calls end on the old ones. */
  reload(config: Config): Promise<void>;
  /** Resolves when the sources have been listed; rejects, with everything closed, when rules name what no source has. */
  readonly ready: Promise<void>;
  /** Ends every process within the grace and closes the books. */
  close(graceMs: number): Promise<void>;
}

export interface GateOptions {
  readonly loaded: Good;
  readonly home: Home;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
}

/** Builds the gateway that a configuration describes, with its tools. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const gate = await beginGate(options);
  await gate.ready;
  return gate;
}

/** The same, before its sources were asked: what needs no tools can be answered already. */
export async function beginGate({ loaded, home, log, env }: GateOptions): Promise<Gate> {
  const { config } = loaded;
  const remembered = memory(config);
  const results = keptResults({ keepMs: () => now.config().output.keep_seconds * 1000 });
  const state = lazyState(home.state, (problem) => log.event('state.set_aside', { problem }));
  const keys = keysIn(home.folder);
  const now = inForce({ loaded, remembered, results, open: state.open, keys, env });
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
    config: now.config,
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
  const known = registry({
    sources: await sources.build(),
    filter: filterOf(config),
    adjust: (tool) => now.override(tool),
    quarantine: quarantine(pins),
    onProblem(source, problem) {
      log.event('source.failed', { source, problem });
      events.publish('source', { event: 'source.failed', source, problem });
    },
  });
  const hideSecrets = redactor(secretValues(config, env));
  const asking = consentOf({
    config: now.config,
    open: state.open,
    labelsOf: (tool) => now.rules().labelsOf(tool),
    redactor: hideSecrets,
    log,
    events,
    onAnswer: ({ id, tool, status }, by) => recordAnswer(journal, log, { id, tool, status }, by),
  });
  const guards = await gateGuards({
    now,
    journal,
    metrics: numbers,
    log,
    events,
    consent: asking.consent,
    hideSecrets,
  });
  const gate = gateway({
    registry: known,
    wire: guards.wire,
    breakers: guards.breakers,
    visibility: {
      group: (view) => now.group(view),
      sees: (view, item) => now.rules().visibility.sees(view, item),
    },
    onAdmin: (action, target, by) => recordAdmin(journal, log, action, target, by),
  });
  const settle = (): void => {
    const names = [...known.catalogue().tools.keys(), 'prompts/get', 'resources/read', 'completion/complete'];
    numbers.tools(names);
    guards.breakers.keep(new Set(names));
  };
  known.onChange((what) => {
    settle();
    events.publish('registry', { changed: what });
  });
  const names = ruleNames({ rules: now.rules, registry: known, log, events });
  const healthy = gateHealth({
    gateway: gate,
    registry: known,
    journal,
    folder: home.folder,
    log,
    events,
    more: [names.check, admissionCheck(() => Object.keys(now.config().sources), sources.screening)],
  });
  let unwatch = (): void => {};

  const shut = async (graceMs: number): Promise<void> => {
    gate.close();
    unwatch();
    healthy.stop();
    events.close();
    await programs.close(graceMs);
    await known.close();
    await sources.close();
    await now.callers().close();
    remembered.budgets.settle();
    await state.close();
    journal.close();
  };
  let closed: Promise<void> | undefined;
  const close = (graceMs: number): Promise<void> => (closed ??= shut(graceMs));

  const keep = async (from: Config): Promise<void> => {
    if (!mustKeep(from)) return;
    const store = await state.open();
    remembered.flows.keepIn(store);
    remembered.budgets.keepIn(store);
  };
  const list = async (): Promise<void> => {
    await Promise.all([known.refresh(nobodyCancels()), keep(config)]);
    for (const [name, over] of Object.entries(config.tool.overrides))
      if (over.enabled === false) known.setEnabled(name, false);
    settle();
    const misnamed = misspelt(now.rules(), known);
    if (misnamed.length > 0) {
      await close(0);
      throw new Error(told(misnamed, loaded));
    }
    names.look();
    known.onChange(() => names.look());
    if (Object.keys(config.sources).length > 0)
      unwatch = pins.watch((source) => void known.refresh(nobodyCancels(), source));
    healthy.start();
  };
  const ready = list();
  ready.catch(() => {}); // whoever awaits it hears of it

  const serveFrom = async (next: Config): Promise<void> => {
    now.serveFrom(next);
    log.hide(secretValues(next, env));
    await known.replace(await sources.build(), filterOf(next), nobodyCancels());
  };

  return {
    ready,
    close,
    rules: now.rules,
    approvals: asking.approvals,
    asked: asking.asked,
    state,
    callers: now.callers,
    screening: sources.screening,
    gateway: gate,
    registry: known,
    breakers: guards.breakers,
    metrics: numbers,
    processes: programs,
    events,
    health: healthy,
    log,
    config: now.config,
    async reload(next) {
      const [before, ruled] = [now.config(), now.compiled(next)];
      await serveFrom(next);
      // Only now is it known which tools there are; rules about others would protect nothing, so nothing of this is taken.
      const unknown = misspelt(ruled, known);
      if (unknown.length > 0) {
        await serveFrom(before);
        throw new Error(told(unknown));
      }
      await keep(next);
      const oldCallers = now.callers();
      now.judgeBy(ruled);
      names.look();
      await oldCallers.close();
      for (const what of ['tools', 'prompts', 'resources'] as const) known.announce(what);
    },
  };
}

const filterOf = ({ tool }: Config): { readonly include: readonly string[]; readonly exclude: readonly string[] } => ({
  include: tool.include,
  exclude: tool.exclude,
});
