import type { EventType } from '../../api/types';

export const EVENT_TYPES: Record<EventType, string> = {
  'listing.created': 'Created',
  'listing.updated': 'Updated',
  'listing.deleted': 'Deleted',
};
