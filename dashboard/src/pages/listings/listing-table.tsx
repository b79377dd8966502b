import { ActionIcon, Menu, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import type { Listing } from '../../api/admin';
import { focusPage } from '../../lib/focus';
import { formatArea, formatChoice, formatDay, formatPrice } from '../../lib/format';
import { countColumn, timeColumn } from '../../parts/columns';
import { type Column, DataTable, type RowSelectionState, Subline } from '../../parts/data-table';
import { deleteListings } from './delete-listing';
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
  priceColumn('Price', 'listPrice', { width: 112, from: 'small' }),
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
  priceColumn('Close price', 'closePrice', { width: 130, isOptional: true }),
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

function Address({ listing }: { listing: Listing }) {
  const { id, address, unitNumber, city, status, listPrice, currency, beds, baths } = listing;
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

function priceColumn(label: string, field: 'listPrice' | 'closePrice', rest: Partial<Column<Listing>>) {
  const cell = ({ [field]: price, currency }: Listing) => show(price && formatPrice(price, currency));
  return { label, isNumber: true, sortBy: field, cell, ...rest };
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

function RowMenu({ listing }: { listing: Listing }) {
  const navigate = useNavigate();
  const button = useRef<HTMLButtonElement>(null);
  const remove = () => {
    const row = button.current?.closest('tr');
    const next = row?.nextElementSibling ?? row?.previousElementSibling;
    deleteListings([listing]);
    // Wait until the row and its menu are gone.
    setTimeout(() => focusPage(next?.querySelector('button')));
  };
  return (
    <Menu position="bottom-end" portalProps={{ target: '#main' }} width={150}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" aria-label={`Actions for ${listing.address}`}>
          <Ellipsis size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Pencil size={15} />}
          onClick={() => navigate({ to: '/listings/$id', params: { id: listing.id }, search: { edit: 'yes' } })}
        >
          Edit
        </Menu.Item>
        <Menu.Item leftSection={<Trash2 size={15} />} c="var(--mantine-color-error)" onClick={remove}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
