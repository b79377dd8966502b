import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { TestDatabase } from './database.ts';
import { PatientCaller } from './patient-caller.ts';
import type { Tenant } from './service.ts';

/** The expected state of a listing, which only one lane changes. */
export interface Known {
  address: string;
  /** Every change sets a different price. */
  listPrice: number;
  version: number;
  externalId?: string;
  /** Missing for imported listings, because an import's report does not contain IDs. */
  id?: string;
  /** Whether the listing belongs to the feed of its lane. */
  isFed?: boolean;
}

type Listing = Record<string, unknown> & { id: string; version: number };

/** The outcomes of a load so far. */
export interface Ledger {
  /** Acknowledged listings by address. They must exist. */
  known: Map<string, Known>;
  /** Addresses that must not exist: those of deleted listings and of rejected creates. */
  gone: Set<string>;
  /** The listings of requests with an unknown outcome and no Idempotency-Key. A request stores all of them or none. */
  unknown: Known[][];
  /** How often each outcome occurred, by the names that `PatientCaller` lists. */
  counts: Map<string, number>;
  /** The listings, by ID, as the events up to `sequence` describe them. */
  replayed: { sequence: number; listings: Map<string, Listing> };
}

export function createLedger(): Ledger {
  return {
    known: new Map(),
    gone: new Set(),
    unknown: [],
    counts: new Map(),
    replayed: { sequence: 0, listings: new Map() },
  };
}

/** Checks a database file, which `what` names. @throws AssertionError if SQLite finds damage */
export async function assertSound({ sql }: Pick<TestDatabase, 'sql'>, what: string): Promise<void> {
  const [row] = await sql('pragma integrity_check');
  assert.equal(row?.integrity_check, 'ok', `${what} is damaged`);
}

/** @throws AssertionError unless a listing is in its known state */
export function assertIs(listing: Record<string, unknown> | undefined, known: Known | undefined): void {
  const [is, was] = [describe(listing), describe(known)];
  assert.ok(is === was, `a listing is ${is}; acknowledged was ${was}`);
}

/** Depends on the price, and has up to 3,919 characters, so that it reveals partial changes. */
export function descriptionOf(listPrice: number): string {
  return 'Bright rooms. '.repeat(1 + ((listPrice * 37) % 280)).trimEnd();
}

function describe(listing: Record<string, unknown> | Known | undefined): string {
  if (listing === undefined) return 'missing';
  const { address, version, listPrice } = listing;
  return `${address}, version ${version}, ${listPrice} USD`;
}

/**
 * Checks that an account matches its ledger, and that its events lead to this state without gaps or
 * duplicates. The load must be paused. Only events since the last check are read.
 */
export async function assertKept(
  url: string,
  { accountId, key }: Pick<Tenant, 'accountId' | 'key'>,
  { sql, accountKey }: Pick<TestDatabase, 'sql' | 'accountKey'>,
  ledger: Ledger,
): Promise<void> {
  const caller = new PatientCaller([url], key, new Map());
  const lines = await caller.list();
  assert.ok(lines !== undefined, 'the list is unavailable');
  const listings: Listing[] = lines.map((line) => JSON.parse(line));
  assertNone(compare(listings, ledger));

  await replayEvents(caller, ledger);
  const { sequence, listings: replayed } = ledger.replayed;
  const different = listings.filter((listing) => !isDeepStrictEqual(listing, replayed.get(listing.id)));
  const tellsMore = [...replayed.keys()].slice(listings.length);
  assertNone({ 'differ from their events': different.map(({ id }) => id), 'are only in events': tellsMore });

  const [head] = await sql('select sequence, listing_count from account_heads where account_id = ?', accountId);
  const counted = { sequence, listing_count: listings.length };
  assert.deepEqual({ ...head }, counted, 'the account’s counts differ from its events');
  const [events] = await sql('select count(*) as count from events where account_id = ?', accountId);
  assert.equal(Number(events?.count), sequence, 'events are missing');
  const [facets] = await sql(
    `select count(*) as count from listing_facets where account_id = ${accountKey}`,
    accountId,
  );
  assert.equal(Number(facets?.count), listings.length, 'the search columns have a different number of listings');
  const feeds = JSON.parse((await caller.send({ method: 'GET', path: '/feeds' })).text).data;
  const fedCount = feeds.reduce((sum: number, feed: { listings: number }) => sum + feed.listings, 0);
  const fed = listings.filter(({ feed }) => feed !== undefined).length;
  const knownFed = [...ledger.known.values()].filter(({ isFed }) => isFed).length;
  assert.deepEqual([fedCount, fed], [knownFed, knownFed], 'feeds have other listings');
  const { text } = await caller.send({ method: 'GET', path: '/listings?q=lane&count=true&limit=1' });
  assert.equal(JSON.parse(text).total, listings.length, 'a search finds a different number of listings');
}

