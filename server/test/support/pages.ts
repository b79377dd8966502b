import assert from 'node:assert/strict';
import { readList } from '../../../testkit/src/replies.ts';
import type { Tenant, TestService } from '../../../testkit/src/service.ts';
import { type Parameters, toQuery } from './search-model.ts';

interface Paging {
  parameters: Parameters;
  /** The page sizes, in turn. */
  limits: readonly number[];
  /** Runs after each page. */
  between?: () => Promise<void>;
}

/** Reads a list page by page. @returns the IDs of its listings */
export async function readPages(service: TestService, tenant: Tenant, paging: Paging): Promise<string[]> {
  const { parameters, limits, between = async () => {} } = paging;
  const ids: string[] = [];
  let cursor: Parameters = {};
  for (let page = 0; ; page += 1) {
    const limit = limits[page % limits.length] ?? 1;
    const query = toQuery({ ...parameters, ...cursor, limit: String(limit) });
    const response = await service.fetch(tenant, `/v1/listings${query}`);
    const link = response.headers.get('link');
    const { data, nextCursor } = await readList(response);
    ids.push(...data.map(({ id }) => id));
    assert.ok(nextCursor === null ? link === null : link?.includes(`cursor=${nextCursor}`));
    if (nextCursor === null) return ids;
    assert.equal(data.length, limit);
    cursor = { cursor: nextCursor };
    await between();
  }
}
