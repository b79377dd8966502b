import { Text, UnstyledButton } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import type { Listing } from '../../api/types';
import { formatArea, formatPrice } from '../../lib/format';
import { Time } from '../../parts/time';
import { RowMenu } from './row-menu';
import { type ListingSearch, withSearch } from './search';
import { Status } from './status';

/** What can be ordered by, and which way comes first. */
const COLUMNS = [
  { field: 'listPrice', label: 'Price', first: '-', className: 'number' },
  { field: 'beds', label: 'Beds', first: '-', className: 'number from-medium' },
  { field: 'baths', label: 'Baths', first: '-', className: 'number from-medium' },
  { field: 'livingArea', label: 'Area', first: '-', className: 'number from-large' },
  { field: 'createdAt', label: 'Added', first: '-', className: 'from-large' },
];

export function ListingTable({ listings, search }: { listings: Listing[]; search: ListingSearch }) {
  return (
    <div className="table-wrap">
      <table className="table" aria-label="Listings">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col" className="from-medium">
              Status
            </th>
            {COLUMNS.map((column) => (
              <SortableHeader key={column.field} {...column} search={search} />
            ))}
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {listings.map((listing) => (
            <ListingRow key={listing.id} listing={listing} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortableHeaderProps {
  field: string;
  label: string;
  first: string;
  className: string;
  search: ListingSearch;
}

const DIRECTIONS: Record<string, 'ascending' | 'descending'> = { '': 'ascending', '-': 'descending' };

function SortableHeader({ field, label, first, className, search }: SortableHeaderProps) {
  const navigate = useNavigate();
  const sort = search.sort ?? '';
  const current = sort.replace('-', '') === field ? sort.replace(field, '') : undefined;
  const next = current === first ? '' : first;
  const DirectionArrow = current === '-' ? ArrowDown : ArrowUp;
  const Arrow = current === undefined ? ArrowUpDown : DirectionArrow;
  return (
    <th scope="col" className={className} aria-sort={current === undefined ? 'none' : DIRECTIONS[current]}>
      <UnstyledButton
        className="sort"
        onClick={() => navigate({ to: '/listings', search: withSearch(search, { sort: next + field }) })}
      >
        {label}
        <Arrow size={13} aria-hidden className={current === undefined ? 'sort-hint' : undefined} />
      </UnstyledButton>
    </th>
  );
}

function ListingRow({ listing }: { listing: Listing }) {
  const { id, address, status, listPrice, currency, beds, baths, livingArea, livingAreaUnits, createdAt } = listing;
  return (
    <tr>
      <td className="wide">
        <Link className="quiet-link two-lines" title={address} to="/listings/$id" params={{ id }}>
          <bdi>{address}</bdi>
        </Link>
        <Text size="xs" c="dimmed" component="div">
          <bdi>{place(listing)}</bdi>
          <span className="until-medium">
            <Status status={status} /> · {beds} bd · {baths} ba
          </span>
        </Text>
      </td>
      <td className="from-medium nowrap">
        <Status status={status} />
      </td>
      <td className="number">{listPrice === undefined ? <None /> : formatPrice(listPrice, currency)}</td>
      <td className="number from-medium">{beds}</td>
      <td className="number from-medium">{baths}</td>
      <td className="number from-large">
        {livingArea === undefined ? <None /> : formatArea(livingArea, livingAreaUnits)}
      </td>
      <td className="from-large nowrap">
        <Time at={createdAt} />
      </td>
      <td className="end">
        <RowMenu listing={listing} />
      </td>
    </tr>
  );
}

function place({ unitNumber, city, stateOrProvince, postalCode }: Listing): string {
  const region = [stateOrProvince, postalCode].filter(Boolean).join(' ');
  return [unitNumber && `Unit ${unitNumber}`, city, region].filter(Boolean).join(', ');
}

function None() {
  return (
    <Text component="span" c="dimmed" size="sm">
      <span aria-hidden>–</span>
      <span className="visually-hidden">not given</span>
    </Text>
  );
}
