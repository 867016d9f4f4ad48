import type { HealthReport, ToolStatus } from '../core/gateway.js';
import { visible } from '../lib/visible.js';

export type HealthStatus = HealthReport['status'];
/** How much a check weighs: only critical ones make the gateway unhealthy. */
export type Priority = 'critical' | 'important' | 'informational';

export interface Verdict {
  readonly status: HealthStatus;
  readonly detail?: string;
}

/** Something to look at from time to time; what throws or does not answer is unhealthy. */
export interface HealthCheck {
  readonly name: string;
  readonly priority: Priority;
  check(signal: AbortSignal): Verdict | Promise<Verdict>;
}

export interface HealthOptions {
  readonly checks?: readonly HealthCheck[];
  /** How the tools stand now; each is a check of its own. */
  readonly tools?: () => readonly ToolStatus[];
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  /** Called when the status of the whole changes. */
  readonly onChange?: (from: HealthStatus, to: HealthStatus, report: HealthReport) => void;
}

/** Knows how the gateway is; asking is cheap, since checks run on their own time. */
export interface Health {
  /** Adds a check under a name that is free, and gives the means to take it away. */
  add(check: HealthCheck): () => void;
  report(): HealthReport;
  /** Runs every check now. */
  refresh(): Promise<HealthReport>;
  start(): void;
  stop(): void;
}

type Judged = Verdict & { readonly priority: Priority };

/** The status of the whole, of the statuses and weights of its parts. */
export function aggregate(checks: readonly Judged[]): HealthStatus {
  const is = (priority: Priority, status: HealthStatus): boolean =>
    checks.some((check) => check.priority === priority && check.status === status);
  if (is('critical', 'unhealthy')) return 'unhealthy';
  const informational = checks.filter((check) => check.priority === 'informational');
  const allOut = informational.length > 0 && informational.every((check) => check.status === 'unhealthy');
  return is('important', 'unhealthy') || allOut || checks.some((check) => check.status === 'degraded')
    ? 'degraded'
    : 'healthy';
}

/** How one tool stands: without its program it is unhealthy, at rest behind its breaker it is degraded. */
export function toolVerdict({ tool, enabled, breaker }: ToolStatus): Verdict {
  if (tool.unavailable) return { status: 'unhealthy', detail: tool.unavailable.message };
  if (breaker.state === 'open')
    return { status: 'degraded', detail: `the breaker is open after ${breaker.failures} failures` };
  return enabled ? { status: 'healthy' } : { status: 'healthy', detail: 'disabled' };
}

export function health(options: HealthOptions = {}): Health {
  const { tools = () => [], intervalMs = 30_000, timeoutMs = 10_000, onChange } = options;
  const checks = new Map<string, HealthCheck>();
  const verdicts = new Map<string, Verdict>();
  const running = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let last: HealthStatus | undefined;

  const add = (check: HealthCheck): (() => void) => {
    if (checks.has(check.name) || check.name.startsWith('tool_'))
      throw new Error(`There is a health check named ${check.name} already`);
    checks.set(check.name, check);
    return () => {
      checks.delete(check.name);
      verdicts.delete(check.name);
    };
  };
  for (const check of options.checks ?? []) add(check);

  /** A check that has not answered yet is not asked again, so that a stuck one does not pile up. */
  const ask = (check: HealthCheck): Promise<void> => {
    const before = running.get(check.name);
    if (before) return before;
    const asking = answerOf(check, timeoutMs).then((verdict) => {
      running.delete(check.name);
      if (checks.get(check.name) === check) verdicts.set(check.name, verdict);
    });
    running.set(check.name, asking);
    return asking;
  };

  const report = (): HealthReport => {
    const judged: Record<string, Judged> = {};
    for (const { name, priority } of checks.values()) {
      // Nothing is known before the first answer; that is no reason to take the gateway out of service.
      judged[name] = { priority, ...(verdicts.get(name) ?? { status: 'healthy', detail: 'not checked yet' }) };
    }
    for (const status of tools())
      judged[`tool_${status.tool.name}`] = { priority: 'informational', ...shortened(toolVerdict(status)) };
    const all = Object.values(judged);
    const count = (status: HealthStatus): number => all.filter((check) => check.status === status).length;
    return {
      status: aggregate(all),
      checks: judged,
      summary: {
        total: all.length,
        healthy: count('healthy'),
        degraded: count('degraded'),
        unhealthy: count('unhealthy'),
      },
    };
  };

  const refresh = async (): Promise<HealthReport> => {
    await Promise.all([...checks.values()].map(ask));
    const now = report();
    const before = last;
    last = now.status;
    if (before !== undefined && before !== now.status) onChange?.(before, now.status, now);
    return now;
  };

  return {
    add,
    report,
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

async function answerOf(check: HealthCheck, timeoutMs: number): Promise<Verdict> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Verdict>((resolve) => {
    timer = setTimeout(() => {
      resolve({ status: 'unhealthy', detail: `no answer within ${timeoutMs / 1000} s` });
      stop.abort();
    }, timeoutMs);
  });
  try {
    return shortened(await Promise.race([check.check(stop.signal), tooLate]));
  } catch (error) {
    return shortened({ status: 'unhealthy', detail: error instanceof Error ? error.message : 'the check failed' });
  } finally {
    clearTimeout(timer);
  }
}

/** Details may quote an upstream, so they are one short visible line. */
const shortened = ({ status, detail }: Verdict): Verdict =>
  detail === undefined ? { status } : { status, detail: visible(detail.slice(0, 200)) };
