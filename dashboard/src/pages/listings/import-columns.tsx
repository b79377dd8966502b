import { Anchor, Button, Group, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { saveFile } from '../../lib/save-file';
import { type Column, Table } from '../../parts/table';
import { COLUMNS, makeTemplate } from './columns';
import { FORM_FIELDS } from './form-fields';

const LABELS = new Map<string, string>([
  ...FORM_FIELDS.map(({ name, label, isRequired }) => [name, isRequired ? `${label} (required)` : label] as const),
  ['photos', 'Photos'],
  ['metadata', 'Custom fields'],
]);

const ROWS = COLUMNS.map(({ name, example }) => ({ id: name, example }));
const TABLE_COLUMNS: Column<(typeof ROWS)[number]>[] = [
  { label: 'Column', cell: ({ id }) => <code>{id}</code> },
  { label: 'Field', cell: ({ id }) => LABELS.get(id) },
  { label: 'Example', className: 'example from-medium', cell: ({ example }) => <code>{example}</code> },
];

export function ImportColumns() {
  const download = () => saveFile(new Blob([makeTemplate()], { type: 'text/csv' }), 'listings-template.csv');
  return (
    <section className="card form-section">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 300px">
          The first row has the column names. Only <code>address</code>, <code>beds</code>, and <code>baths</code> are
          required.
        </Text>
        <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={download}>
          Download template
        </Button>
      </Group>
      <details className="columns">
        <summary>All columns</summary>
        <Table label="Columns" columns={TABLE_COLUMNS} rows={ROWS} />
        <Text size="sm" c="dimmed" mt="sm">
          Write numbers with a decimal point and without thousands separators. When a row updates a listing, missing
          columns keep their values and empty cells remove them. RESO Data Dictionary names, as in MLS exports (
          <code>ListPrice</code>, <code>BedroomsTotal</code>), also work. See the{' '}
          <Anchor href="/docs" target="_blank" rel="noreferrer" size="sm" underline="always">
            API docs
          </Anchor>
          .
        </Text>
      </details>
    </section>
  );
}
