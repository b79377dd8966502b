import type { z } from 'zod';
import { acceptAsNew, acceptAsUser, getInvitation } from '../../domain/accounts/acceptance.ts';
import { mailInvitation } from '../../domain/accounts/invitation-mail.ts';
import { invite, revokeInvitation } from '../../domain/accounts/invitations.ts';
import { formatTime } from '../../lib/times.ts';
import { AppError } from '../../model/errors.ts';
import type { Invitation } from '../../model/users.ts';
import { listInvitations } from '../../storage/invitations.ts';
import {
  acceptInvitationOperation,
  createInvitationOperation,
  deleteInvitationOperation,
  listInvitationsOperation,
  newInvitation,
  previewInvitationOperation,
} from '../contract/operations/invitations.ts';
import { acceptance, tokenOnly } from '../contract/schemas/identity.ts';
import { invalidFields } from '../contract/schemas/issues.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { limitingAttempts, WRONG_LINK } from '../identity/attempts.ts';
import { findCurrentSession, requireCurrentSession } from '../identity/sessions.ts';
import { clientAddress } from '../protocol/client-address.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readInput } from '../protocol/input.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import type { Services } from '../services.ts';
import { signInNewUser } from './auth.ts';
import { replySession } from './session.ts';

export const invitationEndpoints = [
  endpoint(listInvitationsOperation, async ({ principal: { accountId } }, { services }) => {
    const invitations = await listInvitations(services.database, accountId, Date.now());
    return replyJson(200, JSON.stringify({ data: invitations.map(showInvitation), nextCursor: null }));
  }),
  endpoint(createInvitationOperation, async (exchange, { services }) => {
    const { database, mailer, log, invitationLimit } = services;
    const { accountId, user } = exchange.principal;
    const given = await readInput(exchange, newInvitation);
    await invitationLimit.spend(accountId, given.email);
    const { invitation, accountName, token, mailedToken } = await invite(database, accountId, given, user);
    const base = `${baseOf(exchange, services)}/invitation#token=`;
    const mail = { ...invitation, accountName, url: base + mailedToken };
    const isMailed = await mailInvitation(mailer, mail, (error) =>
      log.logger.error({ err: error }, 'an invitation could not be mailed'),
    );
    return replyJson(201, JSON.stringify({ ...showInvitation(invitation), url: base + token, isMailed }));
  }),
  endpoint(deleteInvitationOperation, async ({ principal }, { parameters: { invitationId = '' }, services }) => {
    await revokeInvitation(services.database, principal.accountId, invitationId, principal.user);
    return { status: 204, headers: {} };
  }),
];

/** The base URL of the link: PUBLIC_URL, or else the address at which the inviter reached the service. */
function baseOf({ incoming }: Exchange, { publicUrl }: Services): string {
  return publicUrl ?? `http://${incoming.headers.host}`;
}

function showInvitation({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation) {
  return { id, email, role, createdAt: formatTime(createdAt), expiresAt: formatTime(expiresAt), invitedBy };
}

/** Public operations: the invitation's token authenticates the request. */
export const acceptanceEndpoints = [
  endpoint(previewInvitationOperation, limitingAttempts(WRONG_LINK, previewInvitation)),
  endpoint(acceptInvitationOperation, limitingAttempts(WRONG_LINK, acceptInvitation)),
];

async function previewInvitation(exchange: Exchange, { services }: Call): Promise<Reply> {
  const { token } = await readInput(exchange, tokenOnly);
  const { accountName, email, role, user } = await getInvitation(services.database, token);
  return replyJson(200, JSON.stringify({ accountName, email, role, hasUser: user !== undefined }));
}

async function acceptInvitation(exchange: Exchange, { services }: Call): Promise<Reply> {
  const given = await readInput(exchange, acceptance);
  const { user } = await getInvitation(services.database, given.token);
  return user === undefined ? joinAsNew(given, exchange, services) : joinAsUser(given.token, exchange, services);
}

async function joinAsNew(
  { token, name, password }: z.output<typeof acceptance>,
  exchange: Exchange,
  services: Services,
): Promise<Reply> {
  if (name === undefined || password === undefined) throw newUserMissing({ name, password });
  const address = clientAddress(exchange.incoming, services.trustedProxies);
  const { id } = await acceptAsNew(services.database, token, { name, password }, address);
  return signInNewUser(id, exchange, services);
}

function newUserMissing(given: Record<string, string | undefined>): AppError {
  const missing = Object.keys(given).filter((field) => given[field] === undefined);
  return invalidFields(missing.map((field) => ({ field, code: 'required', message: 'Is required: a string.' })));
}

async function joinAsUser(token: string, exchange: Exchange, services: Services): Promise<Reply> {
  const { database, trustedProxies } = services;
  const currentSession = await findCurrentSession(exchange, services);
  if (currentSession === undefined) {
    throw new AppError('unauthorized', 'You already have a password here; sign in, then open the invitation again.');
  }
  const address = clientAddress(exchange.incoming, trustedProxies);
  await acceptAsUser(database, token, { sessionId: currentSession.sessionId, user: currentSession.user, address });
  return replySession(await requireCurrentSession(exchange, services), database);
}
