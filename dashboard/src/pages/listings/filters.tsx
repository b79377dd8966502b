import { ActionIcon, Button, Checkbox, Group, Pill, Popover, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { ListFilter, Search, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatChoice } from '../../lib/format';
import { Form } from '../../parts/form';
import {
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  type ListingSearch,
  PROPERTY_TYPES,
  STATUSES,
  withSearch,
} from './search';

/** So long nothing must be typed before the service is asked. */
const TYPING_MS = 300;

export function FilterBar({ search }: { search: ListingSearch }) {
  const navigate = useNavigate();
  const apply = (changes: Record<string, string | undefined>, replace = false) =>
    void navigate({ to: '/listings', search: withSearch(search, changes), replace });
  const active = FILTER_NAMES.filter((name) => search[name] !== undefined);

  return (
    <Stack gap="xs" mb="md">
      <Group gap="xs" wrap="nowrap">
        <WordSearch q={search.q ?? ''} onChange={(q) => apply({ q }, true)} />
        <Filters key={JSON.stringify(search)} search={search} onApply={apply} count={active.length} />
      </Group>
      {active.length > 0 && (
        <Group gap={6}>
          {active.map((name) => (
            <Pill
              key={name}
              withRemoveButton
              size="md"
              onRemove={() => apply({ [name]: undefined })}
              removeButtonProps={{ 'aria-label': `Remove ${FILTERS[name]}`, tabIndex: 0, 'aria-hidden': false }}
            >
              {FILTERS[name]}: <bdi>{describe(name, search[name] ?? '')}</bdi>
            </Pill>
          ))}
          <Button size="compact-xs" variant="subtle" color="gray" c="dimmed" onClick={() => apply(noFilters())}>
            Clear all
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function noFilters(): Record<string, undefined> {
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]));
}

function describe(name: FilterName, value: string): string {
  if (name !== 'status' && name !== 'propertyType') return value;
  return value.split(',').map(formatChoice).join(', ');
}

function WordSearch({ q, onChange }: { q: string; onChange: (q: string) => void }) {
  const [typed, setTyped] = useState(q);
  const send = useDebouncedCallback(onChange, TYPING_MS);
  // The back button and "Clear" change the words, too.
  useEffect(() => setTyped(q), [q]);
  const change = (value: string) => {
    setTyped(value);
    send(value.trim());
  };
  return (
    <TextInput
      flex={1}
      type="search"
      aria-label="Search listings"
      placeholder="Search address, city or description"
      leftSection={<Search size={16} aria-hidden />}
      rightSection={
        typed !== '' && (
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Clear the search" onClick={() => change('')}>
            <X size={15} />
          </ActionIcon>
        )
      }
      value={typed}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

interface FiltersProps {
  search: ListingSearch;
  count: number;
  onApply: (changes: Record<string, string | undefined>) => void;
}

const TEXTS = [
  'city',
  'postalCode',
  'beds[gte]',
  'baths[gte]',
  'listPrice[gte]',
  'listPrice[lte]',
  'externalId',
] as const;
const NUMBERS = new Set<FilterName>(['beds[gte]', 'baths[gte]', 'listPrice[gte]', 'listPrice[lte]']);

function Filters({ search, count, onApply }: FiltersProps) {
  const [isOpen, panel] = useDisclosure();
  const [draft, setDraft] = useState<ListingSearch>(search);
  const set = (name: FilterName, value: string) => setDraft((before) => ({ ...before, [name]: value }));

  const apply = async () => {
    panel.close();
    onApply(Object.fromEntries(FILTER_NAMES.map((name) => [name, draft[name]?.trim()])));
  };

  return (
    <Popover
      opened={isOpen}
      onChange={panel.toggle}
      position="bottom-end"
      width="min(440px, calc(100vw - 24px))"
      shadow="md"
      trapFocus
      radius="md"
    >
      <Popover.Target>
        <Button variant="default" leftSection={<ListFilter size={16} />} onClick={panel.toggle}>
          Filters{count > 0 && ` (${count})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown mah="80dvh" style={{ overflowY: 'auto' }} aria-label="Filters">
        <Form onSubmit={apply}>
          <Stack gap="sm">
            <Choices
              label="Status"
              values={STATUSES}
              chosen={draft.status}
              onChange={(value) => set('status', value)}
            />
            <Choices
              label="Type"
              values={PROPERTY_TYPES}
              chosen={draft.propertyType}
              onChange={(value) => set('propertyType', value)}
            />
            <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="xs" verticalSpacing="xs">
              {TEXTS.map((name) => (
                <TextInput
                  key={name}
                  size="xs"
                  label={FILTERS[name]}
                  inputMode={NUMBERS.has(name) ? 'decimal' : 'text'}
                  value={draft[name] ?? ''}
                  onChange={({ currentTarget }) => set(name, currentTarget.value)}
                />
              ))}
            </SimpleGrid>
            <Group justify="flex-end" gap="xs">
              <Button size="xs" variant="default" onClick={() => onApply(noFilters())}>
                Clear
              </Button>
              <Button size="xs" type="submit">
                Apply
              </Button>
            </Group>
          </Stack>
        </Form>
      </Popover.Dropdown>
    </Popover>
  );
}

interface ChoicesProps {
  label: string;
  values: readonly string[];
  /** With commas between them. */
  chosen: string | undefined;
  onChange: (chosen: string) => void;
}

function Choices({ label, values, chosen = '', onChange }: ChoicesProps) {
  return (
    <Checkbox.Group
      label={label}
      size="xs"
      value={chosen === '' ? [] : chosen.split(',')}
      onChange={(next) => onChange(next.join(','))}
    >
      <SimpleGrid cols={2} spacing="xs" verticalSpacing={6} mt={6}>
        {values.map((value) => (
          <Checkbox key={value} size="xs" value={value} label={formatChoice(value)} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
