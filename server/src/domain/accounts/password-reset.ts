import { AppError } from '../../model/errors.ts';
import { parsePassword } from '../../model/passwords.ts';
import { parseEmail, type User } from '../../model/users.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { findMember, listMembershipsOf } from '../../storage/memberships.ts';
import { removePasskeys } from '../../storage/passkeys.ts';
import { removeSessions } from '../../storage/sessions.ts';
import { removeTwoFactor } from '../../storage/two-factors.ts';
import { findUserByEmail, removeChallenges, setPasswordHash } from '../../storage/users.ts';
import { OPERATOR, recordAudit } from '../access/audit.ts';
import { getAccount } from './accounts.ts';
import { hashPassword } from './passwords.ts';

/**
 * Sets a member's password on behalf of the operator, ends the member's sessions, and removes the member's
 * passkeys, which a thief could have added.
 * @throws {AppError} `not_found` if there is no such member, or `validation_failed`
 */
export async function resetPassword(
  database: Database,
  accountId: string,
  given: { email: string; password: string; removeTwoFactor: boolean },
): Promise<User> {
  const email = parseEmail(given.email);
  const known = await findUserByEmail(database, email);
  const password = parsePassword(given.password, [email, known?.name ?? '']);
  const passwordHash = await hashPassword(password);
  return database.write(async (transaction) => {
    await getAccount(transaction, accountId);
    const user = await findUserByEmail(transaction, email);
    if (user === undefined || (await findMember(transaction, accountId, user.id)) === undefined) {
      throw new AppError('not_found', `No member of the account signs in as ${email}.`);
    }
    await setPasswordHash(transaction, user.id, passwordHash);
    await removeSessions(transaction, user.id);
    await removeChallenges(transaction, user.id);
    const passkeys = await removePasskeys(transaction, user.id);
    if (given.removeTwoFactor) await removeTwoFactor(transaction, user.id);
    await recordReset(transaction, user, { hasLostTwoFactor: given.removeTwoFactor, hasLostPasskeys: passkeys > 0 });
    return user;
  });
}

/** Records the reset in the audit logs of all the user's accounts, because a new password affects all of them. */
async function recordReset(
  transaction: Executor,
  { id, name }: User,
  { hasLostTwoFactor, hasLostPasskeys }: { hasLostTwoFactor: boolean; hasLostPasskeys: boolean },
): Promise<void> {
  const target = { type: 'administrator', id, name } as const;
  for (const { accountId } of await listMembershipsOf(transaction, id)) {
    await recordAudit(transaction, accountId, OPERATOR, 'administrator.password_changed', target);
    if (hasLostTwoFactor) {
      await recordAudit(transaction, accountId, OPERATOR, 'administrator.two_factor_disabled', target);
    }
    if (hasLostPasskeys) await recordAudit(transaction, accountId, OPERATOR, 'administrator.passkey_removed', target);
  }
}
