import { Button, CloseButton, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { type FileColumn, findRepeated, type Targets } from '../../lib/columns';
import { type Column, DataTable, Subline } from '../../parts/data-table';
import { FORM_FIELDS } from './form-fields';

const FIELDS = [
  ...FORM_FIELDS.map(({ name, label }) => ({ value: String(name), label })),
  { value: 'photos', label: 'Photos (JSON)' },
  { value: 'metadata', label: 'Custom fields (JSON)' },
];
/** RESO names of columns that contribute to a field, such as full baths. */
const PARTS = [
  { value: 'LotSizeAcres', label: 'Lot size in acres' },
  { value: 'LotSizeSquareFeet', label: 'Lot size in square feet' },
  { value: 'LotSizeSquareMeters', label: 'Lot size in square meters' },
  { value: 'BathroomsFull', label: 'Full baths' },
  { value: 'BathroomsThreeQuarter', label: 'Three-quarter baths' },
  { value: 'BathroomsHalf', label: 'Half baths' },
  { value: 'BathroomsOneQuarter', label: 'Quarter baths' },
  { value: 'ListingId', label: 'Second external ID' },
];
const LABELS = new Map([...FIELDS, ...PARTS].map(({ value, label }) => [value, label]));
const SKIP = { value: '', label: 'Not imported' };

interface ColumnMappingProps {
  columns: FileColumn[];
  targets: Targets;
  onChange: (targets: Targets) => void;
  /** Adds a button that removes the mapping of a column. */
  onRemove?: (name: string) => void;
}

/** Lets the user choose the field of each column in a file. */
export function ColumnMapping({ columns, targets, onChange, onRemove }: ColumnMappingProps) {
  const repeated = findRepeated(targets);
  const rows = columns.map((column) => ({ ...column, id: column.name }));
  const shown: Column<(typeof rows)[number]>[] = [
    { label: 'Column', cell: (column) => <ColumnName column={column} /> },
    {
      label: 'Field',
      cell: ({ name, field }) => (
        <FieldSelect
          name={name}
          field={field}
          target={targets[name] ?? ''}
          isRepeated={repeated.has(targets[name] ?? '')}
          onChange={(target) => onChange({ ...targets, [name]: target })}
        />
      ),
    },
  ];
  const remove = ({ name }: FileColumn) => (
    <CloseButton size="sm" aria-label={`Remove ${name}`} onClick={() => onRemove?.(name)} />
  );
  return (
    <div className="card">
      <DataTable label="Columns of the file" columns={shown} rows={rows} {...(onRemove && { actions: remove })} />
    </div>
  );
}

function ColumnName({ column: { name, samples } }: { column: FileColumn }) {
  return (
    <>
      <Text component="bdi" size="sm" fw={500}>
        {name === '' ? '(no name)' : name}
      </Text>
      {samples.length > 0 && (
        <Subline>
          <bdi title={samples.join('\n')}>{samples.join(' · ')}</bdi>
        </Subline>
      )}
    </>
  );
}

interface FieldSelectProps {
  name: string;
  field: string | null;
  target: string;
  isRepeated: boolean;
  onChange: (target: string) => void;
}

function FieldSelect({ name, field, target, isRepeated, onChange }: FieldSelectProps) {
  const data = useMemo(() => {
    const custom = customField(name);
    // Values that are not in the lists: a field that the service sets, such as `version`, or a member of
    // `metadata` whose name differs from the column's.
    const others = [...new Set([field ?? '', target])].filter((value) => value !== '' && !LABELS.has(value));
    return [
      SKIP,
      { group: 'Fields', items: FIELDS },
      { group: 'Parts of fields', items: PARTS },
      {
        group: 'Other',
        items: [
          { value: custom, label: `Custom field “${name}”` },
          ...others.filter((value) => value !== custom).map((value) => ({ value, label: value })),
        ],
      },
    ];
  }, [name, field, target]);
  return (
    <NativeSelect
      size="xs"
      aria-label={`Field of ${name}`}
      data={data}
      value={target}
      error={isRepeated && 'Another column is mapped to this field.'}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** The maximum length of a custom field's name. */
const NAME_LENGTH_MAX = 40;

function customField(name: string): string {
  return `metadata.${name.trim().normalize('NFC').slice(0, NAME_LENGTH_MAX)}`;
}

const REQUIRED = ['address', 'beds', 'baths'];

/** Shows which columns are not imported, and which required fields have no column. */
export function MappingSummary({ columns, targets, onChange }: ColumnMappingProps) {
  const skipped = columns.filter(({ name }) => targets[name] === '');
  const given = Object.values(targets);
  const hasBaths = given.some((target) => target.startsWith('Bathrooms'));
  const missing = REQUIRED.filter((field) => !given.includes(field) && !(field === 'baths' && hasBaths));
  const keep = () => {
    const kept = skipped.filter(({ name }) => name !== '').map(({ name }) => [name, customField(name)]);
    onChange({ ...targets, ...Object.fromEntries(kept) });
  };
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 240px">
          {columns.length - skipped.length} of {columns.length} columns are imported.
          {skipped.length > 0 && <> Not imported: {skipped.map(({ name }) => name || '(no name)').join(', ')}.</>}
        </Text>
        {skipped.length > 0 && (
          <Button size="xs" onClick={keep}>
            Keep them as custom fields
          </Button>
        )}
      </Group>
      {missing.length > 0 && (
        <Text size="sm" c="dimmed">
          No column is mapped to {missing.map((field) => LABELS.get(field)).join(', ')}. Unless you set default values
          for these fields, rows can update listings, but not create them.
        </Text>
      )}
    </Stack>
  );
}
