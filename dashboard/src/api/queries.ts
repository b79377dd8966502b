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
  Setup,
  SignIn,
} from './types';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What the service refuses once it refuses again.
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      retryDelay: (count) => 500 * 2 ** count,
    },
  },
});

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => request<Session | null>('GET', '/admin/session', { signal }),
  staleTime: 60_000,
});

// The frame watches it, and leads whoever was signed out to the sign-in page.
onSessionDoubt(() => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }));

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => request<Setup>('GET', '/admin/setup', { signal }),
});

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => request<ApiKeyList>('GET', '/admin/api-keys', { signal }),
});

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => request<MemberList>('GET', '/admin/members', { signal }),
});

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => request<InvitationList>('GET', '/admin/invitations', { signal }),
});

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => request<Account>('GET', '/admin/account', { signal }),
});

/** What other pages change is asked for anew whenever it is opened. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  staleTime: 0,
  queryFn: ({ signal }) => request<Overview>('GET', '/admin/overview', { signal }),
});

export const signInsQuery = queryOptions({
  queryKey: ['sign-ins'],
  queryFn: ({ signal }) => request<SignIn[]>('GET', '/admin/auth/list-sessions', { signal }),
});

/** Of all pages and filters. */
const ACTIVITY = 'activity';
const LISTINGS = 'listings';

export const activityQuery = (query: Query) =>
  queryOptions({
    queryKey: [ACTIVITY, query],
    staleTime: 0,
    queryFn: ({ signal }) => request<ActivityList>('GET', '/admin/activity', { query, signal }),
    placeholderData: keepPreviousData,
  });

export const listingsQuery = (query: Query) =>
  queryOptions({
    queryKey: [LISTINGS, query],
    queryFn: ({ signal }) => request<ListingList>('GET', '/admin/listings', { query, signal }),
    placeholderData: keepPreviousData,
  });

export const listingQuery = (id: string) =>
  queryOptions({
    queryKey: ['listing', id],
    queryFn: ({ signal }) => request<Listing>('GET', listingPath(id), { signal }),
  });

/** After listings were changed: whatever shows them is asked for anew. */
export async function refreshListings(): Promise<void> {
  const keys = [[LISTINGS], [ACTIVITY], overviewQuery.queryKey];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

export function listingPath(id: string): string {
  return `/admin/listings/${encodeURIComponent(id)}`;
}
