import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createCounter, createGauge, enableMetrics } from '../lib/metrics.ts';

/** The interval of the timer that measures delays. A shorter one costs processor time even in an idle service. */
const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** Starts to collect metrics, including those of the process itself. */
export async function enableProcessMetrics(): Promise<void> {
  await enableMetrics();
  watchEventLoop();
  createGauge({ name: 'process_resident_memory_bytes', help: 'Memory of all processes.' }).watch(() => [
    [{}, process.memoryUsage.rss()],
  ]);
  createCounter({ name: 'process_cpu_seconds_total', help: 'Processor time of all processes.' }).watch(() => {
    const { user, system } = process.cpuUsage();
    return [[{}, (user + system) / 1e6]];
  });
  createGauge({
    name: 'process_start_time_seconds',
    help: 'Start of the oldest process, in seconds since 1970.',
    aggregator: 'min',
  }).watch(() => [[{}, performance.timeOrigin / 1_000]]);
  createGauge({
    name: 'process_open_fds',
    help: 'Open files and connections of the process with the most.',
    aggregator: 'max',
  }).watch(() => [[{}, countOpenFiles()]]);
}

/** Measures event-loop delays since the last scrape: a request can wait that long before it is processed. */
function watchEventLoop(): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const shares = { p50: 50, p99: 99, max: 100 };
  for (const [name, share] of Object.entries(shares)) {
    createGauge({
      name: `nodejs_eventloop_delay_${name}_seconds`,
      help: `Delay of the event loop since the last scrape, ${name}.`,
      aggregator: 'max',
    }).watch(() => {
      const delayNs = Math.max(0, histogram.percentile(share) - RESOLUTION_MS * 1e6);
      if (name === 'max') histogram.reset();
      return [[{}, delayNs / NS_PER_SECOND]];
    });
  }
}

/** Undefined where the system does not report the number. */
function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
