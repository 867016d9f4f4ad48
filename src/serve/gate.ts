import { compiled, misspelt, told } from './compiled-rules.js';
import type { Config } from '../config/schema.js';
import type { Good } from '../config/load.js';
import { secretsIn } from '../config/secrets.js';
import type { Gateway } from '../core/gateway.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Outcome } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import { gateway } from '../gateway.js';
import { audit } from '../guards/audit.js';
import { authorize } from '../guards/authorize.js';
import type { Breakers } from '../guards/breaker.js';
import { breakers } from '../guards/breaker.js';
import { callLog } from '../guards/call-log.js';
import { contain } from '../guards/contain.js';
import { metrics as metricsGuard } from '../guards/metrics.js';
import { allowance } from '../guards/allowance.js';
import { confirm } from '../guards/confirm.js';
import { flow } from '../guards/flow.js';
import { pipeline } from '../guards/pipeline.js';
import { rateLimit } from '../guards/rate-limit.js';
import { sanitize } from '../guards/sanitize.js';
import { tracing } from '../guards/trace.js';
import { nobodyCancels } from '../lib/light-signal.js';
import { redactor } from '../lib/redact.js';
import { tokenBucket } from '../lib/token-bucket.js';
import type { EventBus } from '../observe/events.js';
import { eventBus } from '../observe/events.js';
import type { Health } from '../observe/health.js';
import type { LogEvent } from '../observe/log-events.js';
import { isLogEvent } from '../observe/log-events.js';
import type { Log } from '../observe/log.js';
import type { Metrics } from '../observe/metrics.js';
import { metrics } from '../observe/metrics.js';
import type { Processes } from '../processes/processes.js';
import { processes } from '../processes/processes.js';
import type { Registry } from '../registry/registry.js';
import { registry } from '../registry/registry.js';
import { originBreakers } from '../sources/http/breakers.js';
import type { Credentials, Rules } from './access.js';
import { credentialsOf, keysIn, mustKeep, remembered as memory } from './access.js';
import { admission, quarantine } from './admission.js';
import { recordAdmin, recordAdmission, recordAnswer } from './admin-records.js';
import { admissionCheck } from './admission-check.js';
import { callLines } from './call-lines.js';
import { consentOf } from './consent.js';
import type { Home } from './home.js';
import { makeHome } from './home.js';
import { gateHealth } from './health.js';
import { openJournal } from './journal.js';
import { outputRulesOf } from './output.js';
import { overridesOf } from './overrides.js';
import { keptResults } from '../sources/kept-results.js';
import type { Store } from '../state/store.js';
import type { Approvals } from '../transports/http/approvals.js';
import { pinFiles } from './pin-files.js';
import { ruleNames } from './rule-names.js';
import { isRedactable } from './secret-values.js';
import type { Screening } from './screening/evidence.js';
import type { Screens } from './screening/screening.js';
import { sourcesOf } from './sources.js';
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
  let { config } = loaded;
  const remembered = memory(config);
  let rules = compiled(config, remembered, loaded);
  let generation = 0;
  makeHome(home);
  const keys = keysIn(home.folder);
  let callers = credentialsOf(config, keys, env);
  log.hide(secretValues(config, env));
  const journal = openJournal(home.audit, {
    sync: config.audit.sync,
    maxFileBytes: config.audit.max_file_bytes,
    onNote: (note) => log.event(noteEvents[note.note] ?? 'audit.mended', { note: note.note, ...note.detail }),
  });
  const numbers = metrics();
  const events = eventBus();
  const programs = processes({
    bestEffort: config.security.best_effort_sandbox,
    stateFolder: home.run,
    onProblem: (message) => log.event('server.problem', { message }),
  });
  const origins = originBreakers({
    onBreaker(origin, from, to) {
      log.event('circuit_breaker.state_changed', { origin, old: from, new: to });
      numbers.originBreakerChanged(origin, to);
      events.publish('breaker', { origin, old: from, new: to });
    },
  });
  const onEvent = (event: string, fields: JsonObject): void => {
    log.event(isLogEvent(event) ? event : 'source.changed', { ...fields });
    if (/^(source|upstream)\./.test(event) && event !== 'upstream.stderr')
      events.publish('source', { event, ...fields });
  };
  const pins = pinFiles(home.pins);
  const results = keptResults({ keepMs: () => config.output.keep_seconds * 1000 });
  let screens: (Screens & { close(): Promise<void> }) | undefined;
  const sources = async () => {
    // Whoever has no upstream server need not load what reads them.
    if (Object.values(config.sources).some(({ kind }) => kind === 'mcp')) {
      screens ??= (await import('./screens.js')).screensOf({
        config: () => config,
        base: loaded.base,
        home,
        processes: programs,
        pins,
        onEvent,
        onDecision: (screening) => recordAdmission(journal, log, screening),
      });
    }
    return [
      results.source,
      ...(await sourcesOf({
        config,
        base: loaded.base,
        processes: programs,
        env,
        origins,
        screens,
        admit: admission({ files: pins, screens, onEvent }),
        grants: home.grants,
        packages: home.packages,
        onEvent,
      })),
    ];
  };

  let overrides = overridesOf(config);
  const known = registry({
    sources: await sources(),
    filter: { include: config.tool.include, exclude: config.tool.exclude },
    adjust: (tool) => overrides(tool),
    quarantine: quarantine(pins),
    onProblem(source, problem) {
      log.event('source.failed', { source, problem });
      events.publish('source', { event: 'source.failed', source, problem });
    },
  });
  const all = breakers({
    settings: (tool) => breakerSettings(config, tool),
    circuit: {
      backoff: config.circuit_breaker.backoff_factor,
      maxRestMs: config.circuit_breaker.max_recovery_timeout * 1000,
      jitter: config.circuit_breaker.jitter,
    },
    onChange(tool, from, to) {
      log.event('circuit_breaker.state_changed', { tool, old: from, new: to });
      numbers.breakerChanged(tool, to);
      events.publish('breaker', { tool, old: from, new: to });
    },
  });
  const hideSecrets = redactor(secretValues(config, env));
  const state = lazyState(home.state, (problem) => log.event('state.set_aside', { problem }));
  const keep = async (from: Config): Promise<void> => {
    if (!mustKeep(from)) return;
    const store = await state.open();
    remembered.flows.keepIn(store);
    remembered.budgets.keepIn(store);
  };
  const outputRules = () =>
    outputRulesOf({ config, secrets: [...secretValues(config, env)], results, open: state.open });
  let output = outputRules();
  const asking = consentOf({
    config: () => config,
    open: state.open,
    labelsOf: (tool) => rules.labelsOf(tool),
    redactor: hideSecrets,
    log,
    events,
    onAnswer: ({ id, tool, status }, by) => recordAnswer(journal, log, { id, tool, status }, by),
  });
  const wire = pipeline({
    audit: audit({
      log: journal,
      onFailure: config.audit.on_failure,
      ...(config.audit.keep_arguments && { redact: (args) => hideSecrets.value(args) as Json }),
    }),
    metrics: metricsGuard({ sink: numbers }),
    trace: await tracing(),
    callLog: callLog({ sink: callLines(log, events) }),
    contain: contain({ faults: log }),
    authorize: authorize({ authorizer: { decide: (call, tool) => rules.control.decide(call, tool) } }),
    rateLimit: rateLimit({
      bucket: tokenBucket({
        maxKeys: config.rate_limit.max_keys,
        onSweep: (removed) => log.event('rate_limiter.cleanup', { removed }),
      }),
    }),
    allowance: allowance({ allowances: { take: (call, tool) => rules.allowances.take(call, tool) } }),
    confirm: confirm({
      demands: { demand: (call, tool) => rules.control.demand(call, tool) },
      consent: asking.consent,
    }),
    flow: flow({ record: { note: (call, tool, outcome) => rules.flows.note(call, tool, earned(outcome)) } }),
    breaker: all.guard,
    sanitize: sanitize(() => output),
  });
  const gate = gateway({
    registry: known,
    wire,
    breakers: all,
    // The number parts lists made under other rules, though they may have the same group.
    visibility: {
      group: (view) => `${generation}|${rules.visibility.group(view)}`,
      sees: (view, item) => rules.visibility.sees(view, item),
    },
    onAdmin: (action, target, by) => recordAdmin(journal, log, action, target, by),
  });
  const settle = (): void => {
    const names = [...known.catalogue().tools.keys(), 'prompts/get', 'resources/read'];
    numbers.tools(names);
    all.keep(new Set(names));
  };
  known.onChange((what) => {
    settle();
    events.publish('registry', { changed: what });
  });
  const names = ruleNames({ rules: () => rules, registry: known, log, events });
  const healthy = gateHealth({
    gateway: gate,
    registry: known,
    journal,
    folder: home.folder,
    log,
    events,
    more: [
      names.check,
      admissionCheck(
        () => Object.keys(config.sources),
        (id) => screens?.of(id),
      ),
    ],
  });
  let unwatch = (): void => {};

  const shut = async (graceMs: number): Promise<void> => {
    gate.close();
    unwatch();
    healthy.stop();
    events.close();
    await programs.close(graceMs);
    await known.close();
    await screens?.close();
    await callers.close();
    remembered.budgets.settle();
    await state.close();
    journal.close();
  };
  let closed: Promise<void> | undefined;
  const close = (graceMs: number): Promise<void> => (closed ??= shut(graceMs));
  const list = async (): Promise<void> => {
    await Promise.all([known.refresh(nobodyCancels()), keep(config)]);
    for (const [name, over] of Object.entries(config.tool.overrides))
      if (over.enabled === false) known.setEnabled(name, false);
    settle();
    const misnamed = misspelt(rules, known);
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

  return {
    ready,
    close,
    rules: () => rules,
    approvals: asking.approvals,
    asked: asking.asked,
    state,
    callers: () => callers,
    screening: (source) => screens?.of(source),
    gateway: gate,
    registry: known,
    breakers: all,
    metrics: numbers,
    processes: programs,
    events,
    health: healthy,
    log,
    config: () => config,
    async reload(next) {
      const [before, ruled] = [config, compiled(next, remembered)];
      const swap = async (to: Config): Promise<void> => {
        config = to;
        overrides = overridesOf(config);
        log.hide(secretValues(config, env));
        await known.replace(
          await sources(),
          { include: config.tool.include, exclude: config.tool.exclude },
          nobodyCancels(),
        );
      };
      await swap(next);
      // Only now is it known which tools there are; rules about others would protect nothing, so nothing of this is taken.
      const unknown = misspelt(ruled, known);
      if (unknown.length > 0) {
        await swap(before);
        throw new Error(told(unknown));
      }
      await keep(next);
      rules = ruled;
      names.look();
      generation += 1;
      output = outputRules();
      const old = callers;
      callers = credentialsOf(next, keys, env);
      await old.close();
      for (const what of ['tools', 'prompts', 'resources'] as const) known.announce(what);
    },
  };
}

