import { DELIVERIES_KEPT_MS } from '../../model/webhooks.ts';
import type { Database } from '../../storage/database.ts';
import { hasOldDelivery, removeDeliveries, removeOldDeliveries } from '../../storage/webhook-deliveries.ts';
import { findWebhookKeys } from '../../storage/webhooks.ts';

/** Deliveries per transaction. */
const SLICE_LENGTH = 100;
const PAGE_LENGTH = 100;

export async function removeAllDeliveries(database: Database, accountId: string, id: string): Promise<void> {
  const remove = () =>
    database.write((transaction) => removeDeliveries(transaction, accountId, id, SLICE_LENGTH), accountId);
  while ((await remove()) >= SLICE_LENGTH);
}

export async function removeSettledDeliveries(database: Database, accountId: string, id: string): Promise<void> {
  await purgeEndpoint(database, accountId, id, Date.now());
}

/** Removes deliveries that were settled more than 30 days ago. `now` is in UTC milliseconds. */
export async function purgeDeliveries(database: Database, now: number, signal: AbortSignal): Promise<void> {
  const before = now - DELIVERIES_KEPT_MS;
  let keys = await findWebhookKeys(database, '', '', PAGE_LENGTH);
  while (keys.length > 0) {
    for (const { accountId, id } of keys) {
      if (signal.aborted) return;
      await purgeEndpoint(database, accountId, id, before);
    }
    const last = keys.at(-1);
    keys = await findWebhookKeys(database, last?.accountId ?? '', last?.id ?? '', PAGE_LENGTH);
  }
}

async function purgeEndpoint(database: Database, accountId: string, id: string, before: number): Promise<void> {
  for (const state of ['delivered', 'failed', 'expired'] as const) {
    // Checked without a transaction, because most endpoints have nothing to remove.
    while (await hasOldDelivery(database, accountId, id, state, before))
      await database.write(
        (transaction) => removeOldDeliveries(transaction, accountId, id, state, before, SLICE_LENGTH),
        accountId,
      );
  }
}
