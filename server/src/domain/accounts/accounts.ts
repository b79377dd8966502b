import { isDeepStrictEqual } from 'node:util';
import { createId } from '../../lib/ids.ts';
import { type Account, AREA_UNITS, parseName } from '../../model/accounts.ts';
import type { AuditActor } from '../../model/audit.ts';
import { CURRENCIES } from '../../model/codes.ts';
import { AppError } from '../../model/errors.ts';
import { closeAccount, findAccount, insertAccount, removeAccount, updateAccount } from '../../storage/accounts.ts';
import { removeApiKeys } from '../../storage/api-keys.ts';
import type { Database, Executor } from '../../storage/database.ts';
import { removeEvents } from '../../storage/events.ts';
import { removeHistory } from '../../storage/history.ts';
import { removeIdempotencyRecords } from '../../storage/idempotency-records.ts';
import { removeListings } from '../../storage/listings.ts';
import { listMembers } from '../../storage/memberships.ts';
import { removeLonelyUser } from '../../storage/users.ts';
import { listWebhooks } from '../../storage/webhooks.ts';
import { OPERATOR, recordAudit } from '../access/audit.ts';
import { type Administrator, requireAdministrator } from '../access/roles.ts';
import { removeAllRuns } from '../feeds/feed-purge.ts';
import { removeRequests } from '../requests/request-purge.ts';
import { removeAllDeliveries } from '../webhooks/webhook-purge.ts';

/** Creates an account whose listings default to US dollars and square feet. @throws {AppError} `validation_failed` */
export async function createAccount(database: Database, name: string): Promise<Account> {
  return database.write((transaction) => storeAccount(transaction, name, OPERATOR));
}

export async function storeAccount(transaction: Executor, name: string, actor: AuditActor): Promise<Account> {
  const account: Account = { id: createId('acc'), name: parseName(name), currency: 'USD', areaUnits: 'sqft' };
  const { id } = account;
  await insertAccount(transaction, account, Date.now());
  await recordAudit(transaction, id, actor, 'account.created', { type: 'account', id, name: account.name });
  return account;
}

/** @throws {AppError} `not_found`, with a message for the operator */
export async function getAccount(transaction: Executor, id: string): Promise<Account> {
  const account = await findAccount(transaction, id);
  if (account !== undefined) return account;
  throw new AppError('not_found', `There is no account ${id}; run "accounts list" to see all accounts.`);
}

/** Changes that have not been validated yet. */
export interface AccountChange {
  name?: string | undefined;
  currency?: string | undefined;
  areaUnits?: string | undefined;
}

/**
 * The currency and area units are only defaults for new prices and areas; stored listings keep their own.
 * @throws {AppError} `not_found`, `validation_failed`, or what `requireAdministrator` throws
 */
export function changeAccount(
  database: Database,
  id: string,
  change: AccountChange,
  administrator: Administrator = 'operator',
): Promise<Account> {
  return database.write(async (transaction) => {
    const actor = await requireAdministrator(transaction, id, administrator);
    const current = await getAccount(transaction, id);
    const account: Account = {
      id,
      name: change.name === undefined ? current.name : parseName(change.name),
      currency: change.currency === undefined ? current.currency : parseCurrency(change.currency),
      areaUnits: change.areaUnits === undefined ? current.areaUnits : parseAreaUnits(change.areaUnits),
    };
    if (isDeepStrictEqual(account, current)) return account;
    await updateAccount(transaction, id, account);
    const name = `${current.name}: ${describeChange(current, account)}`;
    await recordAudit(transaction, id, actor, 'account.updated', { type: 'account', id, name });
    return account;
  }, id);
}

function describeChange(before: Account, { name, currency, areaUnits }: Account): string {
  const parts = [
    name !== before.name && `now called ${name}`,
    currency !== before.currency && `prices in ${currency}`,
    areaUnits !== before.areaUnits && `areas in ${areaUnits}`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function parseCurrency(text: string): string {
  if (CURRENCIES.has(text)) return text;
  throw new AppError('validation_failed', `"${text}" is not an ISO 4217 code in uppercase letters, such as EUR.`);
}

function parseAreaUnits(text: string): Account['areaUnits'] {
  const units = AREA_UNITS.find((candidate) => candidate === text);
  if (units !== undefined) return units;
  throw new AppError('validation_failed', `Area units must be ${AREA_UNITS.join(' or ')}, not "${text}".`);
}

/** Rows per transaction. Removing this many delays other writes by a few milliseconds. */
const SLICE_LENGTH = 200;

/**
 * Deletes an account: first its API keys, then its listings, events, histories, and other data in slices, then
 * the account itself and any users who belong to no other account, and finally its logged requests. A second
 * call completes a deletion that was interrupted before the account itself was deleted.
 * @throws {AppError} `not_found`
 */
export async function deleteAccount(database: Database, id: string): Promise<void> {
  await database.write(async (transaction) => {
    await getAccount(transaction, id);
    await removeApiKeys(transaction, id);
  }, id);
  for (const remove of [removeListings, removeEvents, removeHistory, removeIdempotencyRecords, removeAllRuns]) {
    let removed = SLICE_LENGTH;
    while (removed === SLICE_LENGTH)
      removed = await database.write((transaction) => remove(transaction, id, SLICE_LENGTH), id);
  }
  for (const webhook of await listWebhooks(database, id)) await removeAllDeliveries(database, id, webhook.id);
  await database.write(async (transaction) => {
    await closeAccount(transaction, id);
    // Writes whose key was checked before the deletion may have committed in the meantime.
    while ((await removeListings(transaction, id, SLICE_LENGTH)) > 0);
    const members = await listMembers(transaction, id);
    await removeAccount(transaction, id);
    for (const member of members) await removeLonelyUser(transaction, member.id);
  });
  // If the request log is not available, `purgeRequestsOfDeletedAccounts` removes the logged requests later.
  await removeRequests(database.requestLog, id).catch(() => {});
}
