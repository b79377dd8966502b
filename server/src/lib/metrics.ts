import type { Counter, Gauge, Histogram, Registry } from 'prom-client';

type Library = typeof import('prom-client');
type Labels<L extends string> = Record<L, string | number>;

interface Definition<L extends string> {
  /** As Prometheus recommends: with the unit, and `_total` for counters. */
  name: string;
  help: string;
  labels?: readonly L[];
}

interface GaugeDefinition<L extends string> extends Definition<L> {
  /** How the values of several processes become one; by default, their sum. */
  aggregator?: 'sum' | 'first' | 'max' | 'min';
}

/** The metrics of one process, in the library's form. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Undefined unless metrics are enabled: without them, they cost nothing, and the library is not loaded. */
let library: Library | undefined;
/** Metrics that are created once the library is loaded. */
const pending: ((prometheus: Library) => void)[] = [];

/** Starts to collect metrics, for all modules of the process. */
export async function enableMetrics(): Promise<void> {
  // The package is CommonJS.
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

/** Reads values when metrics are collected, with their labels. */
type Read<L extends string> = () => Iterable<[values: Labels<L>, value: number | undefined]>;

/** The sources of a metric whose values are read when metrics are collected. */
class Sources<L extends string> {
  readonly #reads = new Set<Read<L>>();

  /** Adds a source of values; several are summed. @returns a function that removes the source */
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
    // The library has set a metric without labels to 0.
    if (known.length === 0) metric.remove({});
    for (const [values, value] of known) metric.inc(values, value);
  }
}

/**
 * Declares a counter, which is either incremented or read. Call this once, when the module is loaded. A label must have
 * few values, which no client can choose.
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

/** Declares a histogram, like `createCounter`. `buckets` are upper bounds. */
export function createHistogram<L extends string = never>(definition: Definition<L> & { buckets: number[] }) {
  const { labels = [], ...rest } = definition;
  let histogram: Histogram<L> | undefined;
  whenEnabled(({ Histogram: Metric }) => {
    histogram = new Metric({ ...rest, labelNames: labels });
  });
  return { observe: (values: Labels<L>, value: number): void => histogram?.observe(values, value) };
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

/** Adds up the metrics of several processes. */
export async function joinMetrics(processes: ProcessMetrics[]): Promise<ProcessMetrics> {
  return (await library?.AggregatorRegistry.aggregate(processes).getMetricsAsJSON()) ?? [];
}

/** Joins the metrics of several processes to a page in Prometheus' text format. */
export async function toPage(processes: ProcessMetrics[]): Promise<string> {
  return (await library?.AggregatorRegistry.aggregate(processes).metrics()) ?? '';
}

/**
 * What remains of a process that has ended: its counts. Without them, the sums would decrease, which Prometheus takes
 * for a restart.
 */
export function countsOf(metrics: ProcessMetrics): ProcessMetrics {
  // The library's types say that `type` is a number.
  return metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
