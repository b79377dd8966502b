import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRandom } from '../../../testkit/src/random.ts';
import { startSharedService } from '../../../testkit/src/service.ts';
import { createListing, deleteListing, updateListing } from '../../src/domain/listings/listings.ts';
import type { Listing, ListingInput } from '../../src/model/listings.ts';
import { randomListing, SORTS, searchParameters } from '../support/random-listings.ts';
import { type Parameters, search, searchAfter, toQuery } from '../support/search-model.ts';

// The account has more listings than a search reads in the order of the list, and each value of a sort column has more
// than one batch of listings.
const LISTINGS = 1_400;
const { MODEL_RUNS = '15', SEARCH_SEED = String(Math.floor(Math.random() * 2 ** 31)) } = process.env;
const PAGE_LENGTHS = [1, 3, 20, 100];
const CHANGES_PER_PAGE = 4;

const random = createRandom(Number(SEARCH_SEED));
const service = await startSharedService();
const tenant = await service.createTenant();
const stored = new Map<string, Listing>();
await Promise.all(inputs(LISTINGS).map((input) => create(input)));

function inputs(count: number) {
  return fc.sample(randomListing, { numRuns: count, seed: random.upTo(2 ** 31) });
}

function keep({ doc }: { doc: string }): void {
  const listing: Listing = JSON.parse(doc);
  stored.set(listing.id, listing);
}

async function create(input: ListingInput): Promise<void> {
  keep((await createListing(service.database, tenant, input)).outcome);
}

/** Creates, replaces, or deletes a listing. */
async function change(): Promise<void> {
  const [input] = inputs(1);
  const { id } = random.pick([...stored.values()]);
  const kind = random.pick(['create', 'update', 'update', 'delete']);
  if (input === undefined) return;
  if (kind === 'create') return create(input);
  if (kind === 'update') return keep((await updateListing(service.database, tenant, { id }, () => input)).outcome);
  stored.delete(id);
  await deleteListing(service.database, tenant, { id });
}

const idsOf = (listings: readonly { id: string }[]) => listings.map(({ id }) => id);

async function list(query: string): Promise<{ data: Listing[]; nextCursor: string | null; total?: number }> {
  const response = await service.fetch(tenant, `/v1/listings${query}`);
  assert.equal(response.status, 200, query);
  return JSON.parse(await response.text());
}

/** Reads a list page by page, and compares each page with the listings at that time. */
async function assertPages(parameters: Parameters, betweenPages: () => Promise<void>): Promise<void> {
  let last: Listing | undefined;
  let cursor: Parameters = {};
  for (let page = 0; ; page += 1) {
    // The first pages have the lengths in `PAGE_LENGTHS`, and the others have random lengths.
    const limit = PAGE_LENGTHS[page] ?? random.pick([20, 100, 100, 101, 500]);
    const query = toQuery({ ...parameters, ...cursor, limit: String(limit) });
    const { data, nextCursor } = await list(query);
    const expected = searchAfter([...stored.values()], parameters, last);
    assert.deepEqual(idsOf(data), idsOf(expected.slice(0, limit)), `page ${page} of ${toQuery(parameters)}`);
    assert.equal(nextCursor !== null, expected.length > limit);
    if (nextCursor === null) return;
    last = data.at(-1);
    cursor = { cursor: nextCursor };
    await betweenPages();
  }
}

const LISTS: Parameters[] = [
  ...SORTS.map((sort) => ({ sort })),
  ...SORTS.map((sort) => ({ sort, status: 'active,hold' })),
  { sort: 'listPrice', 'listPrice[lte]': '450000', city: 'austin' },
  { sort: '-listPrice', listPrice: '450000.5' },
  { sort: '-livingArea', 'livingArea[gt]': '50', q: 'elm' },
  { sort: 'beds', beds: '1,2,4' },
  { sort: 'onMarketDate', 'onMarketDate[gt]': '2026-02-28', 'closeDate[lt]': '2030-01-01' },
  { q: 'e' },
  { q: 's 5', status: 'active,pending,closed' },
  { q: 'elm 5', sort: '-listPrice' },
  { q: 'elm s', 'listPrice[lte]': '450000' },
  { near: '10,170', radius: '15000km' },
  { near: '30.2672,-97.7431', radius: '20015km', q: 'elm' },
  { near: '10,170', radius: '15000km', sort: '-distance' },
  { bbox: '90,-90,-90,90', sort: '-closePrice' },
];

for (const parameters of LISTS) {
  test(`each page of ${toQuery(parameters)} is exact while listings change`, async () => {
    await assertPages(parameters, async () => {
      for (let count = 0; count < CHANGES_PER_PAGE; count += 1) await change();
    });
  });
}

test(`random lists and their pages are exact (SEARCH_SEED=${SEARCH_SEED})`, async () => {
  for (const parameters of fc.sample(searchParameters, { numRuns: Number(MODEL_RUNS), seed: Number(SEARCH_SEED) })) {
    const query = toQuery({ ...parameters, count: 'true' });
    const { data, total } = await list(query);
    const expected = search([...stored.values()], parameters);
    assert.deepEqual([idsOf(data), total], [idsOf(expected), expected.length], query);
    await assertPages(parameters, change);
  }
});
