import type { EventType } from '../model/events.ts';
import { type Session, statement } from './database.ts';

export interface EventRow {
  sequence: number;
  type: EventType;
  listingId: string;
  /** The listing after the change, as JSON; null when it was deleted. */
  doc: string | null;
  /** UTC milliseconds. */
  createdAt: number;
}

const insert = statement<EventRow & { accountId: string }>((query, parameter) =>
  query.insertInto('events').values({
    account_id: parameter('accountId'),
    sequence: parameter('sequence'),
    type: parameter('type'),
    listing_id: parameter('listingId'),
    doc: parameter('doc'),
    changed: null,
    created_at: parameter('createdAt'),
  }),
);

/** Appends an event to the account's history. */
export async function insertEvent(session: Session, accountId: string, event: EventRow): Promise<void> {
  await session.execute(insert, { accountId, ...event });
}
