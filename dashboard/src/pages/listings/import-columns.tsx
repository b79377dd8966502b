import { Anchor, Button, Group, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { saveFile } from '../../lib/save-file';
import { COLUMNS, makeTemplate } from './columns';
import { FORM_FIELDS } from './form-fields';

const IN_FORM = new Map(FORM_FIELDS.map(({ name, label, isRequired }) => [name, { label, isRequired }]));
const ROWS_IN_FORM: Record<string, string> = { photos: 'Photos', metadata: 'Values of your own' };

/** What a file can have, and a file to begin with. */
export function ImportColumns() {
  const download = () => saveFile(new Blob([makeTemplate()], { type: 'text/csv' }), 'listings-template.csv');
  return (
    <section className="card form-section">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 300px">
          The first row names the columns, with commas between them. Only <code>address</code>, <code>beds</code> and{' '}
          <code>baths</code> must be there.
        </Text>
        <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={download}>
          Download a template
        </Button>
      </Group>
      <details className="columns">
        <summary>All columns</summary>
        <div className="table-wrap">
          <table className="table" aria-label="Columns">
            <thead>
              <tr>
                <th scope="col">Column</th>
                <th scope="col">In the form</th>
                <th scope="col" className="from-medium">
                  Example
                </th>
              </tr>
            </thead>
            <tbody>
              {COLUMNS.map(({ name, example }) => (
                <tr key={name}>
                  <td>
                    <code>{name}</code>
                  </td>
                  <td>
                    {IN_FORM.get(name)?.label ?? ROWS_IN_FORM[name]}
                    {IN_FORM.get(name)?.isRequired && ', required'}
                  </td>
                  <td className="example from-medium">
                    <code>{example}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <Text size="sm" c="dimmed" mt="sm">
          Numbers have a point before decimals and nothing between thousands. For a listing that is there already, a
          column that the file does not have stays as it is; an empty cell removes what was there. Files with the names
          of the RESO Data Dictionary, as MLS systems export them (<code>ListPrice</code>, <code>BedroomsTotal</code>),
          are understood, too. More stands in the{' '}
          <Anchor href="/docs" target="_blank" rel="noreferrer" size="sm" underline="always">
            reference
          </Anchor>
          .
        </Text>
      </details>
    </section>
  );
}
