import { ActionIcon, Button, Group, Pill, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type LucideIcon, Map as MapIcon, Rows3, Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { formatChoice, formatDay, formatNumber } from '../../lib/format';
import { FilterPanel } from './filter-panel';
import { FILTERS, type Filter, type ListingSearch, NO_FILTERS, SEARCH_LENGTH_MAX, withSearch } from './search';
import { SavedViews } from './views';

const VIEWS = [
  { value: 'table', label: <IconLabel icon={Rows3}>Table</IconLabel> },
  { value: 'map', label: <IconLabel icon={MapIcon}>Map</IconLabel> },
];
/** The search starts when the user has not typed for this long. */
const TYPING_MS = 300;

export function FilterBar({ search }: { search: ListingSearch }) {
  const navigate = useNavigate();
  const apply = (changes: ListingSearch, replace = false) =>
    void navigate({ to: '/listings', search: withSearch(search, changes), replace });
  const active = FILTERS.filter(({ name }) => search[name] !== undefined);
  const button = useRef<HTMLButtonElement>(null);
  // Move the focus to the filter button, because the button that was pressed disappears.
  const remove = (changes: ListingSearch) => {
    apply(changes);
    button.current?.focus();
  };

  return (
    <Stack gap="xs" mb="md">
      <Group gap="xs">
        <SearchField q={search.q ?? ''} onChange={(q) => apply({ q }, true)} />
        <SavedViews search={search} />
        <SegmentedControl
          aria-label="View"
          data={VIEWS}
          value={search.view === 'map' ? 'map' : 'table'}
          onChange={(view) => apply({ view: view === 'map' ? view : undefined, area: undefined })}
        />
        <FilterPanel search={search} onApply={apply} count={active.length} buttonRef={button} />
      </Group>
      {active.length > 0 && (
        <Group gap={6}>
          {active.map((filter) => (
            <Pill
              key={filter.name}
              withRemoveButton
              size="md"
              onRemove={() => remove({ [filter.name]: undefined })}
              removeButtonProps={{ 'aria-label': `Remove ${filter.label}`, tabIndex: 0, 'aria-hidden': false }}
            >
              {filter.label}: <bdi>{describe(filter, search[filter.name] ?? '')}</bdi>
            </Pill>
          ))}
          <Button size="compact-xs" variant="subtle" color="gray" c="dimmed" onClick={() => remove(NO_FILTERS)}>
            Clear all
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function IconLabel({ icon: Icon, children }: { icon: LucideIcon; children: string }) {
  return (
    <>
      <Icon size={16} aria-hidden display="block" />
      <span className="visually-hidden">{children}</span>
    </>
  );
}

function describe({ name, kind }: Filter, value: string): string {
  switch (kind) {
    case 'choice':
      return value.split(',').map(formatChoice).join(', ');
    case 'number':
      // Do not add a thousands separator to a year.
      return Number.isNaN(Number(value)) || name.startsWith('year') ? value : formatNumber(Number(value));
    case 'date':
      return Number.isNaN(Date.parse(value)) ? value : formatDay(value);
    default:
      return value;
  }
}

function SearchField({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const send = useDebouncedCallback((words: string) => {
    sent.current = words;
    onChange(words);
  }, TYPING_MS);
  // Shows the search of the URL after the back button or "Clear" is used, but an earlier search must not
  // replace what the user has typed since.
  useEffect(() => {
    if (q !== sent.current) setTyped(q);
    sent.current = q;
  }, [q]);
  const change = (value: string) => {
    setTyped(value);
    // Without a letter or digit, there is nothing to search for.
    send(/[\p{L}\p{N}]/u.test(value) ? value.trim() : '');
  };
  return (
    <TextInput
      flex="1 1 220px"
      type="search"
      aria-label="Search listings"
      placeholder="Search address, city, postal code, or ID"
      leftSection={<Search size={16} aria-hidden />}
      rightSection={
        typed !== '' && (
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Clear search" onClick={() => change('')}>
            <X size={15} />
          </ActionIcon>
        )
      }
      maxLength={SEARCH_LENGTH_MAX}
      value={typed}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
