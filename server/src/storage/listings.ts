import { sql } from 'kysely';
import { type Session, statement } from './database.ts';

/** A listing as it is stored: the JSON text that is served, and what the service looks at without parsing it. */
export interface ListingRow {
  id: string;
  version: number;
  sequence: number;
  doc: string;
}

const insert = statement<ListingRow & { accountId: string }>((query, parameter) =>
  query.insertInto('listings').values({
    account_id: parameter('accountId'),
    id: parameter('id'),
    version: parameter('version'),
    sequence: parameter('sequence'),
    doc: parameter('doc'),
  }),
);

export async function insertListing(session: Session, accountId: string, row: ListingRow): Promise<void> {
  await session.execute(insert, { accountId, ...row });
}

export interface ServedListing {
  version: number;
  doc: string;
}

const selectById = statement<{ accountId: string; id: string }, ServedListing>((query, parameter) =>
  query
    .selectFrom('listings')
    .select(['version', 'doc'])
    .where('account_id', '=', parameter('accountId'))
    .where('id', '=', parameter('id')),
);

/** The account's listing with this id: its JSON text and version. */
export async function findListing(session: Session, accountId: string, id: string): Promise<ServedListing | undefined> {
  const [listing] = await session.execute(selectById, { accountId, id });
  return listing;
}

const selectIdByExternalId = statement<{ accountId: string; externalId: string }, { id: string }>((query, parameter) =>
  query
    .selectFrom('listings')
    .select('id')
    .where('account_id', '=', parameter('accountId'))
    .where('external_id', '=', parameter('externalId')),
);

/** The id of the account's listing with this external id. */
export async function findIdByExternalId(
  session: Session,
  accountId: string,
  externalId: string,
): Promise<string | undefined> {
  const [row] = await session.execute(selectIdByExternalId, { accountId, externalId });
  return row?.id;
}

/** A run of listings, newest first, already joined to the text that is served. */
export interface ListingPage {
  sequence: number;
  epoch: string;
  /** The documents joined by commas; null when there are none. */
  docs: string | null;
  count: number;
  /** The id of the last one; null when there are none. */
  lastId: string | null;
  /** Whether more come after the last one: 0 or 1. */
  hasMore: number;
}

/** Sorts after every id. */
const AFTER_EVERY_ID = '~';

const selectPage = statement<{ accountId: string; beforeId: string; limit: number }, ListingPage>((query, parameter) =>
  query
    .with('page', (cte) =>
      cte
        .selectFrom('listings')
        .select(['id', 'doc'])
        .where('account_id', '=', parameter('accountId'))
        .where('id', '<', parameter('beforeId'))
        .orderBy('id', 'desc')
        .limit(parameter('limit')),
    )
    .with('joined', (cte) =>
      cte
        .selectFrom('page')
        .select([
          sql<string | null>`string_agg(doc, ',' order by id desc)`.as('docs'),
          sql<number>`count(*)`.as('count'),
          sql<string | null>`min(id)`.as('lastId'),
        ]),
    )
    .selectFrom('joined')
    .innerJoin('account_heads', (join) => join.on('account_id', '=', parameter('accountId')))
    .innerJoin('database_info', (join) => join.onTrue())
    .select([
      'sequence',
      'epoch',
      'docs',
      'count',
      'lastId',
      sql<number>`exists (
        select 1 from listings where account_id = ${parameter('accountId')} and id < joined."lastId"
      )`.as('hasMore'),
    ]),
);

/**
 * Up to `limit` listings that come after the one with the id `afterId` in the list, or the newest ones, in one
 * statement with the account's sequence, so that both are of one moment. Undefined when the account is gone.
 */
export async function findListingPage(
  session: Session,
  accountId: string,
  afterId: string | undefined,
  limit: number,
): Promise<ListingPage | undefined> {
  const [page] = await session.execute(selectPage, { accountId, beforeId: afterId ?? AFTER_EVERY_ID, limit });
  return page;
}
