import { deleteView, saveView } from '../../domain/accounts/saved-views.ts';
import { listSavedViews } from '../../storage/saved-views.ts';
import {
  deleteSavedViewOperation,
  listSavedViewsOperation,
  savedView,
  saveViewOperation,
} from '../contract/operations/saved-views.ts';
import { endpoint } from '../endpoint.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';

export const savedViewEndpoints = [
  endpoint(listSavedViewsOperation, async ({ principal: { accountId, user } }, { services }) => {
    const data = await listSavedViews(services.database, accountId, user.userId);
    return { ...replyJson(200, JSON.stringify({ data, nextCursor: null })), isCompressible: true };
  }),
  endpoint(saveViewOperation, async (exchange, { services }) => {
    const view = await readInput(exchange, savedView);
    await saveView(services.database, exchange.principal, view);
    return replyJson(200, JSON.stringify(view));
  }),
  endpoint(deleteSavedViewOperation, async ({ principal }, { parameters: { viewName = '' }, services }) => {
    await deleteView(services.database, principal, viewName);
    return { status: 204, headers: {} };
  }),
];
