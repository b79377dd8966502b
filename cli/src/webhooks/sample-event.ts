import { randomUUID } from 'node:crypto';
import type { WebhookType } from '@property-listings/client/webhooks';
import { EVENT_TYPES } from '../event-types.ts';

export const SAMPLE_TYPES: readonly WebhookType[] = [...EVENT_TYPES, 'webhook.test'];

export const SAMPLE_LISTING_ID = 'lst_00000000000000000000000000';
const ACCOUNT_ID = 'acc_00000000000000000000000000';
const WEBHOOK_ID = 'whk_00000000000000000000000000';

const LISTING = {
  id: SAMPLE_LISTING_ID,
  externalId: 'SAMPLE-1',
  address: '12 Elm Street',
  city: 'Austin',
  stateOrProvince: 'TX',
  postalCode: '78701',
  country: 'US',
  beds: 3,
  baths: 2,
  status: 'active',
  listPrice: 450_000,
  currency: 'USD',
};

/** Creates a webhook with its own ID, as the service would send it, about a fictitious listing or endpoint. */
export function createSample(type: WebhookType) {
  const timestamp = new Date().toISOString();
  const message = { type, timestamp, data: createData(type, timestamp), accountId: ACCOUNT_ID, epoch: 'sample00' };
  return { id: `msg_${randomUUID()}`, message };
}

function createData(type: WebhookType, createdAt: string): object {
  if (type === 'webhook.test') return { webhookId: WEBHOOK_ID };
  const event = { sequence: 1, type, listingId: SAMPLE_LISTING_ID };
  const listing = { ...LISTING, version: 1, createdAt, updatedAt: createdAt };
  if (type === 'listing.deleted') return { ...event, externalId: LISTING.externalId, createdAt };
  if (type === 'listing.created') return { ...event, listing, createdAt };
  return { ...event, listing: { ...listing, version: 2, status: 'pending' }, changed: ['status'], createdAt };
}
