import type { Principal } from '../../domain/principals.ts';
import {
  afterCodesRenewed,
  afterPasswordChange,
  afterTwoFactorDisabled,
  changeName,
  endOtherSessions,
  endSession,
  requireSession,
} from '../../domain/profile.ts';
import { notePassword, refusePassword } from '../../domain/sign-in.ts';
import { parsePassword } from '../../model/passwords.ts';
import type { Along } from '../../storage/identity-database.ts';
import { listSessions, setSessionAccount } from '../../storage/sessions.ts';
import type { Operation } from '../contract/operation.ts';
import {
  changeNameOperation,
  changePasswordOperation,
  disableTwoFactorOperation,
  enableTwoFactorOperation,
  endOtherSessionsOperation,
  endSessionOperation,
  listSessionsOperation,
  renewBackupCodesOperation,
} from '../contract/operations/profile.ts';
import { nameChange, passwordChange, passwordOnly, sessionOnly } from '../contract/schemas/identity.ts';
import type { noQuery } from '../contract/schemas/query.ts';
import { prove, readProof, type Work } from '../identity/prove.ts';
import { sessionActorOf } from '../identity/session-actor.ts';
import { type CurrentSession, getNewSession, requireCurrentSession } from '../identity/sessions.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';
import { replySession } from './session.ts';

/** What somebody who is signed in does with their own person. */
export function addProfile(mount: Mount<Principal | undefined>, services: Services): void {
  const { database } = services;
  const add = (
    operation: Operation<typeof noQuery>,
    handler: (exchange: Exchange, currentSession: CurrentSession) => Promise<Reply>,
  ) =>
    addOperation(mount, operation, async (exchange) =>
      handler(exchange, await requireCurrentSession(exchange, services)),
    );
  add(changeNameOperation, async (exchange, currentSession) => {
    const given = await readInput(exchange, nameChange);
    const name = await changeName(database, sessionActorOf(currentSession, exchange, services), given.name);
    return replySession({ ...currentSession, user: { ...currentSession.user, name } }, database);
  });
  add(listSessionsOperation, async (_, { sessionId, user }) => {
    const sessions = await listSessions(database, user.id);
    const shown = sessions.map((session) => ({ ...session, isCurrent: session.id === sessionId }));
    return replyJson(200, JSON.stringify(shown));
  });
  add(endSessionOperation, async (exchange, currentSession) => {
    const { id } = await readInput(exchange, sessionOnly);
    await endSession(database, sessionActorOf(currentSession, exchange, services), id);
    return { status: 204, headers: {} };
  });
  add(endOtherSessionsOperation, async (exchange, currentSession) => {
    await endOtherSessions(database, sessionActorOf(currentSession, exchange, services));
    return { status: 204, headers: {} };
  });
  add(changePasswordOperation, (exchange, currentSession) => changePassword(exchange, currentSession, services));
  add(enableTwoFactorOperation, (exchange, currentSession) => enableTwoFactor(exchange, currentSession, services));
  add(disableTwoFactorOperation, (exchange, currentSession) => disableTwoFactor(exchange, currentSession, services));
  add(renewBackupCodesOperation, async (exchange, currentSession) => {
    const { password, code } = await readProof(exchange, currentSession);
    const sessionActor = sessionActorOf(currentSession, exchange, services);
    const along: Along[] = [
      { when: 'update two_factors', job: (transaction) => afterCodesRenewed(transaction, sessionActor) },
    ];
    const work: Work<{ backupCodes: string[] }> = (api, headers) =>
      api.generateBackupCodes({ body: { password }, headers, returnHeaders: true });
    const { response } = await prove(exchange, currentSession, services, work, {
      along,
      secondFactor: { password, code },
    });
    return replyJson(200, JSON.stringify({ backupCodes: response.backupCodes }));
  });
}

/** All other sessions end, and this one is replaced. */
async function changePassword(exchange: Exchange, currentSession: CurrentSession, services: Services): Promise<Reply> {
  const given = await readInput(exchange, passwordChange);
  const { user, memberships } = currentSession;
  const known = [user.name, user.email, ...memberships.map(({ accountName }) => accountName)];
  parsePassword(given.newPassword, known, 'newPassword');
  const body = { ...given, revokeOtherSessions: true };
  const sessionActor = sessionActorOf(currentSession, exchange, services);
  let requireSamePassword = refusePassword;
  const along: Along[] = [
    {
      when: 'update credentials',
      job: async (transaction) => {
        await afterPasswordChange(transaction, sessionActor);
        requireSamePassword = await notePassword(transaction, sessionActor.userId);
      },
    },
    { when: 'insert sessions', job: async (transaction) => requireSamePassword(transaction) },
  ];
  const { headers } = await prove(
    exchange,
    currentSession,
    services,
    (api, given) => api.changePassword({ body, headers: given, returnHeaders: true }),
    { field: 'currentPassword', along },
  );
  const renewed = await getNewSession(headers, services);
  const { membership } = currentSession;
  if (membership !== undefined) {
    const { sessionId } = renewed;
    await services.database.write((transaction) => setSessionAccount(transaction, sessionId, membership.accountId));
  }
  return replySession({ ...renewed, membership }, services.database);
}

/** It is on once a code of it was typed. */
async function enableTwoFactor(exchange: Exchange, currentSession: CurrentSession, services: Services): Promise<Reply> {
  const { password } = await readInput(exchange, passwordOnly);
  const { response } = await prove(exchange, currentSession, services, (api, headers) =>
    api.enableTwoFactor({ body: { password, method: 'totp' }, headers, returnHeaders: true }),
  );
  if (response.method !== 'totp') throw new Error('better-auth has set up another second factor');
  const { totpURI, backupCodes } = response;
  return replyJson(200, JSON.stringify({ totpURI, backupCodes }));
}

async function disableTwoFactor(
  exchange: Exchange,
  currentSession: CurrentSession,
  services: Services,
): Promise<Reply> {
  const { password, code } = await readProof(exchange, currentSession);
  const sessionActor = sessionActorOf(currentSession, exchange, services);
  const along: Along[] = [
    { when: 'update users', job: (transaction) => afterTwoFactorDisabled(transaction, sessionActor) },
    { when: 'insert sessions', job: (transaction) => requireSession(transaction, sessionActor) },
  ];
  const { headers } = await prove(
    exchange,
    currentSession,
    services,
    (api, given) => api.disableTwoFactor({ body: { password }, headers: given, returnHeaders: true }),
    currentSession.user.hasTwoFactor ? { along, secondFactor: { password, code } } : {},
  );
  return replySession(await getNewSession(headers, services), services.database);
}
