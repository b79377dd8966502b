import type { Connections } from '../http/protocol/shutdown.ts';
import { createGauge } from '../lib/metrics.ts';
import type { Database } from '../storage/database.ts';

const openConnections = createGauge({
  name: 'property_listings_open_connections',
  help: 'Open connections from clients and proxies.',
});
const waitingWrites = createGauge({
  name: 'property_listings_write_queue_length',
  help: 'Writes that wait for a transaction.',
});
const databaseBytes = createGauge({
  name: 'property_listings_database_size_bytes',
  help: 'Size of the SQLite file.',
  aggregator: 'max',
});
const logBytes = createGauge({
  name: 'property_listings_wal_size_bytes',
  help: 'Size of the write-ahead log of the SQLite file.',
  aggregator: 'max',
});
const freeBytes = createGauge({
  name: 'property_listings_disk_free_bytes',
  help: 'Free space on the file system of the SQLite file.',
  aggregator: 'max',
});
const poolConnections = createGauge({
  // OpenTelemetry's earlier name; the current one ends in `_count`, which `promtool check metrics` rejects.
  name: 'db_client_connections_usage',
  help: 'Connections to PostgreSQL.',
  labels: ['db_client_connection_state'],
});
const poolMax = createGauge({ name: 'db_client_connection_max', help: 'Maximum number of connections to PostgreSQL.' });
const poolPending = createGauge({
  name: 'db_client_connection_pending_requests',
  help: 'Requests that wait for a connection to PostgreSQL.',
});

/** Adds a service's database and connections to the metrics. @returns functions that remove them */
export function watchService({ measure }: Database, connections: Connections): (() => void)[] {
  return [
    openConnections.watch(() => [[{}, connections.size]]),
    waitingWrites.watch(() => [[{}, measure().waitingWrites]]),
    databaseBytes.watch(() => [[{}, measure().file?.bytes]]),
    logBytes.watch(() => [[{}, measure().file?.logBytes]]),
    freeBytes.watch(() => [[{}, measure().file?.freeBytes]]),
    poolMax.watch(() => [[{}, measure().pool?.max]]),
    poolPending.watch(() => [[{}, measure().pool?.pending]]),
    poolConnections.watch(() => [
      [{ db_client_connection_state: 'used' }, measure().pool?.used],
      [{ db_client_connection_state: 'idle' }, measure().pool?.idle],
    ]),
  ];
}
