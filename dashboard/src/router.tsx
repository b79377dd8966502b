import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type ParsedLocation,
  redirect,
} from '@tanstack/react-router';
import { queryClient, sessionQuery } from './api/queries';
import { parseSearch, pickSearch, stringifySearch } from './lib/search';
import { LISTING_SEARCH } from './pages/listings/search';
import { NotFoundPage, PageError, PagePending } from './parts/states';
import { Frame } from './shell/frame';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: pickSearch(['next', 'ended']),
  beforeLoad: async ({ location }: { location: ParsedLocation }) => {
    // The session that is known here has just been ended.
    if (location.state.isSignedOut) return;
    // Who is in already came back here by chance; and whether they are may be unknown without harm.
    const session = await queryClient.ensureQueryData(sessionQuery).catch(() => null);
    if (session !== null) throw redirect({ to: '/', replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/entry/sign-in'), 'SignInPage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('./pages/entry/setup'), 'SetupPage'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./pages/entry/invitation'), 'InvitationPage'),
});

/** Whatever needs somebody who is signed in. */
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

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview'), 'HomePage'),
});

const listings = createRoute({
  getParentRoute: () => inside,
  path: '/listings',
  validateSearch: pickSearch(LISTING_SEARCH),
  component: lazyRouteComponent(() => import('./pages/listings/listings'), 'ListingsPage'),
});

const newListing = createRoute({
  getParentRoute: () => inside,
  path: '/listings/new',
  component: lazyRouteComponent(() => import('./pages/listings/edit'), 'NewListingPage'),
});

const importListings = createRoute({
  getParentRoute: () => inside,
  path: '/listings/import',
  component: lazyRouteComponent(() => import('./pages/listings/import'), 'ImportPage'),
});

const listing = createRoute({
  getParentRoute: () => inside,
  path: '/listings/$id',
  component: lazyRouteComponent(() => import('./pages/listings/edit'), 'ListingPage'),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings'), 'SettingsLayout'),
});

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/api', replace: true });
  },
});

const settingsApi = createRoute({
  getParentRoute: () => settings,
  path: '/api',
  component: lazyRouteComponent(() => import('./pages/settings/api-keys'), 'ApiKeysPage'),
});

const settingsTeam = createRoute({
  getParentRoute: () => settings,
  path: '/team',
  component: lazyRouteComponent(() => import('./pages/settings/team'), 'TeamPage'),
});

const settingsAccount = createRoute({
  getParentRoute: () => settings,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/settings/account'), 'AccountPage'),
});

const profile = createRoute({
  getParentRoute: () => inside,
  path: '/profile',
  component: lazyRouteComponent(() => import('./pages/profile/profile'), 'ProfilePage'),
});

const activity = createRoute({
  getParentRoute: () => inside,
  path: '/activity',
  validateSearch: pickSearch(['cursor']),
  component: lazyRouteComponent(() => import('./pages/activity'), 'ActivityPage'),
});

const routeTree = root.addChildren([
  signIn,
  setup,
  invitation,
  inside.addChildren([
    overview,
    listings,
    newListing,
    importListings,
    listing,
    settings.addChildren([settingsStart, settingsApi, settingsTeam, settingsAccount]),
    profile,
    activity,
  ]),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageError,
  defaultPendingComponent: PagePending,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }

  interface HistoryState {
    /** Somebody came to the sign-in page by signing out. */
    isSignedOut?: boolean;
    /** The cursors of the pages before this one, the first page's being empty. */
    trail?: string[];
  }
}
