import {
  afterPasswordChange,
  afterTwoFactorDisabled,
  changeName,
  endOtherSessions,
  endSession,
  recordSecurityChange,
  requireSession,
} from '../../domain/accounts/profile.ts';
import { notePassword, rejectPassword } from '../../domain/accounts/sign-in.ts';
import { parsePassword } from '../../model/passwords.ts';
import type { Along } from '../../storage/identity-database.ts';
import { listSessions, setSessionAccount } from '../../storage/sessions.ts';
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
import { type Call, endpoint } from '../endpoint.ts';
import { readPasswordAndCode, reauthenticate, requireVerifiedCode, type Work } from '../identity/reauthenticate.ts';
import { getNewSession, sessionActorOf, type UserExchange } from '../identity/sessions.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import { replySession } from './session.ts';

export const profileEndpoints = [
  endpoint(changeNameOperation, async (exchange, { services }) => {
    const { currentSession } = exchange;
    const given = await readInput(exchange, nameChange);
    const name = await changeName(services.database, sessionActorOf(currentSession, exchange, services), given.name);
    return replySession({ ...currentSession, user: { ...currentSession.user, name } }, services.database);
  }),
  endpoint(listSessionsOperation, async ({ currentSession: { sessionId, user } }, { services }) => {
    const sessions = await listSessions(services.database, user.id);
    const shown = sessions.map((session) => ({ ...session, isCurrent: session.id === sessionId }));
    return replyJson(200, JSON.stringify(shown));
  }),
  endpoint(endSessionOperation, async (exchange, { services }) => {
    const { id } = await readInput(exchange, sessionOnly);
    await endSession(services.database, sessionActorOf(exchange.currentSession, exchange, services), id);
    return { status: 204, headers: {} };
  }),
  endpoint(endOtherSessionsOperation, async (exchange, { services }) => {
    await endOtherSessions(services.database, sessionActorOf(exchange.currentSession, exchange, services));
    return { status: 204, headers: {} };
  }),
  endpoint(changePasswordOperation, changePassword),
  endpoint(enableTwoFactorOperation, enableTwoFactor),
  endpoint(disableTwoFactorOperation, disableTwoFactor),
  endpoint(renewBackupCodesOperation, async (exchange, { services }) => {
    const secondFactor = await readPasswordAndCode(exchange);
    const { password } = secondFactor;
    const sessionActor = sessionActorOf(exchange.currentSession, exchange, services);
    const along: Along[] = [
      {
        when: 'update two_factors',
        job: async (transaction) => {
          await requireVerifiedCode(transaction, sessionActor.userId, secondFactor);
          await recordSecurityChange(transaction, sessionActor, 'administrator.recovery_codes_renewed');
        },
      },
    ];
    const work: Work<{ backupCodes: string[] }> = (api, headers) =>
      api.generateBackupCodes({ body: { password }, headers, returnHeaders: true });
    const { response } = await reauthenticate(exchange, services, work, { along, secondFactor });
    return replyJson(200, JSON.stringify({ backupCodes: response.backupCodes }));
  }),
];

/** Changes the password, ends all other sessions, and replaces the session of the request. */
async function changePassword(exchange: UserExchange, { services }: Call): Promise<Reply> {
  const { currentSession } = exchange;
  const given = await readInput(exchange, passwordChange);
  const { user, memberships } = currentSession;
  const known = [user.name, user.email, ...memberships.map(({ accountName }) => accountName)];
  parsePassword(given.newPassword, known, 'newPassword');
  const body = { ...given, revokeOtherSessions: true };
  const sessionActor = sessionActorOf(currentSession, exchange, services);
  let requireSamePassword = rejectPassword;
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
  const { headers } = await reauthenticate(
    exchange,
    services,
    (api, given) => api.changePassword({ body, headers: given, returnHeaders: true }),
    { field: 'currentPassword', along },
  );
  const renewed = await getNewSession(headers, services);
  const { membership } = currentSession;
  if (membership !== undefined) {
    const { sessionId } = renewed;
    await services.database.write((transaction) =>
      setSessionAccount(transaction, sessionId, { accountId: membership.accountId }),
    );
  }
  return replySession({ ...renewed, membership }, services.database);
}

/** Prepares a second factor, which turns on once the user has entered a code. */
async function enableTwoFactor(exchange: UserExchange, { services }: Call): Promise<Reply> {
  const { password } = await readInput(exchange, passwordOnly);
  const { response } = await reauthenticate(exchange, services, (api, headers) =>
    api.enableTwoFactor({ body: { password, method: 'totp' }, headers, returnHeaders: true }),
  );
  if (response.method !== 'totp') throw new Error('better-auth has set up a second factor that is not TOTP');
  const { totpURI, backupCodes } = response;
  return replyJson(200, JSON.stringify({ totpURI, backupCodes }));
}

async function disableTwoFactor(exchange: UserExchange, { services }: Call): Promise<Reply> {
  const secondFactor = await readPasswordAndCode(exchange);
  const { password } = secondFactor;
  const sessionActor = sessionActorOf(exchange.currentSession, exchange, services);
  const along: Along[] = [
    {
      when: 'update users',
      job: async (transaction) => {
        await requireVerifiedCode(transaction, sessionActor.userId, secondFactor);
        await afterTwoFactorDisabled(transaction, sessionActor);
      },
    },
    { when: 'insert sessions', job: (transaction) => requireSession(transaction, sessionActor) },
  ];
  const { headers } = await reauthenticate(
    exchange,
    services,
    (api, given) => api.disableTwoFactor({ body: { password }, headers: given, returnHeaders: true }),
    { along, secondFactor },
  );
  return replySession(await getNewSession(headers, services), services.database);
}
