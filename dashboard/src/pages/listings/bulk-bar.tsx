import { ActionBar, Button, Menu, Text } from '@mantine/core';
import { CircleDot, Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type ImportReport, type Listing, listingStatusValues } from '../../api/admin';
import { send } from '../../api/client';
import { queryClient, refreshListings } from '../../api/queries';
import { upload } from '../../api/upload';
import { focusPage } from '../../lib/focus';
import { formatChoice, formatCount, formatNumber } from '../../lib/format';
import { attempt, notify, notifyFailure } from '../../lib/notify';
import { ConfirmDialog } from '../../parts/dialogs';
import { deleteListings } from './delete-listing';
import { CSV, exportAll, exportSome } from './export';
import { isFiltered, type ListingSearch, toExportQuery } from './search';
import { Status } from './status';

interface BulkBarProps {
  search: ListingSearch;
  /** The listings that are selected on the current page. */
  selected: Listing[];
  isPageSelected: boolean;
  /** How many listings the search finds. */
  total: number | undefined;
  onClear: () => void;
}

const BUTTON = { size: 'compact-sm', variant: 'subtle', color: 'gray' } as const;

/** The actions for the selected listings, or for all listings that the search finds. */
export function BulkBar({ search, selected, isPageSelected, total = 0, onClear }: BulkBarProps) {
  const [isAll, setAll] = useState(false);
  const [isBusy, setBusy] = useState(false);
  /** The status that all listings found by the search get once the user confirms. */
  const [wanted, setWanted] = useState<Listing['status']>();
  /** Whether all listings found by the search will be deleted once the user confirms. */
  const [isDeleting, setDeleting] = useState(false);
  const count = isAll ? total : selected.length;
  const clear = () => {
    onClear();
    focusPage();
  };
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    await attempt('The listings could not be processed', async () => {
      await work();
      clear();
    });
    setBusy(false);
  };
  const change = (status: Listing['status']) => (isAll ? setWanted(status) : run(() => setStatus(selected, status)));
  const save = () => run(() => (isAll ? exportAll(search, CSV) : exportSome(selected)));
  const removeAll = () => run(async () => deleteListings((await findIds(search)).map((id) => ({ id }))));
  const remove = () => {
    if (isAll) return setDeleting(true);
    deleteListings(selected);
    clear();
  };
  const which = isFiltered(search) ? 'All matching listings' : 'All listings of this account';

  return (
    <>
      <ConfirmDialog
        title={`Set ${formatCount(total, 'listing')} to ${formatChoice(wanted ?? '')}?`}
        action={`Set ${formatCount(total, 'listing')}`}
        subject={wanted}
        onClose={() => setWanted(undefined)}
        onConfirm={(status) => run(() => setStatus(search, status))}
      >
        {() => <Text size="sm">{which} get this status. Their histories keep the previous status.</Text>}
      </ConfirmDialog>
      <ConfirmDialog
        title={`Delete ${formatCount(total, 'listing')}?`}
        action={`Delete ${formatCount(total, 'listing')}`}
        subject={isDeleting || undefined}
        onClose={() => setDeleting(false)}
        onConfirm={removeAll}
      >
        {() => <Text size="sm">{which} are deleted. You can undo this for a few seconds, but not after that.</Text>}
      </ConfirmDialog>
      <ActionBar
        opened
        onClose={clear}
        withinPortal={false}
        position={{ bottom: 16, left: 0, right: 0 }}
        zIndex={150}
        aria-label="Selected listings"
        className="bulk-bar"
      >
        <Text size="sm" fw={600} role="status">
          {formatNumber(count)} selected
        </Text>
        {isPageSelected && !isAll && total > selected.length && (
          <Button size="compact-sm" variant="subtle" disabled={isBusy} onClick={() => setAll(true)}>
            Select all {formatNumber(total)}
            {isFiltered(search) && ' matching'}
          </Button>
        )}
        <ActionBar.Divider />
        <Menu position="top" width={220}>
          <Menu.Target>
            <Button {...BUTTON} c="inherit" loading={isBusy} leftSection={<CircleDot size={15} />}>
              Set status
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {listingStatusValues.map((status) => (
              <Menu.Item key={status} onClick={() => change(status)} aria-label={formatChoice(status)}>
                <Status status={status} />
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button {...BUTTON} c="inherit" disabled={isBusy} leftSection={<Download size={15} />} onClick={save}>
          Export CSV
        </Button>
        <Button
          {...BUTTON}
          c="var(--mantine-color-error)"
          disabled={isBusy}
          leftSection={<Trash2 size={15} />}
          onClick={remove}
        >
          Delete
        </Button>
        <ActionBar.Divider />
        <ActionBar.CloseButton aria-label="Clear selection" />
      </ActionBar>
    </>
  );
}

const NDJSON = 'application/x-ndjson';

/** Changes the status of the given listings, or of all that a search finds, with one import of their ids. */
async function setStatus(listings: Listing[] | ListingSearch, status: Listing['status']): Promise<void> {
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
async function findIds(search: ListingSearch): Promise<string[]> {
  const query = { ...toExportQuery(search), fields: 'id' };
  const response = await send('GET', '/admin/listings', { query, headers: { Accept: NDJSON } });
  const lines = (await response.text()).trimEnd().split('\n');
  const rows: { id?: string; end?: boolean }[] = lines.map((line) => JSON.parse(line));
  if (rows.at(-1)?.end !== true) throw new Error('The list of listings was cut off. Try again.');
  return rows.flatMap(({ id }) => id ?? []);
}
