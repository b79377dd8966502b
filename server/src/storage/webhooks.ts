import { sql } from 'kysely';
import type { Webhook } from '../model/webhooks.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { allRows, columnsOf, command, countRows, hasRow, rowOf } from './functions.ts';
import { discardRows, findRow, findRows, insertRow, type RowOf } from './rows.ts';

type WebhookKey = { accountId: string; id: string };

/** An endpoint as stored. Unlike in the model, `types` is JSON text, and `enabled` is 0 or 1. */
interface Stored extends Omit<Webhook, 'types' | 'enabled'> {
  types: string | null;
  enabled: number;
}

function toStored({ types, enabled, ...rest }: Webhook): Stored {
  return { ...rest, types: types && JSON.stringify(types), enabled: Number(enabled) };
}

function fromStored<S extends Stored>({ types, enabled, ...rest }: S) {
  return { ...rest, types: types === null ? null : (JSON.parse(types) as Webhook['types']), enabled: enabled === 1 };
}

const STORED = [
  ...(['url', 'types', 'feed', 'description', 'enabled', 'position', 'pending'] as const),
  ...(['failingSince', 'disabledAt', 'oldSecretUntil', 'createdAt', 'updatedAt'] as const),
] as const;
const MEMBERS = ['id', ...STORED] as const;

const insert = insertRow('webhooks', ['accountId', ...MEMBERS, 'secret']);

/** `secret` is stored as given, so encrypt it first. */
export async function insertWebhook(
  executor: Executor,
  accountId: string,
  webhook: Webhook,
  secret: string,
): Promise<void> {
  await insert(executor, { accountId, ...toStored(webhook), secret });
}

const update = statement<Stored & WebhookKey>((query, parameter) =>
  query
    .updateTable('webhooks')
    .set({ ...rowOf(parameter, STORED), owner: null, revision: sql`revision + 1` })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** Stores a change by a user or an API key. The process that sends webhooks then reads the endpoint again. */
export async function updateWebhook(executor: Executor, accountId: string, webhook: Webhook): Promise<void> {
  await executor.execute(update, { accountId, ...toStored(webhook) });
}

const selectOne = findRow('webhooks', ['accountId', 'id'], MEMBERS);

export async function findWebhook(executor: Executor, accountId: string, id: string): Promise<Webhook | undefined> {
  const row = await selectOne(executor, accountId, id);
  return row && fromStored(row);
}

const selectAll = findRows('webhooks', ['accountId'], MEMBERS, 'id');

export async function listWebhooks(executor: Executor, accountId: string): Promise<Webhook[]> {
  return (await selectAll(executor, accountId)).map(fromStored);
}

/** An endpoint's secrets as stored. */
export const findWebhookSecrets = findRow('webhooks', ['accountId', 'id'], ['secret', 'oldSecret']);

export const rollWebhookSecret = command(
  ['accountId', 'id', 'secret'],
  (query, parameter: Parameter<WebhookKey & { secret: string }>) =>
    query
      .updateTable('webhooks')
      .set(({ ref }) => ({ old_secret: ref('secret'), secret: parameter('secret') }))
      .where('account_id', '=', parameter('accountId'))
      .where('id', '=', parameter('id')),
);

export const removeWebhook = discardRows('webhooks', ['accountId', 'id']);

type Claim = Pick<RowOf<'webhooks'>, 'secret' | 'oldSecret' | 'revision'>;

/** An endpoint as read by the process that sends its webhooks. */
export type ClaimedWebhook = Webhook & Claim;

const claim = statement<WebhookKey & { owner: string }, Stored & Claim>((query, parameter) =>
  query
    .updateTable('webhooks')
    .set({ owner: parameter('owner') })
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id'))
    .where('enabled', '=', 1)
    .returning(columnsOf([...MEMBERS, 'secret', 'oldSecret', 'revision'])),
);

/** Makes `owner` the process that sends an endpoint's webhooks, if the endpoint is enabled. */
export async function claimWebhook(
  executor: Executor,
  accountId: string,
  id: string,
  owner: string,
): Promise<ClaimedWebhook | undefined> {
  const [row] = await executor.execute(claim, { accountId, id, owner });
  return row && fromStored(row);
}

/** The changes to an endpoint after events were sent to it. */
export interface Advance extends Pick<Webhook, 'position' | 'pending' | 'failingSince' | 'disabledAt'> {
  /** The change applies only while the endpoint has this position, revision, and owner. */
  from: number;
  revision: number;
  owner: string;
  enabled: number;
}

/**
 * Stores an endpoint's position, its number of pending deliveries, and whether and since when it fails.
 * @returns false, without a change, if a user or an API key has changed the endpoint, another process has claimed
 * it, or its stored position is different, for example after a failover
 */
export const advanceWebhook = hasRow(
  ['accountId', 'id', 'position', 'pending', 'failingSince', 'disabledAt', 'enabled', 'from', 'revision', 'owner'],
  (query, parameter: Parameter<WebhookKey & Advance>) =>
    query
      .updateTable('webhooks')
      .set(rowOf(parameter, ['position', 'pending', 'failingSince', 'disabledAt', 'enabled']))
      .where('account_id', '=', parameter('accountId'))
      .where('id', '=', parameter('id'))
      .where('position', '=', parameter('from'))
      .where('revision', '=', parameter('revision'))
      .where('owner', '=', parameter('owner'))
      .returning('id'),
);

type After = { afterAccount: string; afterId: string; limit: number };

/**
 * The enabled endpoints, in pages, of all accounts that are not suspended, with the sequences of their accounts.
 * `behind` is the minimum number of events after the position.
 */
export const findEnabledWebhooks = allRows(
  ['behind', 'afterAccount', 'afterId', 'limit'],
  (query, parameter: Parameter<After & { behind: number }>) =>
    query
      .selectFrom('webhooks')
      .innerJoin('account_heads', 'account_heads.account_id', 'webhooks.account_id')
      .select([
        'webhooks.account_id as accountId',
        'webhooks.id',
        'webhooks.revision',
        'webhooks.position',
        'webhooks.pending',
        'account_heads.sequence',
      ])
      .where('webhooks.enabled', '=', 1)
      .where('account_heads.suspended_for', 'is', null)
      .where(sql<boolean>`account_heads.sequence - webhooks.position >= ${parameter('behind')}`)
      .where(sql<boolean>`(webhooks.account_id, webhooks.id) > (${parameter('afterAccount')}, ${parameter('afterId')})`)
      .orderBy('webhooks.account_id')
      .orderBy('webhooks.id')
      .limit(parameter('limit')),
);

export const countEnabledWebhooks = countRows([], (query) =>
  query.selectFrom('webhooks').select('id').where('enabled', '=', 1),
);

export const findWebhookKeys = allRows(['afterAccount', 'afterId', 'limit'], (query, parameter: Parameter<After>) =>
  query
    .selectFrom('webhooks')
    .select(['account_id as accountId', 'id'])
    .where(sql<boolean>`(account_id, id) > (${parameter('afterAccount')}, ${parameter('afterId')})`)
    .orderBy('account_id')
    .orderBy('id')
    .limit(parameter('limit')),
);
