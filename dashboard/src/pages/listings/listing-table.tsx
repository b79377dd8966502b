import { Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Listing } from '../../api/types';
import { formatArea, formatChoice, formatDay, formatPrice } from '../../lib/format';
import { type DataColumn, DataTable, type RowSelectionState } from '../../parts/data-table';
import { Time } from '../../parts/time';
import { RowMenu } from './row-menu';
import { type ListingSearch, withSearch } from './search';
import { Status } from './status';

const COLUMNS: DataColumn<Listing>[] = [
  { id: 'address', label: 'Address', cell: (listing) => <Address listing={listing} /> },
  {
    id: 'location',
    label: 'Location',
    width: 206,
    from: 'large',
    cell: ({ city, stateOrProvince, postalCode }) =>
      show([city, [stateOrProvince, postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')),
  },
  { id: 'status', label: 'Status', width: 184, from: 'medium', cell: ({ status }) => <Status status={status} /> },
  {
    id: 'price',
    label: 'Price',
    width: 112,
    isNumber: true,
    sortBy: 'listPrice',
    from: 'small',
    cell: ({ listPrice, currency }) => showPrice(listPrice, currency),
  },
  { id: 'beds', label: 'Beds', width: 70, isNumber: true, sortBy: 'beds', from: 'medium', cell: ({ beds }) => beds },
  {
    id: 'baths',
    label: 'Baths',
    width: 76,
    isNumber: true,
    sortBy: 'baths',
    from: 'medium',
    cell: ({ baths }) => baths,
  },
  {
    id: 'area',
    label: 'Area',
    width: 110,
    isNumber: true,
    sortBy: 'livingArea',
    from: 'wide',
    cell: ({ livingArea, livingAreaUnits }) => show(livingArea && formatArea(livingArea, livingAreaUnits)),
  },
  {
    id: 'added',
    label: 'Added',
    width: 128,
    sortBy: 'createdAt',
    from: 'wide',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  { id: 'externalId', label: 'External ID', width: 150, isOptional: true, cell: ({ externalId }) => show(externalId) },
  {
    id: 'propertyType',
    label: 'Type',
    width: 160,
    isOptional: true,
    cell: ({ propertyType }) => show(propertyType && formatChoice(propertyType)),
  },
  {
    id: 'closePrice',
    label: 'Close price',
    width: 130,
    isNumber: true,
    sortBy: 'closePrice',
    isOptional: true,
    cell: ({ closePrice, currency }) => showPrice(closePrice, currency),
  },
  {
    id: 'onMarketDate',
    label: 'On market since',
    width: 165,
    sortBy: 'onMarketDate',
    isOptional: true,
    cell: ({ onMarketDate }) => show(onMarketDate && formatDay(onMarketDate)),
  },
  {
    id: 'updated',
    label: 'Changed',
    width: 128,
    sortBy: 'updatedAt',
    isOptional: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
  { id: 'feed', label: 'Feed', width: 130, isOptional: true, cell: ({ feed }) => show(feed) },
];

interface ListingTableProps {
  listings: Listing[];
  search: ListingSearch;
  selection: RowSelectionState;
  onSelect: (selection: RowSelectionState) => void;
}

export function ListingTable({ listings, search, selection, onSelect }: ListingTableProps) {
  const navigate = useNavigate();
  const open = useCallback(({ id }: Listing) => void navigate({ to: '/listings/$id', params: { id } }), [navigate]);
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
      onOpen={open}
      actions={menuOf}
    />
  );
}

const nameOf = ({ address }: Listing) => address;
const menuOf = (listing: Listing) => <RowMenu listing={listing} />;

function Address({ listing: { id, address, unitNumber, city, status, listPrice, currency, beds, baths } }: Cell) {
  return (
    <>
      <Link className="quiet-link" title={address} to="/listings/$id" params={{ id }}>
        <bdi>{address}</bdi>
      </Link>
      {unitNumber !== undefined && (
        <Text component="span" size="sm" c="dimmed">
          {' · Unit '}
          <bdi>{unitNumber}</bdi>
        </Text>
      )}
      <Text size="xs" c="dimmed" component="div" className="below">
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
      </Text>
    </>
  );
}

interface Cell {
  listing: Listing;
}

function showPrice(amount: number | undefined, currency: string | undefined) {
  return show(amount && formatPrice(amount, currency));
}

/** A text that may be absent. */
function show(text: string | number | undefined) {
  if (text) return <bdi title={String(text)}>{text}</bdi>;
  return (
    <Text component="span" c="dimmed" size="sm">
      <span aria-hidden>–</span>
      <span className="visually-hidden">None</span>
    </Text>
  );
}
