import type { Holder } from '../../domain/holders.ts';
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
import { selfOf } from '../identity/self.ts';
import { getNewSession, requireSignedIn, type SignedIn } from '../identity/sessions.ts';
import { addOperation, type Mount } from '../protocol/add-operation.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';
import { replySession } from './session.ts';

/** What somebody who is signed in does with their own person. */
export function addProfile(mount: Mount<Holder | undefined>, services: Services): void {
  const { database } = services;
  const add = (
    operation: Operation<typeof noQuery>,
    handler: (exchange: Exchange, signedIn: SignedIn) => Promise<Reply>,
  ) => addOperation(mount, operation, async (exchange) => handler(exchange, await requireSignedIn(exchange, services)));
  add(changeNameOperation, async (exchange, signedIn) => {
    const given = await readInput(exchange, nameChange);
    const name = await changeName(database, selfOf(signedIn, exchange, services), given.name);
    return replySession({ ...signedIn, user: { ...signedIn.user, name } }, database);
  });
  add(listSessionsOperation, async (_, { sessionId, user }) => {
    const sessions = await listSessions(database, user.id);
    const shown = sessions.map((session) => ({ ...session, isCurrent: session.id === sessionId }));
    return replyJson(200, JSON.stringify(shown));
  });
  add(endSessionOperation, async (exchange, signedIn) => {
    const { id } = await readInput(exchange, sessionOnly);
    await endSession(database, selfOf(signedIn, exchange, services), id);
    return { status: 204, headers: {} };
  });
  add(endOtherSessionsOperation, async (exchange, signedIn) => {
    await endOtherSessions(database, selfOf(signedIn, exchange, services));
    return { status: 204, headers: {} };
  });
  add(changePasswordOperation, (exchange, signedIn) => changePassword(exchange, signedIn, services));
  add(enableTwoFactorOperation, (exchange, signedIn) => enableTwoFactor(exchange, signedIn, services));
  add(disableTwoFactorOperation, (exchange, signedIn) => disableTwoFactor(exchange, signedIn, services));
  add(renewBackupCodesOperation, async (exchange, signedIn) => {
    const { password, code } = await readProof(exchange, signedIn);
    const self = selfOf(signedIn, exchange, services);
    const along: Along[] = [{ when: 'update two_factors', job: (session) => afterCodesRenewed(session, self) }];
    const work: Work<{ backupCodes: string[] }> = (api, headers) =>
      api.generateBackupCodes({ body: { password }, headers, returnHeaders: true });
    const { response } = await prove(exchange, signedIn, services, work, { along, secondFactor: { password, code } });
    return replyJson(200, JSON.stringify({ backupCodes: response.backupCodes }));
  });
}

/** All other sessions end, and this one is replaced. */
async function changePassword(exchange: Exchange, signedIn: SignedIn, services: Services): Promise<Reply> {
  const given = await readInput(exchange, passwordChange);
  const { user, memberships } = signedIn;
  const known = [user.name, user.email, ...memberships.map(({ accountName }) => accountName)];
  parsePassword(given.newPassword, known, 'newPassword');
  const body = { ...given, revokeOtherSessions: true };
  const self = selfOf(signedIn, exchange, services);
  let requireSamePassword = refusePassword;
  const along: Along[] = [
    {
      when: 'update credentials',
      job: async (session) => {
        await afterPasswordChange(session, self);
        requireSamePassword = await notePassword(session, self.userId);
      },
    },
    { when: 'insert sessions', job: async (session) => requireSamePassword(session) },
  ];
  const { headers } = await prove(
    exchange,
    signedIn,
    services,
    (api, given) => api.changePassword({ body, headers: given, returnHeaders: true }),
    { field: 'currentPassword', along },
  );
  const renewed = await getNewSession(headers, services);
  const { membership } = signedIn;
  if (membership !== undefined) {
    const { sessionId } = renewed;
    await services.database.write((session) => setSessionAccount(session, sessionId, membership.accountId));
  }
  return replySession({ ...renewed, membership }, services.database);
}

/** It is on once a code of it was typed. */
async function enableTwoFactor(exchange: Exchange, signedIn: SignedIn, services: Services): Promise<Reply> {
  const { password } = await readInput(exchange, passwordOnly);
  const { response } = await prove(exchange, signedIn, services, (api, headers) =>
    api.enableTwoFactor({ body: { password, method: 'totp' }, headers, returnHeaders: true }),
  );
  if (response.method !== 'totp') throw new Error('better-auth has set up another second factor');
  const { totpURI, backupCodes } = response;
  return replyJson(200, JSON.stringify({ totpURI, backupCodes }));
}

async function disableTwoFactor(exchange: Exchange, signedIn: SignedIn, services: Services): Promise<Reply> {
  const { password, code } = await readProof(exchange, signedIn);
  const self = selfOf(signedIn, exchange, services);
  const along: Along[] = [
    { when: 'update users', job: (session) => afterTwoFactorDisabled(session, self) },
    { when: 'insert sessions', job: (session) => requireSession(session, self) },
  ];
  const { headers } = await prove(
    exchange,
    signedIn,
    services,
    (api, given) => api.disableTwoFactor({ body: { password }, headers: given, returnHeaders: true }),
    signedIn.user.hasTwoFactor ? { along, secondFactor: { password, code } } : {},
  );
  return replySession(await getNewSession(headers, services), services.database);
}
