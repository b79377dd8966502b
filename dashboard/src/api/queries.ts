import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query';
import type { components, Listing, ListingList, operations, Session } from './admin';
import { ApiError, onSessionDoubt, type Query, request } from './client';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Without a network, a request fails immediately, and the page shows the error.
      networkMode: 'always',
      refetchOnReconnect: true,
      // Retry only outages: after a 4xx response, a repeated request would get the same response.
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});

type Schemas = components['schemas'];
/** One of the user's sessions. */
export type SessionInfo = operations['listSessions']['responses'][200]['content']['application/json'][number];

type Key = [name: string, ...rest: unknown[]];

function get<T>(queryKey: Key, path: string, query?: Query) {
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => request<T>('GET', path, { signal, ...(query && { query }) }),
  });
}

/** A part of a list. The previous part stays on the page until this one has been loaded. */
function part<T>(queryKey: Key, load: (signal: AbortSignal) => Promise<T>) {
  return {
    ...queryOptions({ queryKey, queryFn: ({ signal }) => load(signal) }),
    placeholderData: keepPreviousData<T>,
  };
}

function getPart<T>(queryKey: Key, path: string, query: Query) {
  return part(queryKey, (signal) => request<T>('GET', path, { signal, query }));
}

export const sessionQuery = { ...get<Session | null>(['session'], '/admin/session'), staleTime: 60_000 };
export const setupQuery = get<Schemas['SetupState']>(['setup'], '/admin/setup');
export const apiKeysQuery = get<Schemas['ApiKeyList']>(['api-keys'], '/admin/api-keys');
export const savedViewsQuery = get<Schemas['SavedViewList']>(['views'], '/admin/views');
export const membersQuery = get<Schemas['MemberList']>(['members'], '/admin/members');
export const invitationsQuery = get<Schemas['InvitationList']>(['invitations'], '/admin/invitations');
export const accountQuery = get<Schemas['Account']>(['account'], '/admin/account');
export const sessionsQuery = get<SessionInfo[]>(['sessions'], '/admin/auth/list-sessions');
export const passkeysQuery = get<Schemas['Passkey'][]>(['passkeys'], '/admin/auth/passkey/list');
/** The data is loaded each time the Overview page opens, because changes on other pages affect it. */
export const overviewQuery = { ...get<Schemas['Overview']>(['overview'], '/admin/overview'), staleTime: 0 };

const ACTIVITY = 'activity';
const LISTINGS = 'listings';

export const activityQuery = (query: Query) => ({
  ...getPart<Schemas['AuditLog']>([ACTIVITY, query], '/admin/activity', query),
  staleTime: 0,
});

/** Whether a search is for a listing's own ID, which the service's search for words does not find. */
export function isListingId(q = ''): boolean {
  return /^lst_[0-9a-z]{26}$/i.test(q);
}

export const requestsQuery = (query: Query) => ({
  ...getPart<Schemas['LoggedRequestList']>(['requests', query], '/admin/requests', query),
  staleTime: 0,
});

export const requestQuery = (id: string) =>
  get<Schemas['LoggedRequest']>(['request', id], `/admin/requests/${encodeURIComponent(id)}`);

export const webhooksQuery = get<Schemas['WebhookList']>(['webhooks'], '/admin/webhooks');

export const webhookQuery = (id: string) => get<Schemas['Webhook']>(['webhooks', id], webhookPath(id));

export const deliveriesQuery = (id: string, query: Query) =>
  getPart<Schemas['WebhookDeliveryList']>(['webhooks', id, query], `${webhookPath(id)}/deliveries`, query);

export const feedsQuery = get<Schemas['FeedList']>(['feeds'], '/admin/feeds');

export const feedQuery = (name: string) => get<Schemas['Feed']>(['feeds', name], feedPath(name));

export const runsQuery = (name: string, query: Query) =>
  getPart<Schemas['FeedRunList']>(['feeds', name, query], `${feedPath(name)}/runs`, query);

export const runQuery = (name: string, id: string) =>
  get<Schemas['FeedRun']>(['feeds', name, id], `${feedPath(name)}/runs/${encodeURIComponent(id)}`);

export const listingsQuery = (query: Query) => part([LISTINGS, query], (signal) => loadListings(query, signal));

/**
 * A part of the account's listings on a map. Its query key has the same first element as the keys of listing
 * queries, so refreshing the listings also refreshes the map.
 */
export const mapQuery = (query: Query) => part([LISTINGS, 'map', query], (signal) => loadMap(query, signal));

async function loadMap(query: Query, signal: AbortSignal): Promise<Schemas['Map']> {
  if (!isListingId(query.q)) return request<Schemas['Map']>('GET', '/admin/map', { query, signal });
  const { id = '', latitude, longitude } = (await findListing(query.q ?? '', signal)) ?? {};
  const hasPlace = latitude !== undefined && longitude !== undefined;
  return { data: hasPlace ? [{ count: 1, latitude, longitude, id }] : [], side: 1 };
}

async function loadListings(query: Query, signal: AbortSignal): Promise<ListingList> {
  const loading = request<ListingList>('GET', '/admin/listings', { query, signal });
  if (!isListingId(query.q)) return loading;
  const [list, listing] = await Promise.all([loading, findListing(query.q ?? '', signal)]);
  return listing === undefined ? list : { ...list, data: [listing], nextCursor: null, total: 1 };
}

export async function findListing(id: string, signal?: AbortSignal): Promise<Listing | undefined> {
  try {
    return await request<Listing>('GET', listingPath(id.toLowerCase()), { ...(signal && { signal }) });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

export const listingQuery = (id: string) => get<Listing>(['listing', id], listingPath(id));

export const historyQuery = (id: string, version: number) =>
  infiniteQueryOptions({
    queryKey: ['history', id, version],
    queryFn: ({ pageParam, signal }) =>
      request<Schemas['ListingHistory']>('GET', `${listingPath(id)}/history`, {
        query: { limit: '50', cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** The event with this sequence; an error with status 410 if the event is no longer stored. */
export const eventQuery = (sequence: number) => ({
  ...get<Schemas['EventList']>(['event', sequence], '/admin/events', { after: String(sequence - 1), limit: '1' }),
  staleTime: Number.POSITIVE_INFINITY,
});

// The page frame watches the session and shows the sign-in page when the session ends.
onSessionDoubt(() => void refresh(sessionQuery));

/**
 * Reloads those of the given queries that the page uses, and marks the others as stale. Loads in progress are
 * canceled first, because they may have missed the change.
 */
export async function refresh(...queries: { queryKey: readonly unknown[] }[]): Promise<void> {
  const reload = async ({ queryKey }: { queryKey: readonly unknown[] }) => {
    await queryClient.cancelQueries({ queryKey });
    await queryClient.invalidateQueries({ queryKey });
  };
  await Promise.all(queries.map(reload));
}

/** Refreshes everything that depends on listings. Call this after listings change. */
export function refreshListings(): Promise<void> {
  return refresh({ queryKey: [LISTINGS] }, { queryKey: [ACTIVITY] }, overviewQuery);
}

/** Stores the saved listing in the cache, and refreshes what depends on it. Call this after saving a listing. */
export async function keepListing(listing: Listing): Promise<void> {
  queryClient.setQueryData(listingQuery(listing.id).queryKey, listing);
  await refreshListings();
}

export const listingPath = (id: string) => `/admin/listings/${encodeURIComponent(id)}`;
export const webhookPath = (id: string) => `/admin/webhooks/${encodeURIComponent(id)}`;
export const feedPath = (name: string) => `/admin/feeds/${encodeURIComponent(name)}`;
