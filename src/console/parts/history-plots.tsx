import { count, duration } from '../lib/format.js';
import { refusalsByGuard, type HistoryPoint, type MetricsHistory } from '../lib/history.js';
import { Empty } from './basics.js';
import { brushed, Plot, type PlotColour, type PlotSeries } from './plot.js';

const guardColours: readonly PlotColour[] = ['bad', 'attention', 'mark', 'accent', 'good', 'unknown'];
/** As many lines as there are distinguishable colours; the rest would be ambiguous. */
const shownGuards = guardColours.length;

/** Rate, latency, refusals by guard, running and queued calls, over the same time. */
export function HistoryPlots({
  history,
  minutes,
  at,
}: {
  readonly history: MetricsHistory;
  readonly minutes: number;
  /** When the history was read: the right edge of the plots. */
  readonly at: number;
}) {
  const { points, marks, step_seconds: step } = history;
  if (points.length === 0)
    return (
      <Empty title="No numbers yet.">
        <p>The gateway notes them every {step} seconds from its start on.</p>
      </Empty>
    );
  const shared = {
    // All plots share times and range, so that the cursor and the brush line up between them.
    times: points.map((point) => point.at),
    from: at - minutes * 60_000,
    to: at,
    marks,
  };
  // Points hold counts of one step; the axis shows rates, which stay comparable if the step changes.
  const perMinute = (read: (point: HistoryPoint) => number): readonly number[] =>
    points.map((point) => read(point) * (60 / step));
  const refusedOf = ({ refused }: HistoryPoint): number => Object.values(refused).reduce((sum, each) => sum + each, 0);
  return (
    <>
      {brushed.value !== undefined && (
        <p class="note">
          A part of the time is shown.{' '}
          <button type="button" onClick={() => (brushed.value = undefined)}>
            Show all
          </button>
        </p>
      )}
      <div class="plots">
        <Plot
          {...shared}
          title="Calls"
          unit="per minute"
          format={count}
          series={[
            { label: 'all', colour: 'accent', values: perMinute(({ calls }) => calls) },
            { label: 'failed', colour: 'bad', values: perMinute(({ failed }) => failed) },
            { label: 'refused', colour: 'attention', values: perMinute(refusedOf) },
          ]}
        />
        <Plot
          {...shared}
          title="Duration"
          unit="percentiles"
          format={duration}
          series={[
            { label: 'p50', colour: 'good', values: points.map(({ p50 }) => p50) },
            { label: 'p95', colour: 'accent', values: points.map(({ p95 }) => p95) },
            { label: 'p99', colour: 'bad', values: points.map(({ p99 }) => p99) },
          ]}
        />
        <Plot {...shared} title="Refusals by guard" unit="per minute" format={count} series={guardSeries(history)} />
        <Plot
          {...shared}
          title="Running and queued"
          unit="calls"
          format={count}
          series={[
            { label: 'running', colour: 'accent', values: points.map(({ active }) => active) },
            { label: 'queued', colour: 'attention', values: points.map(({ queued }) => queued ?? null) },
          ]}
        />
      </div>
    </>
  );
}

/** One line per guard, those with most refusals first; without refusals one line at zero. */
function guardSeries({ points, guards, step_seconds: step }: MetricsHistory): readonly PlotSeries[] {
  const byPoint = points.map((point) => refusalsByGuard(point, guards));
  const totals = new Map<string, number>();
  for (const sums of byPoint) for (const [guard, sum] of sums) totals.set(guard, (totals.get(guard) ?? 0) + sum);
  if (totals.size === 0) return [{ label: 'no refusals', colour: 'unknown', values: points.map(() => 0) }];
  const ranked = [...totals].sort(([, a], [, b]) => b - a).map(([guard]) => guard);
  return ranked.slice(0, shownGuards).map((guard, at) => ({
    label: guard,
    colour: guardColours[at] ?? 'unknown',
    values: byPoint.map((sums) => (sums.get(guard) ?? 0) * (60 / step)),
  }));
}
