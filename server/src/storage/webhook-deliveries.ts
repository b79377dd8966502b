import type { Delivery, DeliveryState } from '../model/webhooks.ts';
import { type BatchValues, batchRows, batchStatement, executeBatch } from './batches.ts';
import { type Executor, type Parameter, statement } from './database.ts';
import { columnOf, columnsOf, command, countRows } from './functions.ts';
import { findRow, findSomeRows, hasRows, removeRows, removeSomeRows } from './rows.ts';
import type { Tables } from './schema.ts';

type OfWebhook = { accountId: string; webhookId: string };

const VALUES = [
  ...(['state', 'lastSequence', 'type', 'listingId', 'attempts', 'nextAt'] as const),
  ...(['lastAt', 'status', 'durationMs', 'response', 'error', 'updatedAt'] as const),
] as const;
const MEMBERS = ['sequence', 'epoch', ...VALUES] as const;
const COLUMNS = columnsOf(MEMBERS);

const KEY = ['account_id', 'webhook_id', 'sequence', 'epoch'] as const;
const REPLACED = VALUES.map(columnOf);

const put = batchStatement((length) =>
  statement<BatchValues>((query, parameter) =>
    query
      .insertInto('webhook_deliveries')
      .values(batchRows<Tables['webhook_deliveries']>([...KEY, ...REPLACED], parameter, length))
      .onConflict((conflict) =>
        conflict
          .columns([...KEY])
          .doUpdateSet(({ ref }) => Object.fromEntries(REPLACED.map((name) => [name, ref(`excluded.${name}`)]))),
      ),
  ),
);

export async function putDeliveries(
  executor: Executor,
  accountId: string,
  webhookId: string,
  deliveries: readonly Delivery[],
): Promise<void> {
  const rows = deliveries.map((delivery) => [accountId, webhookId, ...MEMBERS.map((name) => delivery[name])]);
  await executeBatch(executor, put, rows);
}

type Page = OfWebhook & { beforeSequence: number; beforeEpoch: string; limit: number } & Record<
    's0' | 's1' | 's2' | 's3',
    string
  >;

const selectPage = statement<Page, Delivery>((query, parameter) =>
  query
    .selectFrom('webhook_deliveries')
    .select(COLUMNS)
    .where('account_id', '=', parameter('accountId'))
    .where('webhook_id', '=', parameter('webhookId'))
    .where(({ eb, or, and }) =>
      or([
        eb('sequence', '<', parameter('beforeSequence')),
        and([eb('sequence', '=', parameter('beforeSequence')), eb('epoch', '<', parameter('beforeEpoch'))]),
      ]),
    )
    .where('state', 'in', [parameter('s0'), parameter('s1'), parameter('s2'), parameter('s3')] as never)
    .orderBy('sequence', 'desc')
    .orderBy('epoch', 'desc')
    .limit(parameter('limit')),
);

/** The endpoint's deliveries, in up to four states, before a sequence and epoch; the highest sequence first. */
export function findDeliveries(
  executor: Executor,
  accountId: string,
  webhookId: string,
  { sequence, epoch }: Pick<Delivery, 'sequence' | 'epoch'>,
  [s0, s1 = s0, s2 = s0, s3 = s0]: readonly [DeliveryState, ...DeliveryState[]],
  limit: number,
): Promise<Delivery[]> {
  const before = { beforeSequence: sequence, beforeEpoch: epoch };
  return executor.execute(selectPage, { accountId, webhookId, ...before, limit, s0, s1, s2, s3 });
}

export const findDelivery = findRow('webhook_deliveries', ['accountId', 'webhookId', 'sequence', 'epoch'], MEMBERS);

/** The endpoint's first `limit` deliveries in a state. */
export const findFirstDeliveries = findSomeRows(
  'webhook_deliveries',
  ['accountId', 'webhookId', 'state'],
  MEMBERS,
  'sequence',
);

/** Makes the endpoint's pending deliveries due immediately, and starts their retry schedules over. */
export const hurryDeliveries = command(['accountId', 'webhookId'], (query, parameter: Parameter<OfWebhook>) =>
  query
    .updateTable('webhook_deliveries')
    .set({ next_at: null, attempts: 0 })
    .where('account_id', '=', parameter('accountId'))
    .where('webhook_id', '=', parameter('webhookId'))
    .where('state', '=', 'pending'),
);

export const removeDeliveriesAfter = removeRows('webhook_deliveries', [
  'accountId',
  'webhookId',
  'state',
  'sequence >',
]);

type Trim = OfWebhook & { state: DeliveryState; kept: number };

/** Removes an endpoint's deliveries in a state, but keeps at least the latest `kept`. @returns how many it removed */
export const trimDeliveries = countRows(
  ['accountId', 'webhookId', 'state', 'kept'],
  (query, parameter: Parameter<Trim>) =>
    query
      .deleteFrom('webhook_deliveries')
      .where('account_id', '=', parameter('accountId'))
      .where('webhook_id', '=', parameter('webhookId'))
      .where('state', '=', parameter('state'))
      .where('updated_at', '<', ({ selectFrom }) =>
        selectFrom('webhook_deliveries as kept')
          .select('kept.updated_at')
          .where('kept.account_id', '=', parameter('accountId'))
          .where('kept.webhook_id', '=', parameter('webhookId'))
          .where('kept.state', '=', parameter('state'))
          .orderBy('kept.updated_at', 'desc')
          .limit(1)
          .offset(parameter('kept') as never),
      )
      .returning('sequence'),
);

export const removeDeliveries = removeSomeRows('webhook_deliveries', ['accountId', 'webhookId'], ['sequence', 'epoch']);

export const hasOldDelivery = hasRows('webhook_deliveries', ['accountId', 'webhookId', 'state', 'updatedAt <']);

export const removeOldDeliveries = removeSomeRows(
  'webhook_deliveries',
  ['accountId', 'webhookId', 'state', 'updatedAt <'],
  ['sequence', 'epoch'],
  ['updatedAt'],
);
