import { ActionIcon, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { isPhotoGiven, type MetadataRow, newRowId, type PhotoRow } from './draft';

interface RowsProps<Row> {
  rows: Row[];
  errors: Record<string, string>;
  onChange: (rows: Row[]) => void;
}

export function PhotoRows({ rows, errors, onChange }: RowsProps<PhotoRow>) {
  // In its error messages, the service numbers only the photos that were sent.
  const pathOf = (row: PhotoRow) => `photos[${rows.filter(isPhotoGiven).indexOf(row)}]`;
  return (
    <Rows
      rows={rows}
      onChange={onChange}
      error={errors.photos}
      noun="photo"
      blank={{ url: '', caption: '' }}
      inputs={[
        {
          name: 'url',
          label: 'URL',
          placeholder: 'https://…',
          error: (row) => errors[`${pathOf(row)}.url`] ?? errors[pathOf(row)],
        },
        { name: 'caption', label: 'Caption', error: (row) => errors[`${pathOf(row)}.caption`] },
      ]}
    />
  );
}

export function MetadataRows({ rows, errors, onChange }: RowsProps<MetadataRow>) {
  return (
    <Rows
      rows={rows}
      onChange={onChange}
      error={errors.metadata}
      noun="custom field"
      blank={{ name: '', value: '' }}
      inputs={[
        { name: 'name', label: 'Name', error: (row) => errors[`metadata[${rows.indexOf(row)}].name`] },
        { name: 'value', label: 'Value', error: ({ name }) => errors[`metadata.${name.trim()}`] },
      ]}
    />
  );
}

interface GenericRowsProps<Name extends string> {
  rows: TextRow<Name>[];
  onChange: (rows: TextRow<Name>[]) => void;
  error: string | undefined;
  noun: string;
  blank: Record<Name, string>;
  inputs: {
    name: Name;
    label: string;
    /** Default: the label. */
    placeholder?: string;
    error: (row: TextRow<Name>) => string | undefined;
  }[];
}

type TextRow<Name extends string> = { id: number } & Record<Name, string>;

function Rows<Name extends string>({ rows, onChange, error, noun, blank, inputs }: GenericRowsProps<Name>) {
  return (
    <Stack gap="xs">
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {rows.map((row, index) => (
        <Group key={row.id} gap="xs" align="flex-start" wrap="nowrap">
          <SimpleGrid cols={2} spacing={8} flex={1}>
            {inputs.map((input) => (
              <TextInput
                key={input.name}
                aria-label={`${input.label} of ${noun} ${index + 1}`}
                placeholder={input.placeholder ?? input.label}
                value={row[input.name]}
                error={input.error(row)}
                onChange={({ currentTarget: { value } }) =>
                  onChange(rows.map((other) => (other.id === row.id ? { ...other, [input.name]: value } : other)))
                }
              />
            ))}
          </SimpleGrid>
          <Remove
            label={`Remove ${noun} ${index + 1}`}
            onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
          />
        </Group>
      ))}
      <Group>
        <Button
          data-add
          size="xs"
          leftSection={<Plus size={14} />}
          onClick={() => onChange([...rows, { id: newRowId(), ...blank }])}
        >
          Add {noun}
        </Button>
      </Group>
    </Stack>
  );
}

function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  // Move the focus, because the button that has it disappears with its row.
  const remove = ({ currentTarget }: { currentTarget: Element }) => {
    const next = currentTarget.closest('section')?.querySelector<HTMLElement>('[data-add]');
    onClick();
    next?.focus();
  };
  return (
    <ActionIcon variant="subtle" color="gray" size={36} aria-label={label} onClick={remove}>
      <X size={16} />
    </ActionIcon>
  );
}
