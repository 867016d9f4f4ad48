import type { Metric, Registry } from 'prom-client';
import type { Json } from '../core/json.js';
import { callMetrics, type BreakerState, type CallStatus, type CallTotals } from './call-metrics.js';
import { originMetrics } from './origin-metrics.js';
import { cells, distribution, type CustomMetric, type Family, type Labels } from './metric-families.js';

export type { BreakerState, CallStatus, CallTotals } from './call-metrics.js';
export type { CustomMetric, Labels } from './metric-families.js';

/** A page of metrics ready to send. */
export interface Rendered {
  readonly contentType: string;
  readonly body: string;
}

/** The numbers of this gateway; counting is cheap, and rendering is paid by who asks. */
export interface Metrics {
  started(tool: string): void;
  ended(tool: string, status: CallStatus, errorType: string, seconds: number): void;
  /** Names the tools that exist now; calls of any other name count under `unknown`. Call it before tools are wired. */
  tools(names: Iterable<string>): void;
  breakerChanged(tool: string, state: BreakerState): void;
  /** The breaker of an address that HTTP tools call; addresses come from the configuration only. */
  originBreakerChanged(origin: string, state: BreakerState): void;
  totals(): CallTotals;
  counter(metric: CustomMetric): { inc(labels?: Labels, by?: number): void };
  gauge(metric: CustomMetric): { set(value: number, labels?: Labels): void };
  histogram(metric: CustomMetric & { readonly bounds?: readonly number[] }): {
    observe(value: number, labels?: Labels): void;
  };
  /** The Prometheus text format. */
  text(): Promise<Rendered>;
  json(): Promise<Json>;
}

/** A fresh set of metrics. prom-client is loaded when they are first rendered: it costs more than a start-up should. */
export function metrics(): Metrics {
  const calls = callMetrics();
  const origins = originMetrics();
  const families: Family[] = [...calls.families, ...origins.families];
  let registry: Promise<Registry> | undefined;

  const add = (family: Family): void => {
    if (families.some(({ name }) => name === family.name))
      throw new Error(`There is a metric named ${family.name} already`);
    families.push(family);
    registry = registry?.then((made) => register(made, family));
  };
  const rendering = (): Promise<Registry> => (registry ??= makeRegistry([...families]));
  const numbered = (metric: CustomMetric, type: 'counter' | 'gauge') => {
    const made = cells(metric, () => ({ value: 0 }));
    add({
      name: metric.name,
      help: metric.help,
      type,
      samples: () => made.all().map(({ labels, cell }) => ({ labels, value: cell.value })),
    });
    return made;
  };

  return {
    started: calls.started,
    ended: calls.ended,
    tools: calls.tools,
    breakerChanged: calls.breakerChanged,
    originBreakerChanged: origins.breakerChanged,
    totals: calls.totals,
    counter(metric) {
      const made = numbered(metric, 'counter');
      return { inc: (labels = {}, by = 1) => void (made.at(labels).value += Math.max(0, by)) };
    },
    gauge(metric) {
      const made = numbered(metric, 'gauge');
      return { set: (value, labels = {}) => void (made.at(labels).value = value) };
    },
    histogram(metric) {
      const made = cells(metric, () => distribution(metric.bounds));
      add({
        name: metric.name,
        help: metric.help,
        type: 'histogram',
        samples: () => made.all().flatMap(({ labels, cell }) => cell.samples(metric.name, labels)),
      });
      return { observe: (value, labels = {}) => made.at(labels).observe(value) };
    },
    async text() {
      const made = await rendering();
      return { contentType: made.contentType, body: await made.metrics() };
    },
    async json() {
      // prom-client builds this of plain objects, arrays, strings and numbers.
      return (await (await rendering()).getMetricsAsJSON()) as unknown as Json;
    },
  };
}

async function makeRegistry(families: readonly Family[]): Promise<Registry> {
  const { default: prometheus } = await import('prom-client');
  const registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry });
  for (const family of families) register(registry, family);
  return registry;
}

function register(registry: Registry, { name, help, type, samples }: Family): Registry {
  const metric = {
    name,
    help,
    type,
    get: () => Promise.resolve({ name, help, type, aggregator: 'sum', values: samples() }),
  };
  // A registry asks a metric for its name and for `get`, nothing else; its own classes would hash the labels on every call.
  registry.registerMetric(metric as unknown as Metric);
  return registry;
}
