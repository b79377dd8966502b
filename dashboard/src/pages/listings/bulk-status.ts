import { send } from '../../api/client';
import { queryClient, refreshListings } from '../../api/queries';
import type { ImportReport, Listing, Status } from '../../api/types';
import { upload } from '../../api/upload';
import { formatChoice, formatCount } from '../../lib/format';
import { notify, notifyFailure } from '../../lib/notify';
import { type ListingSearch, toExportQuery } from './search';

const NDJSON = 'application/x-ndjson';

/** Changes the status of the given listings, or of all that a search finds, with one import of their ids. */
export async function setStatus(listings: Listing[] | ListingSearch, status: Status): Promise<void> {
  const ids = Array.isArray(listings) ? listings.map(({ id }) => id) : await findIds(listings);
  const rows = ids.map((id) => `${JSON.stringify({ id, status })}\n`);
  const file = new File(rows, 'status.ndjson');
  const report = await upload<ImportReport>({ method: 'POST', path: '/admin/imports', file, type: NDJSON });
  const { updated, unchanged, failed, errors } = report;
  await refreshListings();
  await queryClient.invalidateQueries({ queryKey: ['listing'] });
  if (updated + unchanged > 0) {
    notify(`${formatCount(updated + unchanged, 'listing')} set to ${formatChoice(status)}.`);
  }
  if (failed > 0) notifyFailure(`${formatCount(failed, 'listing')} could not be changed`, errors[0]?.message ?? '');
}

/** The ids of all listings that the search finds. */
export async function findIds(search: ListingSearch): Promise<string[]> {
  const query = { ...toExportQuery(search), fields: 'id' };
  const response = await send('GET', '/admin/listings', { query, headers: { Accept: NDJSON } });
  const lines = (await response.text()).trimEnd().split('\n');
  const rows: { id?: string; end?: boolean }[] = lines.map((line) => JSON.parse(line));
  if (rows.at(-1)?.end !== true) throw new Error('The list of listings was cut off. Try again.');
  return rows.flatMap(({ id }) => id ?? []);
}
