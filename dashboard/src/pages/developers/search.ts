/** The query parameters of the pages below Developers; filters are named as in the API. */
export const REQUEST_SEARCH = ['keyId', 'method', 'status', 'code', 'path', 'cursor'] as const;
export type RequestSearch = Partial<Record<(typeof REQUEST_SEARCH)[number], string>>;

/** `at` is the sequence of the newest event to show. */
export const EVENT_SEARCH = ['type', 'listingId', 'feed', 'at'] as const;
export type EventSearch = Partial<Record<(typeof EVENT_SEARCH)[number], string>>;
