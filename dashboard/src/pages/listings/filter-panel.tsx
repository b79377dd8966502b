import { Button, Group, Popover, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { ApiError, type FieldFault } from '../../api/client';
import { listingsQuery, queryClient } from '../../api/queries';
import { useFaults } from '../../lib/faults';
import { readAmount, sayHowToWrite } from '../../lib/numbers';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { Choices } from './choices';
import {
  AMOUNTS,
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  type ListingSearch,
  NO_FILTERS,
  PROPERTY_TYPES,
  STATUSES,
  toListQuery,
  withSearch,
} from './search';

interface FilterPanelProps {
  search: ListingSearch;
  count: number;
  buttonRef: RefObject<HTMLButtonElement | null>;
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

/** What narrows the list down. It stays open until the service has understood it. */
export function FilterPanel({ search, count, buttonRef, onApply }: FilterPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState<ListingSearch>(search);
  const { faults, isBusy, submit, clear } = useFaults((field) => TEXTS.some((name) => field === `query.${name}`));
  const set = (name: FilterName, value: string) => setDraft((before) => ({ ...before, [name]: value }));

  const toggle = (isNowOpen: boolean) => {
    setOpen(isNowOpen);
    if (!isNowOpen) return;
    setDraft(search);
    clear();
  };
  const close = (changes: Record<string, string | undefined>) => {
    onApply(changes);
    setOpen(false);
    buttonRef.current?.focus();
  };
  const apply = () =>
    submit(async () => {
      const changes = toFilters(draft);
      // The page that will be shown.
      await queryClient.fetchQuery(listingsQuery(toListQuery(withSearch(search, changes))));
      close(changes);
    });

  return (
    <Popover
      opened={isOpen}
      onChange={toggle}
      position="bottom-end"
      width="min(440px, calc(100vw - 24px))"
      shadow="md"
      trapFocus
      // On a phone the panel is longer than the window: it stays when its button is out of sight.
      hideDetached={false}
      radius="md"
    >
      <Popover.Target>
        <Button
          ref={buttonRef}
          variant="default"
          leftSection={<ListFilter size={16} />}
          onClick={() => toggle(!isOpen)}
        >
          Filters{count > 0 && ` (${count})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown mah="80dvh" style={{ overflowY: 'auto' }} aria-label="Filters">
        <Form onSubmit={apply}>
          <Stack gap="sm">
            <FormError>{faults.general}</FormError>
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
                  inputMode={AMOUNTS.has(name) ? 'decimal' : 'text'}
                  value={draft[name] ?? ''}
                  error={faults.fields[`query.${name}`]}
                  onChange={({ currentTarget }) => set(name, currentTarget.value)}
                />
              ))}
            </SimpleGrid>
            <Group justify="flex-end" gap="xs">
              <Button size="xs" variant="default" onClick={() => close(NO_FILTERS)}>
                Clear
              </Button>
              <Button size="xs" type="submit" loading={isBusy}>
                Apply
              </Button>
            </Group>
          </Stack>
        </Form>
      </Popover.Dropdown>
    </Popover>
  );
}

/**
 * What the address says of the filters: amounts without what stands between their thousands.
 * @throws {ApiError} for amounts that cannot be told
 */
function toFilters(draft: ListingSearch): Record<string, string | undefined> {
  const filters: Record<string, string | undefined> = {};
  const details: FieldFault[] = [];
  for (const name of FILTER_NAMES) {
    const text = draft[name]?.trim();
    filters[name] = text;
    if (!text || !AMOUNTS.has(name)) continue;
    const amount = readAmount(text);
    if (amount !== undefined) filters[name] = String(amount);
    else details.push({ field: `query.${name}`, code: 'invalid_type', message: sayHowToWrite(text) });
  }
  if (details.length > 0) throw new ApiError(400, 'invalid_query', 'Some filters cannot be told.', { details });
  return filters;
}
