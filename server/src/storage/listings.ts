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

const selectPage = statement<{ accountId: string; beforeId: string; limit: number }, { id: string; doc: string }>(
  (query, parameter) =>
    query
      .selectFrom('listings')
      .select(['id', 'doc'])
      .where('account_id', '=', parameter('accountId'))
      .where('id', '<', parameter('beforeId'))
      .orderBy('id', 'desc')
      .limit(parameter('limit')),
);

/** Sorts after every id. */
const AFTER_EVERY_ID = '~';

/** A run of the account's listings, newest first. */
export interface ListingPage {
  /** Their JSON texts. */
  docs: string[];
  /** The last one's id if more come after it. */
  nextAfterId: string | undefined;
}

/** Up to `limit` listings that come after the one with the id `afterId` in the list, or the newest ones. */
export async function findListingPage(
  session: Session,
  accountId: string,
  afterId: string | undefined,
  limit: number,
): Promise<ListingPage> {
  const beforeId = afterId ?? AFTER_EVERY_ID;
  const rows = await session.execute(selectPage, { accountId, beforeId, limit: limit + 1 });
  const hasMore = rows.length > limit;
  if (hasMore) rows.pop();
  return { docs: rows.map(({ doc }) => doc), nextAfterId: hasMore ? rows.at(-1)?.id : undefined };
}
