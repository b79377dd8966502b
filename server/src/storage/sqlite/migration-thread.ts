import { parentPort, workerData } from 'node:worker_threads';
import { type MigrationReport, migrateHere } from './migrate.ts';
import { openConnection } from './open-connection.ts';

// Migrates the database file whose path is `workerData`, and reports the progress.

const report = (message: MigrationReport) => parentPort?.postMessage(message);

try {
  const database = openConnection(workerData);
  await migrateHere(database, workerData, async (progress) => report({ progress }));
  database.close();
} catch (error) {
  report({ failure: error instanceof Error ? error.message : String(error) });
}
