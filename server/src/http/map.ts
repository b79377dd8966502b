import { AppError } from '../model/errors.ts';
import type { Caller } from './contract/operation.ts';
import { OPENAPI_NAME } from './contract/paths.ts';
import type { ApiAccess, ServedApi } from './endpoint.ts';
import { admitKey, requireLikelyKey } from './gate/authenticate.ts';
import { admitAdministrator, admitAnyone, admitMember, admitUser } from './identity/admit.ts';
import { ADMIN_DESCRIPTION } from './openapi/admin.ts';
import { atOrigin, openApiDocument } from './openapi/document.ts';
import { V1_DESCRIPTION } from './openapi/v1.ts';
import type { Exchange } from './protocol/exchange.ts';
import { type Reply, replyJson } from './protocol/reply.ts';
import { UNKNOWN_ROUTE } from './protocol/request-metrics.ts';
import { type PublicHandler, type PublicRoutes, Routes } from './protocol/router.ts';
import { accountEndpoints } from './routes/account.ts';
import { activityEndpoints } from './routes/activity.ts';
import { apiKeyEndpoints } from './routes/api-keys.ts';
import { authEndpoints } from './routes/auth.ts';
import { columnEndpoints } from './routes/columns.ts';
import { addDashboard, isDashboardVisit } from './routes/dashboard.ts';
import { deletionEndpoints } from './routes/deletions.ts';
import { addDocs } from './routes/docs.ts';
import { eventEndpoints } from './routes/events.ts';
import { feedEndpoints } from './routes/feeds.ts';
import { addHealth } from './routes/health.ts';
import { historyEndpoints } from './routes/history.ts';
import { importEndpoints } from './routes/imports.ts';
import { acceptanceEndpoints, invitationEndpoints } from './routes/invitations.ts';
import { listingEndpoints } from './routes/listings.ts';
import { mapEndpoints } from './routes/map.ts';
import { meEndpoints } from './routes/me.ts';
import { memberEndpoints } from './routes/members.ts';
import { overviewEndpoints } from './routes/overview.ts';
import { passkeyEndpoints } from './routes/passkeys.ts';
import { profileEndpoints } from './routes/profile.ts';
import { requestEndpoints } from './routes/requests.ts';
import { savedViewEndpoints } from './routes/saved-views.ts';
import { secondFactorEndpoints } from './routes/second-factor.ts';
import { sessionEndpoints } from './routes/session.ts';
import { setupEndpoints } from './routes/setup.ts';
import { webhookDeliveryEndpoints } from './routes/webhook-deliveries.ts';
import { webhookEndpoints } from './routes/webhooks.ts';
import type { Services } from './services.ts';

/** The order matters: `/listings/external/history` is the listing with the external id `history`, not a history. */
const SHARED = [...listingEndpoints, ...historyEndpoints, ...eventEndpoints, ...importEndpoints, ...feedEndpoints];
/** Endpoints for both API keys with full access and administrators. */
const WEBHOOKS = [...webhookEndpoints, ...webhookDeliveryEndpoints];
const OF_V1 = [...SHARED, ...WEBHOOKS, ...meEndpoints];
const OF_ADMIN = [
  ...sessionEndpoints,
  ...setupEndpoints,
  ...authEndpoints,
  ...secondFactorEndpoints,
  ...passkeyEndpoints,
  ...acceptanceEndpoints,
  ...profileEndpoints,
  ...overviewEndpoints,
  ...mapEndpoints,
  ...deletionEndpoints,
  ...SHARED,
  ...WEBHOOKS,
  ...columnEndpoints,
  ...savedViewEndpoints,
  ...apiKeyEndpoints,
  ...accountEndpoints,
  ...activityEndpoints,
  ...requestEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
];

/** The API for programs, which authenticate with an API key. */
export const V1: ServedApi<'account' | 'full' | 'key' | 'anyone'> = {
  ...V1_DESCRIPTION,
  authenticators: { account: admitKey, full: admitKey, key: admitKey, anyone: async (exchange) => exchange },
  requireLikelyCaller: requireLikelyKey,
  endpoints: OF_V1,
  operations: OF_V1.map(({ operation }) => operation),
};

