import { Anchor, Button, Group, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { saveFile } from '../../lib/save-file';
import { makeTemplate } from './columns';

/** Explains what a file can contain, and offers a template. */
export function ImportColumns() {
  const download = () => saveFile(new Blob([makeTemplate()], { type: 'text/csv' }), 'listings-template.csv');
  return (
    <section className="card form-section">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 300px">
          The first row of a CSV file must contain the column names. Use your own, those of the{' '}
          <Anchor href="/docs" target="_blank" rel="noreferrer" size="sm" underline="always">
            API
          </Anchor>
          , or RESO’s; in the next step, you match them to fields. When a row updates a listing, fields without a column
          keep their values, and an empty cell removes the value.
        </Text>
        <Button size="xs" leftSection={<Download size={14} />} onClick={download}>
          Download template
        </Button>
      </Group>
    </section>
  );
}
