/** A metric as `GET /metrics` returns it in JSON. */
export interface MetricFamily {
  readonly name: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

/** Numbers of one tool since the start; percentiles are upper bounds of their histogram bucket. */
interface ToolNumbers {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
  readonly active: number;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
}

/** Called tools, those with most calls first. */
export function toolNumbers(families: readonly MetricFamily[]): readonly ToolNumbers[] {
  const valuesOf = (name: string): MetricFamily['values'] => families.find((each) => each.name === name)?.values ?? [];
  const executions = valuesOf('mcp_tool_execution_total');
  const tools = [...new Set(executions.map(({ labels }) => String(labels['tool'])))];
  const sum = (tool: string, status?: string): number =>
    executions
      .filter(({ labels }) => labels['tool'] === tool && (status === undefined || labels['status'] === status))
      .reduce((total, { value }) => total + value, 0);
  return tools
    .map((tool) => {
      const buckets = valuesOf('mcp_tool_execution_seconds')
        .filter(({ labels, metricName }) => labels['tool'] === tool && metricName?.endsWith('_bucket') === true)
        // Prometheus writes the last bucket as text; buckets are cumulative, so their order decides the quantile.
        .map(({ labels, value }) => ({ most: Number(labels['le'] === '+Inf' ? Infinity : labels['le']), value }))
        .sort((a, b) => a.most - b.most);
      return {
        tool,
        calls: sum(tool),
        failed: sum(tool, 'failure'),
        refused: sum(tool, 'refused'),
        active: valuesOf('mcp_tool_active').find(({ labels }) => labels['tool'] === tool)?.value ?? 0,
        p50: quantile(buckets, 0.5),
        p95: quantile(buckets, 0.95),
        p99: quantile(buckets, 0.99),
      };
    })
    .sort((a, b) => b.calls - a.calls);
}

/** Upper bound of the bucket that holds the quantile; undefined if it lies beyond the last one. */
function quantile(
  buckets: readonly { readonly most: number; readonly value: number }[],
  part: number,
): number | undefined {
  const total = buckets.at(-1)?.value ?? 0;
  const found = buckets.find(({ value }) => value >= part * total);
  return total === 0 || found === undefined || !Number.isFinite(found.most) ? undefined : found.most;
}