/** Finds the listings that differ from the ledger, by kind of difference. */
function compare(listings: readonly Listing[], { known, gone, unknown }: Ledger): Record<string, string[]> {
  const stored = new Map(listings.map((listing) => [String(listing.address), listing]));
  const addresses = [...stored.keys()];
  const isStoredAs = (each: Known) => {
    const found = stored.get(each.address);
    const isWhole = found?.description === descriptionOf(each.listPrice);
    return isWhole && found.version === each.version && found.listPrice === each.listPrice;
  };
  const acknowledged = [...known.values()];
  const uncertain = new Set(unknown.flat().map(({ address }) => address));
  const torn = unknown.filter((group) => {
    const isAbsent = group.every(({ address }) => !stored.has(address));
    return !isAbsent && !group.every(isStoredAs);
  });
  return {
    'were acknowledged and are missing': acknowledged.map(({ address }) => address).filter((each) => !stored.has(each)),
    'were acknowledged but differ': acknowledged
      .filter((each) => stored.has(each.address) && !isStoredAs(each))
      .map(({ address }) => address),
    'were rejected or deleted but exist': addresses.filter((each) => gone.has(each)),
    'exist twice': listings.length === stored.size ? [] : findDoubles(listings),
    'are stored partially': torn.map((group) => group.map(({ address }) => address).join(' + ')),
    'were never sent': addresses.filter((each) => !known.has(each) && !uncertain.has(each) && !gone.has(each)),
  };
}

function findDoubles(listings: readonly Listing[]): string[] {
  const seen = new Set<unknown>();
  return listings.filter(({ address }) => seen.size === seen.add(address).size).map(({ address }) => String(address));
}

const NAMED_MAX = 3;

function assertNone(faults: Record<string, string[]>): void {
  const found = Object.entries(faults).filter(([, which]) => which.length > 0);
  const words = found.map(([what, which]) => `${which.length} ${what} (${which.slice(0, NAMED_MAX).join(', ')})`);
  if (words.length > 0) assert.fail(`of the listings ${words.join('; ')}`);
}

/** Replays the events that follow those in the ledger. */
async function replayEvents(caller: PatientCaller, { replayed }: Ledger): Promise<void> {
  for (;;) {
    const path = `/events?after=${replayed.sequence}&limit=1000`;
    const { data } = JSON.parse((await caller.send({ method: 'GET', path })).text);
    if (data.length === 0) return;
    for (const event of data) {
      const { sequence, type, listingId, listing } = event;
      replayed.sequence += 1;
      const before = replayed.sequence - 1;
      assert.ok(sequence === replayed.sequence, `the event after ${before} has the sequence ${sequence}`);
      const version = replayed.listings.get(listingId)?.version;
      assert.equal(
        version === undefined,
        type === 'listing.created',
        `event ${sequence} (${type}) does not match the listing`,
      );
      if (type === 'listing.deleted') replayed.listings.delete(listingId);
      else replayed.listings.set(listingId, listing);
      if (type !== 'listing.deleted')
        assert.equal(listing.version, (version ?? 0) + 1, `event ${sequence} has the wrong version`);
    }
  }
}
