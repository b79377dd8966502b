import { Text, UnstyledButton } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import type { Listing } from '../../api/types';
import { formatArea, formatPrice } from '../../lib/format';
import { actions, type Column, Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { RowMenu } from './row-menu';
import { type ListingSearch, withSearch } from './search';
import { Status } from './status';

interface ListingColumn extends Column<Listing> {
  /** The field to sort by. */
  sortBy?: string;
}

const COLUMNS: ListingColumn[] = [
  { label: 'Address', className: 'wide', cell: (listing) => <Address listing={listing} /> },
  { label: 'Status', className: 'from-medium nowrap', cell: ({ status }) => <Status status={status} /> },
  {
    label: 'Price',
    sortBy: 'listPrice',
    className: 'number',
    cell: ({ listPrice, currency }) => (listPrice === undefined ? <None /> : formatPrice(listPrice, currency)),
  },
  { label: 'Beds', sortBy: 'beds', className: 'number from-medium', cell: ({ beds }) => beds },
  { label: 'Baths', sortBy: 'baths', className: 'number from-medium', cell: ({ baths }) => baths },
  {
    label: 'Area',
    sortBy: 'livingArea',
    className: 'number from-large',
    cell: ({ livingArea, livingAreaUnits }) =>
      livingArea === undefined ? <None /> : formatArea(livingArea, livingAreaUnits),
  },
  {
    label: 'Added',
    sortBy: 'createdAt',
    className: 'from-large nowrap',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  actions((listing) => <RowMenu listing={listing} />),
];

const DIRECTIONS = { '': 'ascending', '-': 'descending' } as const;

export function ListingTable({ listings, search }: { listings: Listing[]; search: ListingSearch }) {
  const [, sign = '', sorted] = /^(-?)(.*)$/.exec(search.sort ?? '') ?? [];
  const columns = COLUMNS.map(({ sortBy, ...column }): Column<Listing> => {
    if (sortBy === undefined) return column;
    const direction = sortBy === sorted ? DIRECTIONS[sign === '-' ? '-' : ''] : 'none';
    return {
      ...column,
      sort: direction,
      header: <SortButton label={column.label} field={sortBy} direction={direction} search={search} />,
    };
  });
  return <Table label="Listings" columns={columns} rows={listings} />;
}

const ARROWS = { ascending: ArrowUp, descending: ArrowDown, none: ArrowUpDown };

interface SortButtonProps {
  label: string;
  field: string;
  direction: keyof typeof ARROWS;
  search: ListingSearch;
}

function SortButton({ label, field, direction, search }: SortButtonProps) {
  const navigate = useNavigate();
  const sort = direction === 'descending' ? field : `-${field}`;
  const Arrow = ARROWS[direction];
  return (
    <UnstyledButton
      className="sort"
      onClick={() => navigate({ to: '/listings', search: withSearch(search, { sort }) })}
    >
      {label}
      <Arrow size={13} aria-hidden className={direction === 'none' ? 'sort-hint' : undefined} />
    </UnstyledButton>
  );
}

function Address({ listing }: { listing: Listing }) {
  const { id, address, unitNumber, city, stateOrProvince, postalCode, status, beds, baths } = listing;
  const region = [stateOrProvince, postalCode].filter(Boolean).join(' ');
  return (
    <>
      <Link className="quiet-link two-lines" title={address} to="/listings/$id" params={{ id }}>
        <bdi>{address}</bdi>
      </Link>
      <Text size="xs" c="dimmed" component="div">
        <bdi>{[unitNumber && `Unit ${unitNumber}`, city, region].filter(Boolean).join(', ')}</bdi>
        <span className="until-medium">
          <Status status={status} /> · {beds} bd · {baths} ba
        </span>
      </Text>
    </>
  );
}

function None() {
  return (
    <Text component="span" c="dimmed" size="sm">
      <span aria-hidden>–</span>
      <span className="visually-hidden">None</span>
    </Text>
  );
}
