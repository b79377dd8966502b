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

/** All listings of the account, a page at a time; finding, ordering and paging are the service's. */
export function ListingsPage() {
  const search = useSearch({ from: '/inside/listings' });
  const query = useQuery(listingsQuery(toListQuery(search)));
  const list = useWithoutDeleted(query.data);
  const total = list?.total;

  return (
    <Page
      title="Listings"
      description={total === undefined ? 'Your properties.' : <Total total={total} isFiltered={isFiltered(search)} />}
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
          <NotUnderstood />
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

/** What is about to be deleted is gone already for whoever looks. */
function useWithoutDeleted(list: ListingList | undefined): ListingList | undefined {
  const deletions = useDeletions();
  if (list === undefined) return undefined;
  const data = list.data.filter(({ id }) => !deletions.has(id));
  const goneCount = list.data.length - data.length;
  return { ...list, data, ...(list.total !== undefined && { total: list.total - goneCount }) };
}

interface ResultsProps {
  list: ListingList;
  search: ListingSearch;
  /** Whether the list is still the one of another search: its cursor is of no use in this one. */
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
      icon={<House size={22} />}
      title="No listings yet"
      action={
        <>
          <Button variant="default" renderRoot={toImport}>
            Import a CSV file
          </Button>
          <Button renderRoot={toNew}>Create the first one</Button>
        </>
      }
    >
      They come from your programs over the API, from a file, or from here.
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState icon={<SearchX size={22} />} title="No listing matches" action={<ClearFilters />}>
      Each word must begin a word of the address, the city or the description.
    </EmptyState>
  );
}

/** The page itself asks for nothing like that: the address was made elsewhere, or long ago. */
function NotUnderstood() {
  return (
    <div role="alert">
      <EmptyState
        icon={<SearchX size={22} />}
        title="This list cannot be shown"
        action={
          <Button onClick={() => focusPage()} renderRoot={(props) => <Link to="/listings" search={{}} {...props} />}>
            Show all listings
          </Button>
        }
      >
        The address of this page asks for something that there is not. Perhaps it was mistyped, or cut short.
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
