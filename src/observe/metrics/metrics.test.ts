import { expect, test } from 'vitest';
import { metrics as metricsGuard } from '../../guards/metrics.js';
import { refuse } from '../../core/outcome.js';
import type { Operation } from '../../core/tool.js';
import { aCall, aTool, guarded } from '../../../test/support/make.js';
import { samplesOfTools } from './metric-families.js';
import { metrics, type Metrics } from './metrics.js';

const lines = async (from: Metrics, start: string): Promise<string[]> =>
  (await from.text()).body.split('\n').filter((line) => line.startsWith(start));

function someMetrics(...tools: string[]): Metrics {
  const made = metrics();
  made.tools(tools);
  return made;
}

test('calls are counted by tool, status and error type [S0.119]', async () => {
  const made = someMetrics('ping');
  made.started('ping');
  made.ended('ping', 'success', '', 0.02);
  made.started('ping');
  made.ended('ping', 'failure', 'timeout', 400);
  made.started('ping');
  expect(await lines(made, 'mcp_tool_execution_total')).toEqual([
    'mcp_tool_execution_total{tool="ping",status="success",error_type="none"} 1',
    'mcp_tool_execution_total{tool="ping",status="failure",error_type="timeout"} 1',
  ]);
  expect(await lines(made, 'mcp_tool_errors_total')).toEqual([
    'mcp_tool_errors_total{tool="ping",error_type="timeout"} 1',
  ]);
  expect(await lines(made, 'mcp_tool_active')).toEqual(['mcp_tool_active{tool="ping"} 1']);
  const seconds = await lines(made, 'mcp_tool_execution_seconds');
  expect(seconds).toContain('mcp_tool_execution_seconds_bucket{tool="ping",le="0.01"} 0');
  expect(seconds).toContain('mcp_tool_execution_seconds_bucket{tool="ping",le="0.05"} 1');
  expect(seconds).toContain('mcp_tool_execution_seconds_bucket{tool="ping",le="300"} 1');
  expect(seconds).toContain('mcp_tool_execution_seconds_bucket{tool="ping",le="+Inf"} 2');
  expect(seconds).toContain('mcp_tool_execution_seconds_sum{tool="ping"} 400.02');
  expect(seconds).toContain('mcp_tool_execution_seconds_count{tool="ping"} 2');
});

test.each<[string, Operation]>([
  ['succeeds', aTool().run],
  ['is refused', () => Promise.resolve(refuse('rate_limited', 'slow down'))],
  ['rejects', () => Promise.reject(new Error('bug'))],
  [
    'throws',
    () => {
      throw new Error('bug');
    },
  ],
])('the active gauge is back at zero after a call that %s [S0.119]', async (_, run) => {
  const made = someMetrics('echo');
  let during = 0;
  const call = guarded([metricsGuard({ sink: made })], (each) => {
    during = made.totals().active;
    return run(each);
  });
  await call(aCall()).catch(() => undefined);
  expect(during).toBe(1);
  expect(await lines(made, 'mcp_tool_active')).toEqual(['mcp_tool_active{tool="echo"} 0']);
});

test('names and error types that callers invent make no series of their own [S0.120]', async () => {
  const made = someMetrics('ping');
  for (let at = 0; at < 1000; at++) {
    made.started(`invented-${at}`);
    made.ended(`invented-${at}`, 'failure', `invented-${at}`, 0);
  }
  expect(await lines(made, 'mcp_tool_execution_total')).toEqual([
    'mcp_tool_execution_total{tool="unknown",status="failure",error_type="unknown"} 1000',
  ]);
});

test('a tool that leaves keeps its numbers until its last call has ended', async () => {
  const made = someMetrics('ping', 'dig');
  made.started('ping');
  made.tools(['dig']);
  expect(await lines(made, 'mcp_tool_active')).toContain('mcp_tool_active{tool="ping"} 1');
  made.ended('ping', 'success', 'none', 1);
  expect(await lines(made, 'mcp_tool_active')).toEqual(['mcp_tool_active{tool="dig"} 0']);
});

test('a tool that leaves and comes back during a call stays', async () => {
  const made = someMetrics('ping');
  made.started('ping');
  made.tools([]);
  made.tools(['ping']);
  made.ended('ping', 'success', 'none', 1);
  expect(await lines(made, 'mcp_tool_active')).toEqual(['mcp_tool_active{tool="ping"} 0']);
});

test('the breaker is a gauge and a counter of its changes [S0.91] [S0.119]', async () => {
  const made = someMetrics('ping');
  made.breakerChanged('ping', 'open');
  made.breakerChanged('ping', 'half_open');
  made.breakerChanged('ping', 'open');
  expect(await lines(made, 'mcp_circuit_breaker_state')).toEqual(['mcp_circuit_breaker_state{tool="ping"} 2']);
  expect(await lines(made, 'mcp_circuit_breaker_transitions_total')).toEqual([
    'mcp_circuit_breaker_transitions_total{tool="ping",state="open"} 2',
    'mcp_circuit_breaker_transitions_total{tool="ping",state="half_open"} 1',
  ]);
});

