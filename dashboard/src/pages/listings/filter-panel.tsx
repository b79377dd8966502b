import { Button, Checkbox, Group, Popover, SimpleGrid, TextInput } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { listingPropertyTypeValues, listingStatusValues } from '../../api/admin';
import { ApiError, type ValidationIssue } from '../../api/client';
import { listingsQuery, queryClient } from '../../api/queries';
import { formatChoice } from '../../lib/format';
import { readAmount, suggestAmount } from '../../lib/numbers';
import { useSubmit } from '../../lib/use-form';
import { Form } from '../../parts/form';
import {
  AMOUNTS,
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  type ListingSearch,
  NO_FILTERS,
  toListQuery,
  withSearch,
} from './search';

const CHOICES = [
  { name: 'status', values: listingStatusValues },
  { name: 'propertyType', values: listingPropertyTypeValues },
] as const;
const TEXTS = FILTER_NAMES.filter((name) => CHOICES.every((choice) => choice.name !== name));

interface FilterPanelProps {
  search: ListingSearch;
  count: number;
  buttonRef: RefObject<HTMLButtonElement | null>;
  onApply: (changes: Record<string, string | undefined>) => void;
}

/** Stays open until the service accepts the filters. */
export function FilterPanel({ search, count, buttonRef, onApply }: FilterPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState<ListingSearch>(search);
  const form = useSubmit((field) => TEXTS.some((name) => field === `query.${name}`));
  const set = (name: FilterName, value: string) => setDraft((before) => ({ ...before, [name]: value }));

  const toggle = (isNowOpen: boolean) => {
    setOpen(isNowOpen);
    if (!isNowOpen) return;
    setDraft(search);
    form.clear();
  };
  const close = (changes: Record<string, string | undefined>) => {
    onApply(changes);
    setOpen(false);
    buttonRef.current?.focus();
  };
  const apply = async () => {
    const changes = toFilters(draft);
    // The list then sends the same query and finds the response in the cache.
    await queryClient.fetchQuery(listingsQuery(toListQuery(withSearch(search, changes))));
    close(changes);
  };

  return (
    <Popover
      opened={isOpen}
      onChange={toggle}
      position="bottom-end"
      width="min(440px, calc(100vw - 24px))"
      shadow="md"
      trapFocus
      // On phones, the panel is long: it stays open when its button scrolls out of view.
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
        <Form form={form} onSubmit={apply} gap="sm">
          {CHOICES.map(({ name, values }) => (
            <Checkbox.Group
              key={name}
              label={FILTERS[name]}
              size="xs"
              value={draft[name] ? draft[name].split(',') : []}
              onChange={(chosen) => set(name, chosen.join(','))}
            >
              <SimpleGrid cols={2} spacing="xs" verticalSpacing={6} mt={6}>
                {values.map((value) => (
                  <Checkbox key={value} size="xs" value={value} label={formatChoice(value)} />
                ))}
              </SimpleGrid>
            </Checkbox.Group>
          ))}
          <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="xs" verticalSpacing="xs">
            {TEXTS.map((name) => (
              <TextInput
                key={name}
                size="xs"
                label={FILTERS[name]}
                inputMode={AMOUNTS.has(name) ? 'decimal' : 'text'}
                value={draft[name] ?? ''}
                error={form.errors.fields[`query.${name}`]}
                onChange={({ currentTarget }) => set(name, currentTarget.value)}
              />
            ))}
          </SimpleGrid>
          <Group justify="flex-end" gap="xs">
            <Button size="xs" variant="default" onClick={() => close(NO_FILTERS)}>
              Clear
            </Button>
            <Button size="xs" type="submit" loading={form.isBusy}>
              Apply
            </Button>
          </Group>
        </Form>
      </Popover.Dropdown>
    </Popover>
  );
}

/**
 * The filters for the URL; amounts lose their thousands separators.
 * @throws {ApiError} for ambiguous amounts
 */
function toFilters(draft: ListingSearch): Record<string, string | undefined> {
  const filters: Record<string, string | undefined> = {};
  const details: ValidationIssue[] = [];
  for (const name of FILTER_NAMES) {
    const text = draft[name]?.trim();
    filters[name] = text;
    if (!text || !AMOUNTS.has(name)) continue;
    const amount = readAmount(text);
    if (amount !== undefined) filters[name] = String(amount);
    else details.push({ field: `query.${name}`, code: 'invalid_type', message: suggestAmount(text) });
  }
  if (details.length > 0) throw new ApiError(400, 'invalid_query', 'Some filters are invalid.', { details });
  return filters;
}
