import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  type ParsedLocation,
  redirect,
} from '@tanstack/react-router';
import { listingQuery, listingsQuery, queryClient, sessionQuery } from './api/queries';
import { lazyPage } from './lib/lazy-page';
import { parseSearch, pickSearch, stringifySearch } from './lib/search';
import { ACTIVITY_SEARCH } from './pages/activity-search';
import { EVENT_SEARCH, REQUEST_SEARCH } from './pages/developers/search';
import { LISTING_SEARCH, toListQuery } from './pages/listings/search';
import { LoadingPage, PageError } from './parts/states';
import { Frame, LostPage } from './shell/frame';

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

/** Creates the route of a page, whose code exports `name`. `search` lists the names of its query parameters. */
function page<
  Parent extends AnyRoute,
  Path extends string,
  Module extends Record<string, unknown>,
  Search extends string = never,
>(parent: Parent, path: Path, load: () => Promise<Module>, name: keyof Module, search: readonly Search[] = []) {
  const component = lazyPage(load, name);
  return createRoute({ getParentRoute: () => parent, path, component, validateSearch: pickSearch(search) });
}

/** Creates the route that redirects from a parent's own path to the first page below it. */
function start<Parent extends AnyRoute>(parent: Parent, to: '/developers/requests' | '/settings/api') {
  const beforeLoad = () => {
    throw redirect({ to, replace: true });
  };
  return createRoute({ getParentRoute: () => parent, path: '/', beforeLoad });
}

const developers = page(inside, '/developers', () => import('./pages/for-administrators'), 'DevelopersLayout');
const settings = page(inside, '/settings', () => import('./pages/for-administrators'), 'SettingsLayout');

const routeTree = root.addChildren([
  signIn,
  page(root, '/setup', () => import('./pages/entry/setup'), 'SetupPage'),
  page(root, '/invitation', () => import('./pages/entry/invitation'), 'InvitationPage'),
  inside.addChildren([
    page(inside, '/', () => import('./pages/overview/overview'), 'OverviewPage'),
    listings,
    page(inside, '/listings/new', () => import('./pages/listings/new-listing'), 'NewListingPage'),
    page(inside, '/listings/import', () => import('./pages/listings/import'), 'ImportPage'),
    listing,
    page(inside, '/feeds', () => import('./pages/feeds/feeds'), 'FeedsPage'),
    page(inside, '/feeds/new', () => import('./pages/feeds/new-feed'), 'NewFeedPage'),
    page(inside, '/feeds/$name', () => import('./pages/feeds/feed'), 'FeedPage', ['cursor']),
    page(inside, '/feeds/$name/send', () => import('./pages/feeds/send-file'), 'SendFilePage'),
    page(inside, '/feeds/$name/runs/$runId', () => import('./pages/feeds/run'), 'FeedRunPage'),
    developers.addChildren([
      start(developers, '/developers/requests'),
      page(developers, '/requests', () => import('./pages/developers/requests'), 'RequestsPage', REQUEST_SEARCH),
      page(developers, '/requests/$id', () => import('./pages/developers/request'), 'RequestPage'),
      page(developers, '/events', () => import('./pages/developers/events'), 'EventsPage', EVENT_SEARCH),
      page(developers, '/webhooks', () => import('./pages/developers/webhooks'), 'WebhooksPage'),
      page(developers, '/webhooks/$id', () => import('./pages/developers/webhook'), 'WebhookPage', ['state', 'cursor']),
    ]),
    settings.addChildren([
      start(settings, '/settings/api'),
      // `generate` opens the dialog that generates a key.
      page(settings, '/api', () => import('./pages/settings/api-keys'), 'ApiKeysPage', ['generate']),
      page(settings, '/team', () => import('./pages/settings/team'), 'TeamPage'),
      page(settings, '/account', () => import('./pages/settings/account'), 'AccountPage'),
    ]),
    page(inside, '/profile', () => import('./pages/profile/profile'), 'ProfilePage'),
    page(inside, '/activity', () => import('./pages/activity'), 'ActivityPage', ACTIVITY_SEARCH),
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
