import type { Event } from '../../api/admin';

export const EVENT_TYPES: Record<Event['type'], string> = {
  'listing.created': 'Created',
  'listing.updated': 'Updated',
  'listing.deleted': 'Deleted',
};
