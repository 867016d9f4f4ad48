/** One number of a family as Prometheus shows it. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** For the parts of a histogram. */
  readonly metricName?: string;
}

/** Numbers under one name; they are plain numbers until somebody asks for them. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): readonly Sample[];
}

/** Upper bounds in seconds, from a refusal to the longest scan. */
export const SECONDS: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Counts of observed values by upper bound. */
export interface Distribution {
  observe(value: number): void;
  samples(name: string, labels: Sample['labels']): readonly Sample[];
}

export function distribution(bounds: readonly number[] = SECONDS): Distribution {
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

/** What a custom metric is called and which values each of its labels may take; others are counted as `other`. */
export interface CustomMetric {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}

export type Labels = Readonly<Record<string, string>>;

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const MAX_SERIES = 1_000;

/**
 * Keeps one cell per combination of declared label values, made on first use. A label that takes whatever a caller sends
 * would let callers fill the memory of everyone who scrapes, so the whole product is bounded when it is declared.
 */
export function cells<Cell>({ name, labels = {} }: CustomMetric, fresh: () => Cell) {
  if (!NAME.test(name)) throw new Error(`${name} is not a metric name`);
  const declared = Object.entries(labels).map(([label, values]) => ({ label, values: new Set([...values, OTHER]) }));
  if (declared.some(({ label }) => !NAME.test(label) || label === 'le'))
    throw new Error(`${name} has a label that is not a label name`);
  const series = declared.reduce((product, { values }) => product * values.size, 1);
  if (series > MAX_SERIES) throw new Error(`${name} could make ${series} series; the limit is ${MAX_SERIES}`);
  const made = new Map<string, { readonly labels: Labels; readonly cell: Cell }>();
  return {
    at(given: Labels): Cell {
      const chosen: Record<string, string> = {};
      let key = '';
      for (const { label, values } of declared) {
        const value = given[label] ?? OTHER;
        chosen[label] = values.has(value) ? value : OTHER;
        key += `${chosen[label]}\0`;
      }
      const found = made.get(key);
      if (found) return found.cell;
      const cell = fresh();
      made.set(key, { labels: chosen, cell });
      return cell;
    },
    all: () => [...made.values()],
  };
}

const OTHER = 'other';
