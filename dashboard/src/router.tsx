import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  type ParsedLocation,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { listingQuery, listingsQuery, queryClient, sessionQuery } from './api/queries';
import { lazyPage } from './lib/lazy-page';
import { parseSearch, pickSearch, stringifySearch } from './lib/search';
import { ACTIVITY_SEARCH } from './pages/activity-search';
import { EVENT_SEARCH, REQUEST_SEARCH } from './pages/developers/search';
import { LISTING_SEARCH, toListQuery } from './pages/listings/search';
import { LoadingPage, PageError } from './parts/states';
import { Frame } from './shell/frame';
import { LostPage } from './shell/lost-page';

const root = createRootRoute({ component: Outlet, notFoundComponent: LostPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: pickSearch(['next', 'ended']),
  beforeLoad: async ({ location }: { location: ParsedLocation }) => {
    // Signing out opens this page before it clears the cached session.
    if (location.state.isSignedOut) return;
    const session = await queryClient.ensureQueryData(sessionQuery).catch(() => null);
    if (session !== null) throw redirect({ to: '/', replace: true });
  },
  component: lazyPage(() => import('./pages/entry/sign-in'), 'SignInPage'),
});

/** The pages that need a session. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Frame,
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session !== null) return;
    const { href } = location;
    throw redirect({ to: '/sign-in', search: href === '/' ? {} : { next: href }, replace: true });
  },
});

const listings = createRoute({
  getParentRoute: () => inside,
  path: '/listings',
  validateSearch: pickSearch(LISTING_SEARCH),
  loaderDeps: ({ search }) => search,
  // Do not wait for the data: the page shows the state of its queries. Hovering over a link also starts the
  // load.
  loader: ({ deps }) => void queryClient.prefetchQuery(listingsQuery(toListQuery(deps))),
  component: lazyPage(() => import('./pages/listings/listings'), 'ListingsPage'),
});

const listing = createRoute({
  getParentRoute: () => inside,
  path: '/listings/$id',
  validateSearch: pickSearch(['tab', 'edit']),
  loader: ({ params }) => void queryClient.prefetchQuery(listingQuery(params.id)),
  component: lazyPage(() => import('./pages/listings/listing'), 'ListingPage'),
});

const developersLayout = lazyPage(() => import('./pages/for-administrators'), 'DevelopersLayout');
const developers = createRoute({ getParentRoute: () => inside, path: '/developers', component: developersLayout });

/** Creates the route of a page. `names` are the names of its query parameters. */
function page<Parent extends AnyRoute, Path extends string, Name extends string = never>(
  parent: Parent,
  path: Path,
  component: RouteComponent,
  names: readonly Name[] = [],
) {
  return createRoute({ getParentRoute: () => parent, path, component, validateSearch: pickSearch(names) });
}

/** Creates the route that redirects from a parent's own path to the first page below it. */
function start<Parent extends AnyRoute>(parent: Parent, to: '/developers/requests' | '/settings/api') {
  const beforeLoad = () => {
    throw redirect({ to, replace: true });
  };
  return createRoute({ getParentRoute: () => parent, path: '/', beforeLoad });
}

const setup = lazyPage(() => import('./pages/entry/setup'), 'SetupPage');
const invitation = lazyPage(() => import('./pages/entry/invitation'), 'InvitationPage');
const overview = lazyPage(() => import('./pages/overview/overview'), 'OverviewPage');
const newListing = lazyPage(() => import('./pages/listings/new-listing'), 'NewListingPage');
const importListings = lazyPage(() => import('./pages/listings/import'), 'ImportPage');
const requests = lazyPage(() => import('./pages/developers/requests'), 'RequestsPage');
const request = lazyPage(() => import('./pages/developers/request'), 'RequestPage');
const events = lazyPage(() => import('./pages/developers/events'), 'EventsPage');
const webhooks = lazyPage(() => import('./pages/developers/webhooks'), 'WebhooksPage');
const webhook = lazyPage(() => import('./pages/developers/webhook'), 'WebhookPage');
const feeds = lazyPage(() => import('./pages/feeds/feeds'), 'FeedsPage');
const feed = lazyPage(() => import('./pages/feeds/feed'), 'FeedPage');
const newFeed = lazyPage(() => import('./pages/feeds/new-feed'), 'NewFeedPage');
const sendFile = lazyPage(() => import('./pages/feeds/send-file'), 'SendFilePage');
const feedRun = lazyPage(() => import('./pages/feeds/run'), 'FeedRunPage');
const settingsLayout = lazyPage(() => import('./pages/settings/settings'), 'SettingsLayout');
const apiKeys = lazyPage(() => import('./pages/settings/api-keys'), 'ApiKeysPage');
const team = lazyPage(() => import('./pages/settings/team'), 'TeamPage');
const account = lazyPage(() => import('./pages/settings/account'), 'AccountPage');
const activity = lazyPage(() => import('./pages/activity'), 'ActivityPage');
const profile = lazyPage(() => import('./pages/profile/profile'), 'ProfilePage');

const settings = page(inside, '/settings', settingsLayout);

const routeTree = root.addChildren([
  signIn,
  page(root, '/setup', setup),
  page(root, '/invitation', invitation),
  inside.addChildren([
    page(inside, '/', overview),
    listings,
    page(inside, '/listings/new', newListing),
    page(inside, '/listings/import', importListings),
    listing,
    page(inside, '/feeds', feeds),
    page(inside, '/feeds/new', newFeed),
    page(inside, '/feeds/$name', feed, ['cursor']),
    page(inside, '/feeds/$name/send', sendFile),
    page(inside, '/feeds/$name/runs/$runId', feedRun),
    developers.addChildren([
      start(developers, '/developers/requests'),
      page(developers, '/requests', requests, REQUEST_SEARCH),
      page(developers, '/requests/$id', request),
      page(developers, '/events', events, EVENT_SEARCH),
      page(developers, '/webhooks', webhooks),
      page(developers, '/webhooks/$id', webhook, ['state', 'cursor']),
    ]),
    settings.addChildren([
      start(settings, '/settings/api'),
      // `generate` opens the dialog that generates a key.
      page(settings, '/api', apiKeys, ['generate']),
      page(settings, '/team', team),
      page(settings, '/account', account),
    ]),
    page(inside, '/profile', profile),
    page(inside, '/activity', activity, ACTIVITY_SEARCH),
  ]),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageError,
  defaultPendingComponent: LoadingPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }

  interface HistoryState {
    /** Whether the user opened the sign-in page by signing out. */
    isSignedOut?: boolean;
    /** The cursors of the list pages before the current one; the first page's cursor is empty. */
    trail?: string[];
  }
}
