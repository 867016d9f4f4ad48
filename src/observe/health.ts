import type { HealthReport, ToolStatus } from '../core/gateway.js';
import { escapeInvisible } from '../lib/text/escape-invisible.js';

/** Overall status of the gateway. */
export type HealthStatus = HealthReport['status'];
/** Weight of a check: only critical ones make the gateway unhealthy. */
export type Priority = 'critical' | 'important' | 'informational';

/** Result of one check. */
export interface CheckResult {
  readonly status: HealthStatus;
  readonly detail?: string;
}

/** A periodic check; a check that throws or times out is unhealthy. */
export interface HealthCheck {
  readonly name: string;
  readonly priority: Priority;
  check(signal: AbortSignal): CheckResult | Promise<CheckResult>;
  /** The result at this moment, for checks that cost nothing: every report reads it instead of the last periodic one. */
  readonly live?: () => CheckResult;
}

/** Checks and their schedule. */
interface HealthOptions {
  readonly checks?: readonly HealthCheck[];
  /** Current tool statuses; each counts as a separate check. */
  readonly tools?: () => readonly ToolStatus[];
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  /** Called when the overall status changes. */
  /** Receives the report of each round of checks. */
  readonly onChecked?: (report: HealthReport) => void;
  readonly onChange?: (from: HealthStatus, to: HealthStatus, report: HealthReport) => void;
}

/** Health of the gateway; reports are cheap, since checks run on their own schedule. */
export interface Health {
  /** Adds a check with a unique name; returns a function that removes it. */
  add(check: HealthCheck): () => void;
  report(): HealthReport;
  /**
   * The report for a caller that is no admin: tools as given, other checks without details, which may name hidden tools and sources.
   */
  reportFor(tools: readonly ToolStatus[]): HealthReport;
  /** Runs every check now. */
  refresh(): Promise<HealthReport>;
  start(): void;
  stop(): void;
}

/** A result with the weight of its check. */
type WeightedResult = CheckResult & { readonly priority: Priority };

/** Overall status, from the statuses and weights of the checks. */
export function aggregate(checks: readonly WeightedResult[]): HealthStatus {
  const is = (priority: Priority, status: HealthStatus): boolean =>
    checks.some((check) => check.priority === priority && check.status === status);
  if (is('critical', 'unhealthy')) return 'unhealthy';
  const informational = checks.filter((check) => check.priority === 'informational');
  // A single missing program is normal; all of them missing is a broken installation.
  const allInformationalFail = informational.length > 0 && informational.every((check) => check.status === 'unhealthy');
  return is('important', 'unhealthy') || allInformationalFail || checks.some((check) => check.status === 'degraded')
    ? 'degraded'
    : 'healthy';
}

/** Health of a tool: unhealthy without its program, degraded while its circuit breaker is open. */
function toolHealth({ tool, enabled, breaker }: ToolStatus): CheckResult {
  if (tool.unavailable) return { status: 'unhealthy', detail: tool.unavailable.message };
  if (breaker.state === 'open')
    return { status: 'degraded', detail: `the circuit breaker is open after ${breaker.failures} failures` };
  return enabled ? { status: 'healthy' } : { status: 'healthy', detail: 'disabled' };
}

