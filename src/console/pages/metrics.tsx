import { count, duration } from '../lib/format.js';
import { useHistory } from '../lib/history.js';
import { useRemote } from '../lib/remote.js';
import { href, route, setQuery } from '../lib/router.js';
import { segment } from '../lib/api.js';
import { toolNumbers, type MetricFamily } from '../lib/tool-numbers.js';
import { Empty, Origin, Panel } from '../parts/basics.js';
import { HistoryPlots } from '../parts/history-plots.js';
import { Name } from '../parts/text.js';

const ranges = [5, 30, 60] as const;

/** Plots over time, and the numbers of each tool since the start. */
export function MetricsPage() {
  const wanted = Number(route.value.query.get('minutes'));
  const minutes = ranges.find((each) => each === wanted) ?? 30;
  const { data, at, error } = useHistory(minutes);
  return (
    <>
      <h1>Metrics</h1>
      <Panel
        title={`Last ${minutes} minutes`}
        aside={
          <div class="row" role="group" aria-label="Time range">
            {ranges.map((each) => (
              <button
                type="button"
                class={each === minutes ? 'chosen' : ''}
                aria-pressed={each === minutes}
                onClick={() => setQuery({ minutes: String(each) })}
              >
                {each} min
              </button>
            ))}
          </div>
        }
      >
        <Origin of="GET /metrics/history" at={at} error={error} />
        {data && at !== undefined && <HistoryPlots history={data} minutes={minutes} at={at} />}
      </Panel>
      <ToolTable />
    </>
  );
}

function ToolTable() {
  const { data, at, error } = useRemote<readonly MetricFamily[]>('/metrics', { everyMs: 10_000 });
  const rows = data === undefined ? [] : toolNumbers(data);
  return (
    <Panel title="Tools since the start" aside={<Origin of="GET /metrics" at={at} error={error} />}>
      {data !== undefined && rows.length === 0 && (
        <Empty title="No tool was called yet.">
          <p>
            <code>toolgate call</code> calls one.
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <div class="scroll-x">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Tool</th>
                {['Calls', 'Failed', 'Refused', 'Running', 'p50', 'p95', 'p99'].map((name) => (
                  <th scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.tool}>
                  <th scope="row">
                    <a href={href(`/tools/${segment(row.tool)}`)}>
                      <Name>{row.tool}</Name>
                    </a>
                  </th>
                  {[row.calls, row.failed, row.refused, row.active].map((value) => (
                    <td class="number">{count(value)}</td>
                  ))}
                  {[row.p50, row.p95, row.p99].map((seconds) => (
                    <td class="number">{seconds === undefined ? '–' : `≤ ${duration(seconds * 1_000)}`}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
