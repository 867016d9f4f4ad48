import { errors } from '../../core/errors.js';
import { distribution, type Distribution, type Family, type Sample } from './metric-families.js';

export type CallStatus = 'success' | 'failure' | 'refused' | 'confirm';
export type BreakerState = 'closed' | 'open' | 'half_open';

interface ToolSeries {
  active: number;
  readonly duration: Distribution;
  /** Counts by status, then by error type. */
  readonly executions: Map<CallStatus, Map<string, number>>;
  breaker: BreakerState;
  readonly transitions: Map<BreakerState, number>;
}

/** Label for calls of unknown tools: callers must not create series by inventing names (cardinality explosion). */
const UNKNOWN = 'unknown';
const STATE_VALUE = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<BreakerState, number>;
const ERROR_TYPES: ReadonlySet<string> = new Set([
  ...Object.keys(errors),
  ...Object.values(errors).map((behaviour) => behaviour.type),
  'none',
]);

/** Counts calls by tool; costs only a few additions per call. */
export function callMetrics() {
  const seriesByTool = new Map<string, ToolSeries>();
  const retiring = new Set<string>();
  const unknown = freshSeries();
  const seriesOf = (tool: string): ToolSeries => seriesByTool.get(tool) ?? unknown;

  const perTool = (sample: (series: ToolSeries, tool: string) => readonly Sample[]) => (): readonly Sample[] =>
    [...seriesByTool, [UNKNOWN, unknown] as const].flatMap(([tool, series]) =>
      tool === UNKNOWN && isUntouched(series) ? [] : sample(series, tool),
    );

  const executionSamples = (series: ToolSeries, tool: string): readonly Sample[] =>
    [...series.executions].flatMap(([status, byError]) =>
      [...byError].map(([error_type, value]) => ({ labels: { tool, status, error_type }, value })),
    );

  const families: readonly Family[] = [
    {
      name: 'mcp_tool_execution_total',
      help: 'Calls that ended, by tool, status and error type',
      type: 'counter',
      samples: perTool(executionSamples),
    },
    {
      name: 'mcp_tool_execution_seconds',
      help: 'How long calls took, by tool',
      type: 'histogram',
      samples: perTool((series, tool) => series.duration.samples('mcp_tool_execution_seconds', { tool })),
    },
    {
      name: 'mcp_tool_active',
      help: 'Calls under way, by tool',
      type: 'gauge',
      samples: perTool((series, tool) => [{ labels: { tool }, value: series.active }]),
    },
    {
      name: 'mcp_tool_errors_total',
      help: 'Calls that failed or were refused, by tool and error type',
      type: 'counter',
      samples: perTool((series, tool) =>
        errorsOf(series).map(([error_type, value]) => ({ labels: { tool, error_type }, value })),
      ),
    },
    {
      name: 'mcp_circuit_breaker_state',
      help: 'State of the circuit breaker by tool: 0 closed, 1 half-open, 2 open',
      type: 'gauge',
      samples: perTool((series, tool) => [{ labels: { tool }, value: STATE_VALUE[series.breaker] }]),
    },
    {
      name: 'mcp_circuit_breaker_transitions_total',
      help: 'State changes of the circuit breaker, by tool and new state',
      type: 'counter',
      samples: perTool((series, tool) =>
        [...series.transitions].map(([state, value]) => ({ labels: { tool, state }, value })),
      ),
    },
  ];

  return {
    families,
    started(tool: string): void {
      seriesOf(tool).active++;
    },
    ended(tool: string, status: CallStatus, errorType: string, seconds: number): void {
      const series = seriesOf(tool);
      series.active--;
      series.duration.observe(seconds);
      let byError = series.executions.get(status);
      if (!byError) series.executions.set(status, (byError = new Map()));
      const count = byError.get(errorType);
      if (count !== undefined) byError.set(errorType, count + 1);
      else {
        const type = errorTypeOf(errorType);
        byError.set(type, (byError.get(type) ?? 0) + 1);
      }
      if (series.active === 0 && retiring.delete(tool)) seriesByTool.delete(tool);
    },
    /** Sets the current tools; series of other tools are dropped after their last call. */
    tools(names: Iterable<string>): void {
      const current = new Set(names);
      for (const name of current) if (!seriesByTool.has(name)) seriesByTool.set(name, freshSeries());
      retiring.clear();
      for (const [name, series] of seriesByTool) {
        if (current.has(name)) continue;
        if (series.active > 0) retiring.add(name);
        else seriesByTool.delete(name);
      }
    },
    breakerChanged(tool: string, state: BreakerState): void {
      const series = seriesOf(tool);
      series.breaker = state;
      series.transitions.set(state, (series.transitions.get(state) ?? 0) + 1);
    },
    /** Totals for the dashboard, which polls every five seconds. */
    totals(): CallTotals {
      const totals = { active: 0, success: 0, failure: 0, refused: 0, confirm: 0 };
      for (const series of [...seriesByTool.values(), unknown]) {
        totals.active += series.active;
        for (const [status, byError] of series.executions)
          for (const count of byError.values()) totals[status] += count;
      }
      return totals;
    },
  };
}

/** Active calls, and finished calls by status. */
export type CallTotals = Readonly<Record<'active' | CallStatus, number>>;

const errorTypeOf = (given: string): string => {
  if (given === '') return 'none';
  return ERROR_TYPES.has(given) ? given : UNKNOWN;
};

const freshSeries = (): ToolSeries => ({
  active: 0,
  duration: distribution(),
  executions: new Map(),
  breaker: 'closed',
  transitions: new Map(),
});

const isUntouched = (series: ToolSeries): boolean =>
  series.active === 0 && series.executions.size === 0 && series.transitions.size === 0;

function errorsOf(series: ToolSeries): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const status of ['failure', 'refused'] as const) {
    for (const [type, count] of series.executions.get(status) ?? []) sums.set(type, (sums.get(type) ?? 0) + count);
  }
  return [...sums];
}