test('the page is Prometheus text with its content type, process numbers included, and JSON for who wants it [S0.108]', async () => {
  const made = someMetrics('ping');
  const page = await made.text();
  expect(page.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(page.body).toMatch(/^# TYPE mcp_tool_active gauge$/m);
  expect(page.body).toMatch(/^process_resident_memory_bytes \d+/m);
  expect(await made.json()).toContainEqual(
    expect.objectContaining({
      name: 'mcp_tool_active',
      type: 'gauge',
      values: [{ labels: { tool: 'ping' }, value: 0 }],
    }),
  );
});

test('two sets of metrics know nothing of each other', async () => {
  const one = someMetrics('ping');
  const two = someMetrics('dig');
  expect((await one.text()).body).not.toContain('"dig"');
  expect((await two.text()).body).not.toContain('"ping"');
});

test('custom metrics take declared label values and count the rest as other [S0.120]', async () => {
  const made = someMetrics();
  const scans = made.counter({ name: 'scans_total', help: 'Scans', labels: { network: ['lab', 'office'] } });
  scans.inc({ network: 'lab' });
  scans.inc({ network: 'lab' }, 2);
  for (let at = 0; at < 100; at++) scans.inc({ network: `10.0.0.${at}`, extra: 'x' });
  scans.inc({ network: 'lab' }, -5);
  expect(await lines(made, 'scans_total')).toEqual([
    'scans_total{network="lab"} 3',
    'scans_total{network="other"} 100',
  ]);
  made.gauge({ name: 'depth', help: 'Depth' }).set(7);
  made.histogram({ name: 'size_bytes', help: 'Sizes', bounds: [10, 100] }).observe(50);
  expect(await lines(made, 'depth')).toEqual(['depth 7']);
  expect(await lines(made, 'size_bytes')).toEqual([
    'size_bytes_bucket{le="10"} 0',
    'size_bytes_bucket{le="100"} 1',
    'size_bytes_bucket{le="+Inf"} 1',
    'size_bytes_sum 50',
    'size_bytes_count 1',
  ]);
});

test.each([
  ['a name Prometheus does not take', { name: 'a-b', help: '' }, 'is not a valid metric name'],
  ['a name that is taken', { name: 'mcp_tool_active', help: '' }, 'already'],
  ['a label Prometheus does not take', { name: 'a', help: '', labels: { 'a b': ['x'] } }, 'label'],
  ['a reserved label', { name: 'a', help: '', labels: { le: ['x'] } }, 'label'],
  [
    'too many series',
    {
      name: 'a',
      help: '',
      labels: { a: Array.from({ length: 40 }, (_, at) => `${at}`), b: Array.from({ length: 40 }, (_, at) => `${at}`) },
    },
    '1681 series',
  ],
])('a custom metric with %s is refused when it is declared [S0.120]', (_, metric, why) => {
  expect(() => metrics().counter(metric)).toThrow(why);
});

test('a metric declared while the first page is made appears once', async () => {
  const made = someMetrics();
  const page = made.text();
  made.gauge({ name: 'late', help: 'Late' }).set(1);
  await page;
  expect(await lines(made, 'late')).toEqual(['late 1']);
});

test('counting is done before the answer, in memory, with nothing to wait for [S0.113]', () => {
  const made = someMetrics('ping');
  expect(made.started('ping')).toBeUndefined();
  expect(made.ended('ping', 'success', 'none', 0.1)).toBeUndefined();
  expect(made.totals()).toEqual({ active: 0, success: 1, failure: 0, refused: 0, confirm: 0 });
});

test('a filtered page has only the samples of the given tools, and none of origins', async () => {
  const made = someMetrics('ping', 'hidden');
  for (const tool of ['ping', 'hidden', 'invented']) {
    made.started(tool);
    made.ended(tool, 'success', '', 0.02);
  }
  made.originBreakerChanged('https://internal.example', 'open');
  made.counter({ name: 'calls_by_source_total', help: 'Calls', labels: { source: ['secret-source'] } }).inc({
    source: 'secret-source',
  });
  const filter = samplesOfTools(new Set(['ping']));
  const { body } = await made.text(filter);
  expect(body).toContain('mcp_tool_execution_total{tool="ping"');
  expect(body).toContain('mcp_tool_execution_seconds_bucket{tool="ping",le="0.05"} 1');
  expect(body).toContain('process_cpu');
  for (const hidden of ['tool="hidden"', 'tool="unknown"', 'internal.example', 'secret-source'])
    expect(body).not.toContain(hidden);
  expect(JSON.stringify(await made.json(filter))).not.toContain('hidden');
  expect((await made.text()).body).toContain('tool="hidden"');
});
