import { ActionIcon, Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { isPhotoGiven, type MetadataRow, newRowId, type PhotoRow } from './draft';

interface RowsProps<Row> {
  rows: Row[];
  /** Field → what the service said of it. */
  faults: Record<string, string>;
  onChange: (rows: Row[]) => void;
}

export function PhotoRows({ rows, faults, onChange }: RowsProps<PhotoRow>) {
  const edit = (id: number, change: Partial<PhotoRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...change } : row)));
  // The service counts those that were sent.
  const faultsOf = (row: PhotoRow) => `photos[${rows.filter(isPhotoGiven).indexOf(row)}]`;
  return (
    <Stack gap="xs">
      <Fault>{faults.photos}</Fault>
      {rows.map((row, index) => (
        <Group key={row.id} gap="xs" align="flex-start" wrap="nowrap">
          <Box className="row-inputs">
            <TextInput
              aria-label={`Address of photo ${index + 1}`}
              placeholder="https://…"
              inputMode="url"
              value={row.url}
              error={faults[`${faultsOf(row)}.url`] ?? faults[faultsOf(row)]}
              onChange={({ currentTarget }) => edit(row.id, { url: currentTarget.value })}
            />
            <TextInput
              aria-label={`Caption of photo ${index + 1}`}
              placeholder="Caption"
              value={row.caption}
              error={faults[`${faultsOf(row)}.caption`]}
              onChange={({ currentTarget }) => edit(row.id, { caption: currentTarget.value })}
            />
          </Box>
          <Remove
            label={`Remove photo ${index + 1}`}
            onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
          />
        </Group>
      ))}
      <Add label="Add a photo" onClick={() => onChange([...rows, { id: newRowId(), url: '', caption: '' }])} />
    </Stack>
  );
}

export function MetadataRows({ rows, faults, onChange }: RowsProps<MetadataRow>) {
  const edit = (id: number, change: Partial<MetadataRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...change } : row)));
  return (
    <Stack gap="xs">
      <Fault>{faults.metadata}</Fault>
      {rows.map(({ id, name, value }, index) => (
        <Group key={id} gap="xs" align="flex-start" wrap="nowrap">
          <Box className="row-inputs">
            <TextInput
              aria-label={`Name of value ${index + 1}`}
              placeholder="Name"
              value={name}
              error={faults[`metadata[${index}].name`]}
              onChange={({ currentTarget }) => edit(id, { name: currentTarget.value })}
            />
            <TextInput
              aria-label={`Value ${index + 1}`}
              placeholder="Value"
              value={value}
              error={faults[`metadata.${name.trim()}`]}
              onChange={({ currentTarget }) => edit(id, { value: currentTarget.value })}
            />
          </Box>
          <Remove label={`Remove value ${index + 1}`} onClick={() => onChange(rows.filter((row) => row.id !== id))} />
        </Group>
      ))}
      <Add label="Add a value" onClick={() => onChange([...rows, { id: newRowId(), name: '', value: '' }])} />
    </Stack>
  );
}

function Fault({ children }: { children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <Text size="sm" c="error" role="alert">
      {children}
    </Text>
  );
}

function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  // The row goes, and this with it.
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

function Add({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Group>
      <Button data-add variant="default" size="xs" leftSection={<Plus size={14} />} onClick={onClick}>
        {label}
      </Button>
    </Group>
  );
}
