import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { House, Plus, SearchX, Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import type { ListingList } from '../../api/admin';
import { ApiError } from '../../api/client';
import { listingsQuery } from '../../api/queries';
import { focusPage } from '../../lib/focus';
import { formatCount } from '../../lib/format';
import { useDeletedIds } from '../../lib/undoable-deletions';
import type { RowSelectionState } from '../../parts/data-table';
import { ButtonLink } from '../../parts/links';
import { LoadedCard } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { BulkBar } from './bulk-bar';
import { ExportMenu } from './export';
import { FilterBar } from './filters';
import { ListingTable } from './listing-table';
import { MapView } from './map-view';
import { PageControls } from './paging';
import { isFiltered, type ListingSearch, toListQuery } from './search';
import { useChanges } from './use-changes';

export function ListingsPage() {
  const search: ListingSearch = useSearch({ from: '/inside/listings' });
  const isMap = search.view === 'map';
  const query = useQuery(listingsQuery(toListQuery(search)));
  const loaded = useLast(query.data);
  const list = useWithoutDeleted(loaded);
  const isStale = query.isPlaceholderData || query.data === undefined;
  useChanges(loaded?.sequence, query.isError);
  const total = list?.total;
  const isRejected = query.error instanceof ApiError && query.error.status === 400;

  return (
    <Page
      title="Listings"
      description={
        total === undefined ? 'All listings of this account.' : <Total total={total} isFiltered={isFiltered(search)} />
      }
      actions={
        <>
          <ExportMenu search={search} />
          <ButtonLink leftSection={<Upload size={16} />} to="/listings/import">
            Import
          </ButtonLink>
          <ButtonLink variant="filled" leftSection={<Plus size={16} />} to="/listings/new">
            New listing
          </ButtonLink>
        </>
      }
    >
      <FilterBar search={search} />
      {isRejected && <InvalidSearch />}
      {!isRejected && isMap && <MapView search={search} />}
      {!isRejected && !isMap && (
        <LoadedCard query={{ ...query, data: list, isPlaceholderData: isStale }} count={12}>
          {(shown) => <Results list={shown} search={search} isStale={isStale} />}
        </LoadedCard>
      )}
    </Page>
  );
}

/** Returns the last list that was loaded, which stays on the page if the next one cannot be loaded. */
function useLast(list: ListingList | undefined): ListingList | undefined {
  const [last, setLast] = useState(list);
  if (list !== undefined && list !== last) setLast(list);
  return list ?? last;
}

/** Hides listings whose deletion is pending, and subtracts them from the total. */
function useWithoutDeleted(list: ListingList | undefined): ListingList | undefined {
  const deleted = useDeletedIds();
  if (list === undefined || deleted.size === 0) return list;
  const data = list.data.filter(({ id }) => !deleted.has(id));
  const { total } = list;
  if (total === undefined) return { ...list, data };
  // If no listing is left here, and at least as many deletions are pending as the search finds listings, the
  // listings on other pages are being deleted, too.
  const isNoneLeft = data.length === 0 && deleted.size >= total;
  return { ...list, data, total: isNoneLeft ? 0 : total - list.data.length + data.length };
}

interface ResultsProps {
  list: ListingList;
  search: ListingSearch;
  /** Whether the list belongs to the previous search, and so its cursor must not be used. */
  isStale: boolean;
}

function Results({ list: { data, nextCursor, total }, search, isStale }: ResultsProps) {
  const [selection, setSelection] = useState<RowSelectionState>({});
  const selected = data.filter(({ id }) => selection[id]);
  const areHidden = useDeletedIds().size > 0;
  const isOnlyPage = nextCursor === null && search.cursor === undefined;
  if (data.length === 0 && (isOnlyPage || total === 0)) return isFiltered(search) ? <NothingFound /> : <NothingYet />;
  if (data.length === 0 && areHidden) return <BeingDeleted />;
  return (
    <>
      <ListingTable listings={data} search={search} selection={selection} onSelect={setSelection} />
      <PageControls search={search} nextCursor={isStale ? null : nextCursor} count={data.length} total={total} />
      {selected.length > 0 && !isStale && (
        <BulkBar
          key={JSON.stringify(search)}
          search={search}
          selected={selected}
          isPageSelected={selected.length === data.length}
          total={total}
          onClear={() => setSelection({})}
        />
      )}
    </>
  );
}

function Total({ total, isFiltered: isPart }: { total: number; isFiltered: boolean }) {
  return (
    <Text size="sm" role="status">
      {formatCount(total, 'listing')}
      {isPart && (total === 1 ? ' matches' : ' match')}
    </Text>
  );
}

function NothingYet() {
  return (
    <EmptyState
      icon={House}
      title="No listings yet"
      action={
        <>
          <ButtonLink to="/listings/import">Import a CSV file</ButtonLink>
          <ButtonLink variant="filled" to="/listings/new">
            Create a listing
          </ButtonLink>
        </>
      }
    >
      Add listings through the API, import a file, or create them here.
    </EmptyState>
  );
}

function NothingFound() {
  const clear = (
    <ButtonLink onClick={() => focusPage()} to="/listings" search={{}}>
      Clear search and filters
    </ButtonLink>
  );
  return (
    <EmptyState icon={SearchX} title="No matching listings" action={clear}>
      Search matches the beginnings of words in the address, unit, city, postal code, external ID, and description, or a
      complete listing ID.
    </EmptyState>
  );
}

function BeingDeleted() {
  return (
    <EmptyState icon={Trash2} title="Deleting the listings on this page">
      The next listings appear once these are deleted.
    </EmptyState>
  );
}

/** Shown if the URL has parameters that the service rejects. */
function InvalidSearch() {
  return (
    <div className="card" role="alert">
      <EmptyState
        icon={SearchX}
        title="This list can’t be shown"
        action={
          <ButtonLink variant="filled" onClick={() => focusPage()} to="/listings" search={{}}>
            Show all listings
          </ButtonLink>
        }
      >
        The URL contains invalid filters. It may be mistyped or incomplete.
      </EmptyState>
    </div>
  );
}
