import { Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Listing } from '../../api/types';
import { formatArea, formatChoice, formatDay, formatPrice } from '../../lib/format';
import { countColumn, timeColumn } from '../../parts/columns';
import { type Column, DataTable, type RowSelectionState, Subline } from '../../parts/data-table';
import { RowMenu } from './row-menu';
import { type ListingSearch, withSearch } from './search';
import { Status } from './status';

const COLUMNS: Column<Listing>[] = [
  { label: 'Address', cell: (listing) => <Address listing={listing} /> },
  {
    label: 'Location',
    width: 206,
    from: 'large',
    cell: ({ city, stateOrProvince, postalCode }) =>
      show([city, [stateOrProvince, postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')),
  },
  { label: 'Status', width: 184, from: 'medium', cell: ({ status }) => <Status status={status} /> },
  {
    label: 'Price',
    width: 112,
    isNumber: true,
    sortBy: 'listPrice',
    from: 'small',
    cell: ({ listPrice, currency }) => showPrice(listPrice, currency),
  },
  countColumn('Beds', 'beds', { width: 70 }),
  countColumn('Baths', 'baths', { width: 76 }),
  {
    label: 'Area',
    width: 110,
    isNumber: true,
    sortBy: 'livingArea',
    from: 'wide',
    cell: ({ livingArea, livingAreaUnits }) => show(livingArea && formatArea(livingArea, livingAreaUnits)),
  },
  timeColumn('Added', 'createdAt', { width: 128, from: 'wide' }),
  { label: 'External ID', width: 150, isOptional: true, cell: ({ externalId }) => show(externalId) },
  {
    label: 'Type',
    width: 160,
    isOptional: true,
    cell: ({ propertyType }) => show(propertyType && formatChoice(propertyType)),
  },
  {
    label: 'Close price',
    width: 130,
    isNumber: true,
    sortBy: 'closePrice',
    isOptional: true,
    cell: ({ closePrice, currency }) => showPrice(closePrice, currency),
  },
  {
    label: 'On market since',
    width: 165,
    sortBy: 'onMarketDate',
    isOptional: true,
    cell: ({ onMarketDate }) => show(onMarketDate && formatDay(onMarketDate)),
  },
  timeColumn('Updated', 'updatedAt', { width: 128, isOptional: true }),
  { label: 'Feed', width: 130, isOptional: true, cell: ({ feed }) => show(feed) },
];

interface ListingTableProps {
  listings: Listing[];
  search: ListingSearch;
  selection: RowSelectionState;
  onSelect: (selection: RowSelectionState) => void;
}

export function ListingTable({ listings, search, selection, onSelect }: ListingTableProps) {
  const navigate = useNavigate();
  return (
    <DataTable
      label="Listings"
      columns={COLUMNS}
      rows={listings}
      nameOf={nameOf}
      sort={search.sort}
      onSort={(sort) => void navigate({ to: '/listings', search: withSearch(search, { sort }) })}
      selection={selection}
      onSelect={onSelect}
      actions={menuOf}
    />
  );
}

const nameOf = ({ address }: Listing) => address;
const menuOf = (listing: Listing) => <RowMenu listing={listing} />;

function Address({ listing: { id, address, unitNumber, city, status, listPrice, currency, beds, baths } }: Cell) {
  return (
    <>
      <Link className="row-link" title={address} to="/listings/$id" params={{ id }}>
        <bdi>{address}</bdi>
      </Link>
      {unitNumber !== undefined && (
        <Text component="span" size="sm" c="dimmed">
          {' · Unit '}
          <bdi>{unitNumber}</bdi>
        </Text>
      )}
      <Subline isNarrow>
        {listPrice !== undefined && `${formatPrice(listPrice, currency)} · `}
        {beds} bd · {baths} ba
        {city !== undefined && (
          <>
            {' · '}
            <bdi>{city}</bdi>
          </>
        )}
        <br />
        <Status status={status} />
      </Subline>
    </>
  );
}

interface Cell {
  listing: Listing;
}

function showPrice(amount: number | undefined, currency: string | undefined) {
  return show(amount && formatPrice(amount, currency));
}

/** Shows a value, or a dash if it is absent. */
function show(text: string | number | undefined) {
  if (text) return <bdi title={String(text)}>{text}</bdi>;
  return (
    <Text component="span" c="dimmed" size="sm">
      <span aria-hidden>–</span>
      <span className="visually-hidden">None</span>
    </Text>
  );
}