/** Health of one gateway, with checks that run on a timer. */
export function health(options: HealthOptions = {}): Health {
  const { tools = () => [], intervalMs = 30_000, timeoutMs = 10_000, onChange } = options;
  const checks = new Map<string, HealthCheck>();
  const verdicts = new Map<string, CheckResult>();
  const running = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let last: HealthStatus | undefined;

  const add = (check: HealthCheck): (() => void) => {
    // The prefix is reserved for tools, so that a check cannot pose as one.
    if (checks.has(check.name) || check.name.startsWith('tool_'))
      throw new Error(`A health check named ${check.name} already exists`);
    checks.set(check.name, check);
    return () => {
      checks.delete(check.name);
      verdicts.delete(check.name);
    };
  };
  for (const check of options.checks ?? []) add(check);

  /** Does not start a check that is still running, so that a stuck one does not pile up. */
  const startCheck = (check: HealthCheck): Promise<void> => {
    const before = running.get(check.name);
    if (before) return before;
    const started = runCheck(check, timeoutMs).then((verdict) => {
      running.delete(check.name);
      // Removed meanwhile: its result must not come back.
      if (checks.get(check.name) === check) verdicts.set(check.name, verdict);
    });
    running.set(check.name, started);
    return started;
  };

  const collect = (shown: readonly ToolStatus[]): Record<string, WeightedResult> => {
    const results: Record<string, WeightedResult> = {};
    for (const { name, priority, live } of checks.values()) {
      // Healthy until the first result: a restart must not take the gateway out of service.
      results[name] = { priority, ...(live ? toVisibleResult(live()) : (verdicts.get(name) ?? notChecked)) };
    }
    for (const status of shown)
      results[`tool_${status.tool.name}`] = { priority: 'informational', ...toVisibleResult(toolHealth(status)) };
    return results;
  };
  const report = (): HealthReport => {
    const results = collect(tools());
    return toReport(results, aggregate(Object.values(results)));
  };
  const reportFor = (shown: readonly ToolStatus[]): HealthReport => {
    const visible = Object.entries(collect(shown)).map(([name, result]) =>
      name.startsWith('tool_') ? ([name, result] as const) : ([name, withoutDetail(result)] as const),
    );
    return toReport(Object.fromEntries(visible), report().status);
  };
  const toReport = (results: Record<string, WeightedResult>, status: HealthStatus): HealthReport => {
    const all = Object.values(results);
    const count = (status: HealthStatus): number => all.filter((check) => check.status === status).length;
    return {
      status,
      checks: results,
      summary: {
        total: all.length,
        healthy: count('healthy'),
        degraded: count('degraded'),
        unhealthy: count('unhealthy'),
      },
    };
  };

  const refresh = async (): Promise<HealthReport> => {
    await Promise.all([...checks.values()].map(startCheck));
    const current = report();
    options.onChecked?.(current);
    const before = last;
    last = current.status;
    // The first result is no change.
    if (before !== undefined && before !== current.status) onChange?.(before, current.status, current);
    return current;
  };

  return {
    add,
    report,
    reportFor,
    refresh,
    start() {
      void refresh();
      timer ??= setInterval(() => void refresh(), intervalMs).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** Result before the first round. */
const notChecked: CheckResult = { status: 'healthy', detail: 'not checked yet' };

/** A check whose result is known at any moment, from the problem it has, if any. */
export function liveCheck(name: string, priority: Priority, problem: () => string | undefined): HealthCheck {
  const live = (): CheckResult => {
    const detail = problem();
    return detail === undefined ? { status: 'healthy' } : { status: 'unhealthy', detail };
  };
  return { name, priority, live, check: live };
}

/** A result without its detail. */
const withoutDetail = ({ status, priority }: WeightedResult): WeightedResult => ({ status, priority });

/** Runs one check with a timeout; a check that throws is unhealthy. */
async function runCheck(check: HealthCheck, timeoutMs: number): Promise<CheckResult> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<CheckResult>((resolve) => {
    timer = setTimeout(() => {
      resolve({ status: 'unhealthy', detail: `no result within ${timeoutMs / 1000} s` });
      stop.abort();
    }, timeoutMs);
  });
  try {
    return toVisibleResult(await Promise.race([check.check(stop.signal), tooLate]));
  } catch (error) {
    return toVisibleResult({
      status: 'unhealthy',
      detail: error instanceof Error ? error.message : 'the check failed',
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Details may quote an upstream, so they are truncated and escaped (log injection). */
const toVisibleResult = ({ status, detail }: CheckResult): CheckResult =>
  detail === undefined ? { status } : { status, detail: escapeInvisible(detail.slice(0, 200)) };
