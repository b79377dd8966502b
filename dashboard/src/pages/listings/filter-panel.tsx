import { Button, Checkbox, Group, Popover, SimpleGrid, TextInput } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { ApiError, type ValidationIssue } from '../../api/client';
import { listingsQuery, queryClient } from '../../api/queries';
import { formatChoice } from '../../lib/format';
import { readAmount, suggestAmount } from '../../lib/numbers';
import { type Submission, useSubmit } from '../../lib/use-form';
import { Form } from '../../parts/form';
import {
  FILTERS,
  type Filter,
  type ListingSearch,
  MAIN_FILTERS,
  MORE_FILTERS,
  NO_FILTERS,
  toListQuery,
  withSearch,
} from './search';

interface FilterPanelProps {
  search: ListingSearch;
  count: number;
  buttonRef: RefObject<HTMLButtonElement | null>;
  onApply: (changes: ListingSearch) => void;
}

/** The panel with all filters. It stays open until the service accepts the filters. */
export function FilterPanel({ search, count, buttonRef, onApply }: FilterPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState<ListingSearch>(search);
  const form = useSubmit((field) => FILTERS.some(({ name }) => field === `query.${name}`));
  const set = (name: string, value: string) => {
    setDraft((before) => ({ ...before, [name]: value }));
    form.clearField(`query.${name}`);
  };

  const toggle = (isNowOpen: boolean) => {
    setOpen(isNowOpen);
    if (!isNowOpen) return;
    setDraft(search);
    form.clear();
  };
  const close = (changes: ListingSearch) => {
    onApply(changes);
    setOpen(false);
    buttonRef.current?.focus();
  };
  const apply = async () => {
    const changes = toFilters(draft);
    // The list sends the same query later, and finds its response in the cache.
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
      // On phones, the panel is long, so it must stay open when its button scrolls out of view.
      hideDetached={false}
      radius="md"
    >
      <Popover.Target>
        <Button ref={buttonRef} leftSection={<ListFilter size={16} />} onClick={() => toggle(!isOpen)}>
          Filters{count > 0 && ` (${count})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown mah="80dvh" style={{ overflowY: 'auto' }} aria-label="Filters">
        <Form form={form} onSubmit={apply} gap="sm">
          {MAIN_FILTERS.filter(({ values }) => values !== undefined).map(({ name, label, values = [] }) => (
            <Checkbox.Group
              key={name}
              label={label}
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
          <Inputs filters={MAIN_FILTERS} {...{ draft, set, form }} />
          <details className="more" open={MORE_FILTERS.some(({ name }) => search[name] !== undefined)}>
            <summary>More filters</summary>
            <Inputs filters={MORE_FILTERS} {...{ draft, set, form }} />
          </details>
          <Group justify="flex-end" gap="xs" className="sticky-actions">
            <Button size="xs" onClick={() => close(NO_FILTERS)}>
              Clear
            </Button>
            <Button variant="filled" size="xs" type="submit" loading={form.isBusy}>
              Apply
            </Button>
          </Group>
        </Form>
      </Popover.Dropdown>
    </Popover>
  );
}

interface InputsProps {
  filters: Filter[];
  draft: ListingSearch;
  set: (name: string, value: string) => void;
  form: Submission;
}

function Inputs({ filters, draft, set, form }: InputsProps) {
  return (
    <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
      {filters
        .filter(({ kind }) => kind !== 'choice')
        .map(({ name, label, kind }) => (
          <TextInput
            key={name}
            size="xs"
            label={label}
            type={kind === 'date' ? 'date' : 'text'}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            value={draft[name] ?? ''}
            error={form.errors.fields[`query.${name}`]}
            onChange={({ currentTarget }) => set(name, currentTarget.value)}
          />
        ))}
    </SimpleGrid>
  );
}

/**
 * Converts the draft to filters for the URL, and removes thousands separators from amounts.
 * @throws {ApiError} for amounts that are ambiguous or not numbers
 */
function toFilters(draft: ListingSearch): ListingSearch {
  const filters: ListingSearch = {};
  const details: ValidationIssue[] = [];
  for (const { name, kind } of FILTERS) {
    const text = draft[name]?.trim();
    filters[name] = text;
    if (!text || kind !== 'number') continue;
    const amount = readAmount(text);
    if (amount !== undefined) filters[name] = String(amount);
    else details.push({ field: `query.${name}`, code: 'invalid_type', message: suggestAmount(text) });
  }
  if (details.length > 0) throw new ApiError(400, 'invalid_query', 'Some filters are invalid.', { details });
  return filters;
}
