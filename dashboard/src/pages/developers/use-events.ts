import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { EventList, Event as ListingEvent, ListingList } from '../../api/admin';
import { request } from '../../api/client';
import type { EventSearch } from './search';

const REFETCH_MS = 3_000;
/** The number of events on a page, and the number that are examined for a page if there is a filter. */
const PAGE_LENGTH = 50;
const EXAMINED_MAX = 1_000;

export type EventRow = ListingEvent & { id: string };

interface EventPage {
  /** Newest first. */
  data: EventRow[];
  /** The sequence before the oldest examined event; null if there are no earlier events. */
  nextCursor: string | null;
}

/** Loads the events up to the sequence `at` or, without it, the newest events, which are reloaded regularly. */
export function useEvents({ at, ...filters }: EventSearch) {
  const head = useQuery({
    queryKey: ['sequence'],
    queryFn: ({ signal }) =>
      request<ListingList>('GET', '/admin/listings', { query: { limit: '1', fields: 'id' }, signal }),
    refetchInterval: at === undefined && REFETCH_MS,
    enabled: at === undefined,
    staleTime: 0,
  });
  const last = at === undefined ? head.data?.sequence : Number(at);
  const page = useQuery({
    queryKey: ['events', last, filters],
    queryFn: ({ signal }) => readEvents(last ?? 0, filters, signal),
    enabled: last !== undefined,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  const { error, refetch } = last === undefined ? head : page;
  return { data: page.data, error, refetch, isPlaceholderData: false };
}

async function readEvents(last: number, filters: EventSearch, signal: AbortSignal): Promise<EventPage> {
  const isFiltered = Object.keys(filters).length > 0;
  const after = Math.max(0, last - (isFiltered ? EXAMINED_MAX : PAGE_LENGTH));
  const data: ListingEvent[] = [];
  let next = after;
  while (next < last) {
    const query = { ...filters, after: String(next), limit: String(last - next) };
    const page = await request<EventList>('GET', '/admin/events', { query, signal });
    data.push(...page.data.filter(({ sequence }) => sequence <= last));
    if (page.nextAfter <= next) break;
    next = page.nextAfter;
  }
  const rows = data.reverse().map((event) => ({ ...event, id: String(event.sequence) }));
  return { data: rows, nextCursor: after === 0 ? null : String(after) };
}
