import type { Exchange } from '../connection.ts';
import { type Call, sendCall, serializeCall } from '../requests.ts';
import { NO_MATCH, type SearchRow } from './rows.ts';
import type { Side } from './servers.ts';

/** The maximum number of different requests of a row, before the first one repeats. */
const REQUESTS_MAX = 600;
const PAGE = 20;
const JUMP = 1000;
const SHOWN_LENGTH_MAX = 300;

type Page = { data: { id: string }[]; nextCursor: string | null; total?: number };

/** A query, and each server's cursor for the page to request, which is undefined for the first page. */
type Step = { query: string; cursors: readonly (string | undefined)[] };

/**
 * Sends each request of a row once, and compares the responses of all servers. If the row has few queries,
 * the following pages of each are requested too.
 * @param secondsMax ends the preparation of a slow row early
 * @returns the requests for each server
 * @throws if a response is not as expected
 */
export async function prepareRow(
  { name, queries, after = 0 }: SearchRow,
  sides: readonly Side[],
  secondsMax: number,
): Promise<Exchange[][]> {
  const endsAt = performance.now() + secondsMax * 1000;
  const steps: Step[] = [];
  for (const query of queries) steps.push(await skip({ query, cursors: sides.map(() => undefined) }, after, sides));
  const prepared: Exchange[][] = [];
  for (const step of steps) {
    const { exchanges, found, next } = await request(step, PAGE, sides);
    if ((found === 0) !== (name === NO_MATCH)) throw new Error(`${step.query}: found ${found} listings`);
    prepared.push(exchanges);
    // `for … of` also reaches elements that are added during the loop.
    if (next !== undefined) steps.push(next);
    if (prepared.length === REQUESTS_MAX || performance.now() > endsAt) break;
  }
  return sides.map((_, side) => prepared.flatMap((exchanges) => exchanges[side] ?? []));
}

/** Follows the pages of a query until `count` listings are skipped. */
async function skip(step: Step, count: number, sides: readonly Side[]): Promise<Step> {
  if (count === 0) return step;
  const limit = Math.min(count, JUMP);
  const { next } = await request(step, limit, sides);
  if (next === undefined) throw new Error(`${step.query}: there are not ${count} listings to skip`);
  return skip(next, count - limit, sides);
}

/** Requests a page from all servers. @throws if they send different listings */
async function request({ query, cursors }: Step, limit: number, sides: readonly Side[]) {
  const answered = await Promise.all(
    sides.map(async ({ port, key }, side) => {
      const cursor = cursors[side] === undefined ? '' : `&cursor=${cursors[side]}`;
      const call: Call = { method: 'GET', path: `/v1/listings?limit=${limit}${query && '&'}${query}${cursor}`, key };
      const { status, body } = await sendCall(port, call);
      if (status !== 200) throw new Error(`${call.path}: got ${status} with ${body}`);
      const page: Page = JSON.parse(body.toString());
      return { page, exchange: { request: serializeCall(port, call), expected: { status, contains: marksOf(page) } } };
    }),
  );
  const [first, ...others] = answered.map(({ page }) => page);
  for (const other of others) {
    if (essence(other) === essence(first)) continue;
    const [ours, theirs] = [first, other].map((page) => essence(page).slice(0, SHOWN_LENGTH_MAX));
    throw new Error(`${query}: ${ours} … differs from ${theirs} …`);
  }
  const next = answered.map(({ page }) => page.nextCursor);
  return {
    exchanges: answered.map(({ exchange }) => exchange),
    found: first?.data.length ?? 0,
    next: next.every((cursor) => cursor !== null) ? { query, cursors: next } : undefined,
  };
}

/** Returns strings that identify a response: its first and last listing, and the count. */
function marksOf({ data, total }: Page): Buffer[] {
  const ids = [data.at(0), data.at(-1)].map((listing) =>
    listing === undefined ? '"data":[]' : `"id":"${listing.id}"`,
  );
  return [...ids, ...(total === undefined ? [] : [`"total":${total}`])].map((text) => Buffer.from(text));
}

/** Returns the parts of a response in which all servers must agree. */
function essence(page: Page | undefined): string {
  return JSON.stringify([page?.data, page?.nextCursor === null, page?.total]);
}
