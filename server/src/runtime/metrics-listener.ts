import type { Config } from '../config.ts';
import { ConfigError, readRelease } from '../environment.ts';
import { createMetricsServer, METRICS_PATH } from '../http/protocol/metrics-server.ts';
import { openSocket } from '../http/protocol/sockets.ts';
import type { Log } from '../lib/log.ts';
import { createGauge, type ProcessMetrics, readMetrics, toPage } from '../lib/metrics.ts';
import { findLastBackup } from '../storage/last-backup.ts';
import { addressOf, explainListening } from './listening.ts';
import { enableProcessMetrics } from './process-metrics.ts';

/**
 * Serves the metrics of all processes at METRICS_ADDRESS, if it is set. The server does not keep the process alive.
 * @param readOthers returns the metrics of the other processes
 * @throws {ConfigError} if it cannot listen
 */
export async function serveMetrics(
  config: Config,
  { logger }: Log,
  readOthers: () => Promise<ProcessMetrics[]> = async () => [],
): Promise<void> {
  const { metricsAddress } = config;
  if (metricsAddress === undefined) return;
  await enableProcessMetrics();
  watchInstallation(config);
  const server = createMetricsServer(async () => toPage([await readMetrics(), ...(await readOthers())]));
  const { host, port } = metricsAddress;
  try {
    await openSocket(server, { host, port });
    server.unref();
  } catch (error) {
    throw new ConfigError(`Cannot listen on METRICS_ADDRESS ${host}, port ${port}: ${explainListening(error)}.`);
  }
  logger.info({ url: addressOf(server) + METRICS_PATH }, 'serving metrics');
}

function watchInstallation({ databaseUrl }: Config): void {
  const engine = databaseUrl.startsWith('file:') ? 'sqlite' : 'postgres';
  const labels = { version: readRelease(), node_version: process.versions.node, engine };
  createGauge({
    name: 'property_listings_build_info',
    help: 'Always 1; the labels describe the service.',
    labels: ['version', 'node_version', 'engine'],
  }).watch(() => [[labels, 1]]);
  createGauge({
    name: 'property_listings_last_backup_timestamp_seconds',
    help: 'When "backup" last succeeded, in seconds since 1970; missing before the first one and on PostgreSQL.',
  }).watch(() => [[{}, findLastBackup(databaseUrl)]]);
}