/** Labels that a result earned by what it says: orders to the model make everything after it suspect. */
const earned = (outcome: Outcome): readonly string[] =>
  outcome.kind !== 'confirm' && outcome.meta?.['toolgate/injection'] !== undefined ? ['untrusted:instructions'] : [];

/** How the journal's notes about itself are logged. */
const noteEvents: Readonly<Record<string, LogEvent>> = {
  failed: 'audit.failed',
  lost: 'audit.lost',
  resumed: 'audit.resumed',
  opened: 'audit.opened',
};

function breakerSettings(config: Config, tool: Tool): { readonly failures: number; readonly restMs: number } {
  const own = config.tool.overrides[tool.name]?.breaker;
  return {
    failures: own?.failure_threshold ?? config.circuit_breaker.failure_threshold,
    restMs: (own?.recovery_timeout ?? config.circuit_breaker.recovery_timeout) * 1000,
  };
}

/** Every secret that the configuration resolves to now, so that no log line can hold one. */
function* secretValues(config: Config, env: NodeJS.ProcessEnv): Generator<string> {
  for (const { path, secret } of secretsIn(config)) {
    // `Accept: application/json` is written where a secret may stand; to hide it would blank every log line that names the type.
    if (path.includes('headers') && !isRedactable(String(path.at(-1)), secret)) continue;
    const resolved = secret.resolve(env);
    if (resolved.ok) yield resolved.value;
  }
}
