import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { startSharedService, type Tenant } from '../../../testkit/src/service.ts';
import { deleteListing } from '../../src/domain/listings/listings.ts';
import type { Listing } from '../../src/model/listings.ts';
import { readPages } from '../support/pages.ts';
import { createRandom, SORTS } from '../support/random-listings.ts';
import { type Parameters, search } from '../support/search-model.ts';

const LISTINGS = 30;

const service = await startSharedService();

async function listAll(tenant: Tenant): Promise<Listing[]> {
  return JSON.parse(await (await service.fetch(tenant, '/v1/listings')).text()).data;
}

const idsOf = (listings: readonly { id: string }[]) => listings.map(({ id }) => id);

const LISTS: Parameters[] = [
  {},
  ...SORTS.map((sort) => ({ sort })),
  { near: '10,170', radius: '15000km' },
  { near: '10,170', radius: '15000km', sort: '-distance' },
  { 'city[]': ['Austin', 'Sao-Paulo'], beds: '1,2,3', sort: '-onMarketDate' },
  { 'beds[gte]': '1' },
  { status: 'active,pending,hold,closed', sort: '-livingArea' },
  { q: 'e', sort: 'listPrice' },
  { bbox: '90,-90,-90,90', sort: 'beds' },
];

/** Changes between two pages: the number of new listings, and the positions of deleted ones. */
const changes = fc.record({ created: fc.nat(4), deleted: fc.uniqueArray(fc.nat(LISTINGS - 1), { maxLength: 4 }) });

describe('listings created or deleted between pages do not skip or repeat others', () => {
  for (const parameters of LISTS) {
    test(JSON.stringify(parameters), async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 12 }), comeAndGo),
        { numRuns: 5 },
      );
    });

    async function comeAndGo(rounds: { created: number; deleted: number[] }[], limit: number): Promise<void> {
      const tenant = await service.createTenant();
      await createRandom(service, tenant, LISTINGS, 7);
      const all = await listAll(tenant);
      const gone = new Set<string>();
      let round = 0;
      const between = async () => {
        // In ascending order, new listings are last, and short pages would never reach the end.
        const { created = 0, deleted = [] } = rounds[round] ?? {};
        round += 1;
        await createRandom(service, tenant, created, 1000 + round);
        const ids = deleted.map((index) => String(all[index]?.id)).filter((id) => !gone.has(id));
        await Promise.all(ids.map((id) => deleteListing(service.database, tenant, { id })));
        for (const id of ids) gone.add(id);
      };
      const seen = await readPages(service, tenant, { parameters, limits: [limit], between });
      assert.equal(new Set(seen).size, seen.length, 'no listing is repeated');
      const untouched = idsOf(search(all, parameters)).filter((id) => !gone.has(id));
      const stayed = new Set(untouched);
      const rest = seen.filter((id) => stayed.has(id));
      assert.deepEqual(rest, untouched);
    }
  }

  test('even if the last listing of a page is deleted, or all of its listings', async () => {
    for (const parameters of [{ sort: '-listPrice' }, { sort: 'livingArea' }, { near: '0,0', radius: '20000km' }]) {
      const tenant = await service.createTenant();
      await createRandom(service, tenant, LISTINGS, 8);
      const expected = idsOf(search(await listAll(tenant), parameters));
      let deleted = 0;
      const between = async () => {
        const ids = expected.slice(deleted, deleted + 7);
        await Promise.all(ids.map((id) => deleteListing(service.database, tenant, { id })));
        deleted += 7;
      };
      assert.deepEqual(await readPages(service, tenant, { parameters, limits: [7], between }), expected);
    }
  });
});