/** The API for the dashboard, which authenticates with a session. */
export const ADMIN: ServedApi<'account' | 'full' | 'member' | 'administrator' | 'user' | 'anyone'> = {
  ...ADMIN_DESCRIPTION,
  authenticators: {
    account: admitMember,
    full: admitAdministrator,
    member: admitMember,
    administrator: admitAdministrator,
    user: admitUser,
    anyone: admitAnyone,
  },
  openBelow: `${ADMIN_DESCRIPTION.base}/auth/`,
  // Users can share a browser, so it must not cache any response.
  headers: { 'Cache-Control': 'no-store' },
  endpoints: OF_ADMIN,
  operations: OF_ADMIN.map(({ operation }) => operation),
};

interface Route {
  /** The path with its parameters in braces. */
  route: string;
  /** Undefined outside the APIs. */
  api?: ApiAccess;
  isPublic: boolean;
  answer: PublicHandler;
}

export interface RouteMatch extends Omit<Route, 'answer'> {
  answer(exchange: Exchange): Promise<Reply>;
}

export function createMap(services: Services): (exchange: Exchange) => RouteMatch {
  const routes = new Routes<Route>();
  addApi(routes, V1, services);
  addApi(routes, ADMIN, services);
  const open: PublicRoutes = {
    add: (method, path, answer) => routes.add(method, path, { route: path, isPublic: true, answer }),
  };
  addHealth(open, services);
  addDocs(open, { v1: V1, admin: ADMIN });
  addDashboard(open, services);
  return ({ path, incoming }) => {
    const found = routes.find(incoming.method ?? '', path);
    if (found instanceof AppError) return toMissing(found, path, services);
    const { target, parameters } = found;
    return { ...target, answer: async (exchange) => target.answer(exchange, parameters) };
  };
}

function addApi<C extends Caller>(routes: Routes<Route>, api: ServedApi<C>, services: Services): void {
  for (const { operation, serve } of api.endpoints) {
    const route = api.base + operation.path;
    routes.add(operation.method.toUpperCase(), route, {
      route,
      api,
      isPublic: operation.caller === 'anyone',
      answer: (exchange, parameters) => serve(exchange, { parameters, services }, api),
    });
  }
  // Created on the first request; creating it at startup would take a fifth of the startup time.
  let document: Promise<Buffer> | undefined;
  /** The document's bytes for the last request's origin. */
  let last: { origin: string; bytes: Buffer } | undefined;
  const route = api.base + OPENAPI_NAME;
  routes.add('GET', route, {
    route,
    api,
    isPublic: true,
    answer: async (exchange) => {
      await api.authenticators.anyone(exchange, services);
      document ??= openApiDocument(api, services.release).then((created) => Buffer.from(JSON.stringify(created)));
      const origin = originOf(exchange, services);
      if (last?.origin !== origin) last = { origin, bytes: atOrigin(origin, await document) };
      return replyJson(200, last.bytes);
    },
  });
}

function originOf({ incoming }: Exchange, { publicUrl }: Services): string {
  const { host } = incoming.headers;
  return publicUrl ?? (host === undefined ? '' : `http://${host}`);
}

/**
 * Handles an unknown path. Below an API's base path, unauthenticated requests get 401, to hide which paths exist,
 * except below `openBelow`.
 */
function toMissing(error: AppError, path: string, services: Services): RouteMatch {
  const api = path === V1.base ? V1 : [V1, ADMIN].find(({ base }) => path.startsWith(`${base}/`));
  const isPublic = api?.openBelow === undefined ? api === undefined : path.startsWith(api.openBelow);
  const answer = async (exchange: Exchange): Promise<Reply> => {
    if (isDashboardVisit(exchange)) return { status: 302, headers: { Location: '/' } };
    await api?.authenticators[isPublic ? 'anyone' : 'account'](exchange, services);
    throw error;
  };
  return { ...(api && { api }), route: UNKNOWN_ROUTE, isPublic, answer };
}
