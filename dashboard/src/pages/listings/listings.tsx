import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { House, Plus, SearchX, Upload } from 'lucide-react';
import { ApiError } from '../../api/client';
import { listingsQuery } from '../../api/queries';
import type { ListingList } from '../../api/types';
import { focusPage } from '../../lib/focus';
import { formatCount } from '../../lib/format';
import { useDeletions } from '../../lib/undoable-deletions';
import { LoadedCard } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { ExportMenu } from './export';
import { FilterBar } from './filters';
import { ListingTable } from './listing-table';
import { PageControls } from './paging';
import { isFiltered, type ListingSearch, toListQuery } from './search';

export function ListingsPage() {
  const search = useSearch({ from: '/inside/listings' });
  const query = useQuery(listingsQuery(toListQuery(search)));
  const list = useWithoutDeleted(query.data);
  const total = list?.total;

  return (
    <Page
      title="Listings"
      description={
        total === undefined ? 'All listings of this account.' : <Total total={total} isFiltered={isFiltered(search)} />
      }
      actions={
        <>
          <ExportMenu search={search} />
          <Button variant="default" leftSection={<Upload size={16} />} renderRoot={toImport}>
            Import
          </Button>
          <Button leftSection={<Plus size={16} />} renderRoot={toNew}>
            New listing
          </Button>
        </>
      }
    >
      <FilterBar search={search} />
      {query.error instanceof ApiError && query.error.status === 400 ? (
        <div className="card">
          <InvalidSearch />
        </div>
      ) : (
        <LoadedCard query={{ ...query, data: list }} count={8} errorAction={<ClearFilters />}>
          {(shown) => <Results list={shown} search={search} isStale={query.isPlaceholderData} />}
        </LoadedCard>
      )}
    </Page>
  );
}

const toImport = (props: object) => <Link to="/listings/import" {...props} />;
const toNew = (props: object) => <Link to="/listings/new" {...props} />;

/** Hides listings whose deletion is pending. */
function useWithoutDeleted(list: ListingList | undefined): ListingList | undefined {
  const deletions = useDeletions();
  if (list === undefined) return undefined;
  const data = list.data.filter(({ id }) => !deletions.has(id));
  const deletedCount = list.data.length - data.length;
  return { ...list, data, ...(list.total !== undefined && { total: list.total - deletedCount }) };
}

interface ResultsProps {
  list: ListingList;
  search: ListingSearch;
  /** Whether the list belongs to the previous search, whose cursor must not be used. */
  isStale: boolean;
}

function Results({ list: { data, nextCursor, total }, search, isStale }: ResultsProps) {
  if (data.length === 0 && nextCursor === null && search.cursor === undefined) {
    return isFiltered(search) ? <NothingFound /> : <NothingYet />;
  }
  return (
    <>
      <ListingTable listings={data} search={search} />
      <PageControls search={search} nextCursor={isStale ? null : nextCursor} count={data.length} total={total} />
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
          <Button variant="default" renderRoot={toImport}>
            Import a CSV file
          </Button>
          <Button renderRoot={toNew}>Create a listing</Button>
        </>
      }
    >
      Add listings through the API, import a file, or create them here.
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState icon={SearchX} title="No matching listings" action={<ClearFilters />}>
      Search matches the beginnings of words in the address, city, and description.
    </EmptyState>
  );
}

/** The URL has parameters that the service rejects. */
function InvalidSearch() {
  return (
    <div role="alert">
      <EmptyState
        icon={SearchX}
        title="This list can’t be shown"
        action={
          <Button onClick={() => focusPage()} renderRoot={(props) => <Link to="/listings" search={{}} {...props} />}>
            Show all listings
          </Button>
        }
      >
        The URL has filters that don’t exist. It may be mistyped or incomplete.
      </EmptyState>
    </div>
  );
}

function ClearFilters() {
  return (
    <Button
      variant="default"
      onClick={() => focusPage()}
      renderRoot={(props) => <Link to="/listings" search={{}} {...props} />}
    >
      Clear search and filters
    </Button>
  );
}
