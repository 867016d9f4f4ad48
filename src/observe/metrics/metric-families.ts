/** One sample of a metric family, as in Prometheus. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Name of a histogram series (_bucket, _sum, _count). */
  readonly metricName?: string;
}

/** A metric family; samples are built on demand. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): readonly Sample[];
}

/** Whether a caller may see a sample, by its labels. */
export type SampleFilter = (labels: Sample['labels']) => boolean;

/** Labels whose values a caller without the admin role may see, apart from `tool`. Origins and sources are not among them. */
const openLabels: ReadonlySet<string> = new Set(['status', 'error_type', 'state', 'le']);

/** Samples of the given tools, and those that concern no tool, source or origin. */
export const samplesOfTools =
  (tools: ReadonlySet<string>): SampleFilter =>
  (labels) =>
    Object.entries(labels).every(([name, value]) =>
      name === 'tool' ? tools.has(String(value)) : openLabels.has(name),
    );

/** Histogram bounds in seconds, from a refusal to the longest scan. */
const DURATION_BOUNDS: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Histogram of observed values. */
export interface Distribution {
  observe(value: number): void;
  samples(name: string, labels: Sample['labels']): readonly Sample[];
}

export function distribution(bounds: readonly number[] = DURATION_BOUNDS): Distribution {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
    samples(name, labels) {
      const out: Sample[] = [];
      let below = 0;
      for (const [at, count] of counts.entries()) {
        below += count;
        out.push({ metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: below });
      }
      out.push(
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: below },
      );
      return out;
    },
  };
}

/** Name of a custom metric and the allowed values of its labels; all others count as `other`. */
export interface CustomMetric {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}

export type Labels = Readonly<Record<string, string>>;

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const MAX_SERIES = 1_000;

/**
 * One cell per combination of declared label values, created on first use. Labels with arbitrary values would let callers
 * exhaust memory (cardinality explosion), so the number of combinations is checked at declaration.
 */
export function cells<Cell>({ name, labels = {} }: CustomMetric, createCell: () => Cell) {
  if (!NAME.test(name)) throw new Error(`${name} is not a valid metric name`);
  const declared = Object.entries(labels).map(([label, values]) => ({
    label,
    values: new Set([...values, OTHER_LABEL]),
  }));
  if (declared.some(({ label }) => !NAME.test(label) || label === 'le'))
    throw new Error(`${name} has an invalid label name`);
  const series = declared.reduce((product, { values }) => product * values.size, 1);
  if (series > MAX_SERIES) throw new Error(`${name} could create ${series} series; the limit is ${MAX_SERIES}`);
  const cellsByKey = new Map<string, { readonly labels: Labels; readonly cell: Cell }>();
  return {
    at(given: Labels): Cell {
      const chosen: Record<string, string> = {};
      let key = '';
      for (const { label, values } of declared) {
        const value = given[label] ?? OTHER_LABEL;
        chosen[label] = values.has(value) ? value : OTHER_LABEL;
        key += `${chosen[label]}\0`;
      }
      const found = cellsByKey.get(key);
      if (found) return found.cell;
      const cell = createCell();
      cellsByKey.set(key, { labels: chosen, cell });
      return cell;
    },
    all: () => [...cellsByKey.values()],
  };
}

const OTHER_LABEL = 'other';
