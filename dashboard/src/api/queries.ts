import { keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, onSessionDoubt, type Query, request } from './client';
import type {
  Account,
  ActivityList,
  ApiKeyList,
  InvitationList,
  Listing,
  ListingList,
  MemberList,
  Overview,
  Session,
  SessionInfo,
  Setup,
} from './types';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Retry only outages: a repeated request would get the same 4xx.
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});

function get<T>(queryKey: [name: string, ...rest: unknown[]], path: string, query?: Query) {
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => request<T>('GET', path, { signal, ...(query && { query }) }),
  });
}

export const sessionQuery = { ...get<Session | null>(['session'], '/admin/session'), staleTime: 60_000 };
export const setupQuery = get<Setup>(['setup'], '/admin/setup');
export const apiKeysQuery = get<ApiKeyList>(['api-keys'], '/admin/api-keys');
export const membersQuery = get<MemberList>(['members'], '/admin/members');
export const invitationsQuery = get<InvitationList>(['invitations'], '/admin/invitations');
export const accountQuery = get<Account>(['account'], '/admin/account');
export const sessionsQuery = get<SessionInfo[]>(['sessions'], '/admin/auth/list-sessions');
/** Loaded each time the Overview page opens, because changes on other pages affect it. */
export const overviewQuery = { ...get<Overview>(['overview'], '/admin/overview'), staleTime: 0 };

const ACTIVITY = 'activity';
const LISTINGS = 'listings';

export const activityQuery = (query: Query) => ({
  ...get<ActivityList>([ACTIVITY, query], '/admin/activity', query),
  staleTime: 0,
  placeholderData: keepPreviousData<ActivityList>,
});

export const listingsQuery = (query: Query) => ({
  ...get<ListingList>([LISTINGS, query], '/admin/listings', query),
  placeholderData: keepPreviousData<ListingList>,
});

export const listingQuery = (id: string) => get<Listing>(['listing', id], listingPath(id));

// The frame watches the session and shows the sign-in page when it ends.
onSessionDoubt(() => void refresh(sessionQuery));

/** Reloads the queries in use, and marks the others as stale. */
export async function refresh(...queries: { queryKey: readonly unknown[] }[]): Promise<void> {
  await Promise.all(queries.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));
}

/** Call this after listings change. */
export function refreshListings(): Promise<void> {
  return refresh({ queryKey: [LISTINGS] }, { queryKey: [ACTIVITY] }, overviewQuery);
}

export function listingPath(id: string): string {
  return `/admin/listings/${encodeURIComponent(id)}`;
}
