export type EventType = 'listing.created' | 'listing.updated' | 'listing.deleted';
