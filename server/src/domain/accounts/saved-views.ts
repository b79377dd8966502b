import { AppError } from '../../model/errors.ts';
import type { Database } from '../../storage/database.ts';
import { listOtherViews, putSavedView, removeSavedView, type SavedView } from '../../storage/saved-views.ts';
import { getLiveHead, type SessionPrincipal } from '../access/principals.ts';

/** Maximum number of views per member: more than a menu can show. With the longest searches, they take 100 KiB. */
const VIEWS_MAX = 50;

/**
 * Saves a member's view. If the member already has a view with this name, that view is replaced.
 * @throws {AppError} `conflict` if the member already has `VIEWS_MAX` other views, or `unauthorized` if the
 * member has lost access
 */
export async function saveView(database: Database, principal: SessionPrincipal, view: SavedView): Promise<void> {
  const { accountId, user } = principal;
  await database.write(async (transaction) => {
    await getLiveHead(transaction, principal);
    if ((await listOtherViews(transaction, accountId, user.userId, view.name)).length >= VIEWS_MAX) {
      throw new AppError(
        'conflict',
        `You already have ${VIEWS_MAX} saved views, which is the maximum; delete one first.`,
      );
    }
    await putSavedView(transaction, { accountId, userId: user.userId, ...view });
  }, accountId);
}

/** @throws {AppError} `not_found`, or `unauthorized` if the member has lost access */
export async function deleteView(database: Database, principal: SessionPrincipal, name: string): Promise<void> {
  const { accountId, user } = principal;
  await database.write(async (transaction) => {
    await getLiveHead(transaction, principal);
    const removed = await removeSavedView(transaction, accountId, user.userId, name);
    if (removed === 0) throw new AppError('not_found', 'There is no saved view with this name.');
  }, accountId);
}
