import type { Metric, Registry } from 'prom-client';
import type { Json } from '../../core/json.js';
import { callMetrics, type BreakerState, type CallStatus, type CallTotals } from './call-metrics.js';
import { originMetrics } from './origin-metrics.js';
import {
  cells,
  distribution,
  type CustomMetric,
  type Family,
  type Labels,
  type SampleFilter,
} from './metric-families.js';

export type { CallTotals } from './call-metrics.js';

/** Rendered metrics page. */
interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}

/** Metrics of this gateway; counting is cheap, rendering happens on request. */
export interface Metrics {
  started(tool: string): void;
  ended(tool: string, status: CallStatus, errorType: string, seconds: number): void;
  /** Sets the current tools; calls of other names count as `unknown`. Must be called before tools are wired. */
  tools(names: Iterable<string>): void;
  breakerChanged(tool: string, state: BreakerState): void;
  /** State of an origin's circuit breaker; origins come from the configuration only. */
  originBreakerChanged(origin: string, state: BreakerState): void;
  totals(): CallTotals;
  /** Adds a family whose samples are read whenever the page is rendered. */
  family(family: Family): void;
  counter(metric: CustomMetric): { inc(labels?: Labels, by?: number): void };
  gauge(metric: CustomMetric): { set(value: number, labels?: Labels): void };
  histogram(metric: CustomMetric & { readonly bounds?: readonly number[] }): {
    observe(value: number, labels?: Labels): void;
  };
  /** The Prometheus text format; with a filter, only the samples that it accepts. */
  text(filter?: SampleFilter): Promise<MetricsPage>;
  json(filter?: SampleFilter): Promise<Json>;
}

/** Creates the metrics; loads prom-client on first rendering to keep the start fast. */
export function metrics(): Metrics {
  const calls = callMetrics();
  const origins = originMetrics();
  const families: Family[] = [...calls.families, ...origins.families];
  let registry: Promise<Registry> | undefined;

  const add = (family: Family): void => {
    if (families.some(({ name }) => name === family.name))
      throw new Error(`A metric named ${family.name} already exists`);
    families.push(family);
    registry = registry?.then((loaded) => register(loaded, family));
  };
  const loadRegistry = (): Promise<Registry> => (registry ??= makeRegistry([...families]));
  /** A registry for one rendering: the process metrics, and our families without the samples that the filter rejects. */
  const filtered = async (filter: SampleFilter | undefined): Promise<Registry> => {
    const all = await loadRegistry();
    if (filter === undefined) return all;
    const { default: prometheus } = await import('prom-client');
    const view = new prometheus.Registry();
    const own = new Set(families.map(({ name }) => name));
    // Read from the registry of all metrics, whose declared type omits the names of its members.
    for (const metric of all.getMetricsAsArray() as unknown as (Metric & { readonly name: string })[])
      if (!own.has(metric.name)) view.registerMetric(metric);
    for (const family of families)
      register(view, { ...family, samples: () => family.samples().filter(({ labels }) => filter(labels)) });
    return view;
  };
  const scalarMetric = (metric: CustomMetric, type: 'counter' | 'gauge') => {
    const values = cells(metric, () => ({ value: 0 }));
    add({
      name: metric.name,
      help: metric.help,
      type,
      samples: () => values.all().map(({ labels, cell }) => ({ labels, value: cell.value })),
    });
    return values;
  };

  return {
    started: calls.started,
    ended: calls.ended,
    tools: calls.tools,
    breakerChanged: calls.breakerChanged,
    originBreakerChanged: origins.breakerChanged,
    totals: calls.totals,
    family: add,
    counter(metric) {
      const values = scalarMetric(metric, 'counter');
      return { inc: (labels = {}, by = 1) => void (values.at(labels).value += Math.max(0, by)) };
    },
    gauge(metric) {
      const values = scalarMetric(metric, 'gauge');
      return { set: (value, labels = {}) => void (values.at(labels).value = value) };
    },
    histogram(metric) {
      const values = cells(metric, () => distribution(metric.bounds));
      add({
        name: metric.name,
        help: metric.help,
        type: 'histogram',
        samples: () => values.all().flatMap(({ labels, cell }) => cell.samples(metric.name, labels)),
      });
      return { observe: (value, labels = {}) => values.at(labels).observe(value) };
    },
    async text(filter) {
      const page = await filtered(filter);
      return { contentType: page.contentType, body: await page.metrics() };
    },
    async json(filter) {
      // prom-client returns plain objects, arrays, strings and numbers here.
      return (await (await filtered(filter)).getMetricsAsJSON()) as unknown as Json;
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
  // A registry only uses `name` and `get` of a metric; prom-client's own classes would hash the labels on every call.
  registry.registerMetric(metric as unknown as Metric);
  return registry;
}
