import type { Counter, Gauge, Histogram, Registry } from 'prom-client';

type Library = typeof import('prom-client');
type Labels<L extends string> = Record<L, string | number>;

interface Definition<L extends string> {
  /** Ends with the unit and, for counters, with `_total`, as Prometheus recommends. */
  name: string;
  help: string;
  labels?: readonly L[];
}

interface GaugeDefinition<L extends string> extends Definition<L> {
  /** How the values of several processes are combined; by default, they are added up. */
  aggregator?: 'sum' | 'first' | 'max' | 'min';
}

export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Undefined unless metrics are enabled: disabled metrics cost nothing, and the library is not loaded. */
let library: Library | undefined;
/** Metrics that are created once the library is loaded. */
const pending: ((prometheus: Library) => void)[] = [];

export async function enableMetrics(): Promise<void> {
  // The exports of a CommonJS package are in `default`.
  library ??= (await import('prom-client')).default;
  for (const create of pending.splice(0)) create(library);
}

export function areMetricsEnabled(): boolean {
  return library !== undefined;
}

function whenEnabled(create: (prometheus: Library) => void): void {
  if (library === undefined) pending.push(create);
  else create(library);
}

/** Reads values and their labels when metrics are collected. */
type Read<L extends string> = () => Iterable<[values: Labels<L>, value: number | undefined]>;

class Sources<L extends string> {
  readonly #reads = new Set<Read<L>>();

  /** Adds a source; the values of several sources are added up. @returns a function that removes the source */
  readonly watch = (read: Read<L>): (() => void) => {
    this.#reads.add(read);
    return () => void this.#reads.delete(read);
  };

  get isEmpty(): boolean {
    return this.#reads.size === 0;
  }

  collect(metric: Counter<L> | Gauge<L>): void {
    metric.reset();
    const read = [...this.#reads].flatMap((each) => [...each()]);
    const known = read.filter((entry): entry is [Labels<L>, number] => entry[1] !== undefined);
    // `reset` has set a metric without labels to 0, although its value is unknown.
    if (known.length === 0) metric.remove({});
    for (const [values, value] of known) metric.inc(values, value);
  }
}

/**
 * Declares a counter that is either incremented or read from a source. Call this once, when the module is
 * loaded. A label must have few values, and clients must not be able to choose them.
 */
export function createCounter<L extends string = never>({ labels = [], ...definition }: Definition<L>) {
  const sources = new Sources<L>();
  let counter: Counter<L> | undefined;
  whenEnabled(({ Counter: Metric }) => {
    counter = new Metric({
      ...definition,
      labelNames: labels,
      collect: () => (sources.isEmpty ? undefined : counter && sources.collect(counter)),
    });
  });
  return { add: (values: Labels<L>, count = 1): void => counter?.inc(values, count), watch: sources.watch };
}

/** The observed values with the same labels. `counts` has one more element than there are buckets. */
interface Series<L extends string> {
  labels: Labels<L>;
  counts: number[];
  sum: number;
}

/** A tree of series with one level per label. Making a key of all labels for each observation would take longer. */
interface Branch<L extends string> {
  series?: Series<L>;
  branches: Map<string | number, Branch<L>>;
}

/** Declares a histogram, like `createCounter`. `buckets` are upper bounds. */
export function createHistogram<L extends string = never>({
  labels: labelNames = [],
  buckets,
  ...definition
}: Definition<L> & { buckets: number[] }) {
  const all: Series<L>[] = [];
  const root: Branch<L> = { branches: new Map() };
  const seriesOf = (labels: Labels<L>): Series<L> => {
    let branch = root;
    for (const name of labelNames) {
      let next = branch.branches.get(labels[name]);
      if (next === undefined) {
        next = { branches: new Map() };
        branch.branches.set(labels[name], next);
      }
      branch = next;
    }
    branch.series ??= addSeries(labels);
    return branch.series;
  };
  const addSeries = (labels: Labels<L>): Series<L> => {
    const series = { labels, counts: Array(buckets.length + 1).fill(0), sum: 0 };
    all.push(series);
    return series;
  };
  whenEnabled(({ Histogram: Metric }) => {
    const metric: Histogram<L> = new Metric({ ...definition, labelNames, buckets });
    const get = metric.get.bind(metric);
    // The library's `observe` takes three times as long as ours.
    metric.get = async () => ({
      ...(await get()),
      values: all.flatMap((series) => toValues(definition.name, buckets, series)),
    });
    // As in the library, a histogram without labels begins with 0.
    if (labelNames.length === 0) seriesOf({} as Labels<L>);
  });
  return {
    observe(labels: Labels<L>, value: number): void {
      if (library === undefined) return;
      const series = seriesOf(labels);
      const found = buckets.findIndex((bound) => value <= bound);
      const bucket = found < 0 ? buckets.length : found;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sum += value;
    },
  };
}

/** The values in the library's form: the cumulative count of each bucket, the sum, and the total count. */
function toValues<L extends string>(name: string, buckets: readonly number[], { labels, counts, sum }: Series<L>) {
  let count = 0;
  const values = [...buckets, '+Inf'].map((le, index) => {
    count += counts[index] ?? 0;
    return { labels: { ...labels, le }, value: count, metricName: `${name}_bucket` };
  });
  return [
    ...values,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}

/** Declares a gauge, like `createCounter`. Its values are read when metrics are collected. */
export function createGauge<L extends string = never>({ labels = [], ...definition }: GaugeDefinition<L>) {
  const sources = new Sources<L>();
  whenEnabled(({ Gauge: Metric }) => {
    const gauge: Gauge<L> = new Metric({ ...definition, labelNames: labels, collect: () => sources.collect(gauge) });
  });
  return { watch: sources.watch };
}

export async function readMetrics(): Promise<ProcessMetrics> {
  return (await library?.register.getMetricsAsJSON()) ?? [];
}

export async function joinMetrics(processes: ProcessMetrics[]): Promise<ProcessMetrics> {
  return (await library?.AggregatorRegistry.aggregate(processes).getMetricsAsJSON()) ?? [];
}

/** Combines the metrics of several processes into a page in Prometheus's text format. */
export async function toPage(processes: ProcessMetrics[]): Promise<string> {
  return (await library?.AggregatorRegistry.aggregate(processes).metrics()) ?? '';
}

/** The values to keep after a process ends: if a sum decreased, Prometheus would assume that a counter was reset. */
export function countsOf(metrics: ProcessMetrics): ProcessMetrics {
  // The library's types wrongly declare `type` as a number.
  return metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
