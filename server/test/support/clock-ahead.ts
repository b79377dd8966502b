import { parentPort, workerData } from 'node:worker_threads';
import { createListing } from '../../src/domain/listings/listings.ts';
import { openDatabase } from '../../src/storage/open.ts';

// This thread creates listings like another process whose clock is an hour ahead. For each message, it creates a
// listing and sends its id.

const { now } = Date;
Date.now = () => now() + 3_600_000;

const { url, accountId } = workerData;
const database = await openDatabase(url);

parentPort?.on('message', async (isLast: boolean) => {
  const { outcome } = await createListing(database, { accountId }, { address: '1 Far Street', beds: 1, baths: 1 });
  parentPort?.postMessage(outcome.id);
  if (!isLast) return;
  await database.close();
  parentPort?.close();
});
