import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ImportReport } from '../../api/types';
import { toCsv } from '../../lib/csv';
import { showNote } from '../../lib/focus';
import { formatNumber } from '../../lib/format';
import { describeRowIssue } from '../../lib/issue-texts';
import { saveFile } from '../../lib/save-file';
import { type Column, Table } from '../../parts/table';

/** The result of an import, or the expected result after a check. */
export function Report({ report, isDryRun }: { report: ImportReport; isDryRun: boolean }) {
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => showNote(result.current), []);
  const { created, updated, unchanged, failed, repeated, cleaned, errors } = report;
  const counts = [
    { label: isDryRun ? 'To be created' : 'Created', count: created },
    { label: isDryRun ? 'To be updated' : 'Updated', count: updated },
    { label: 'Unchanged', count: unchanged },
    { label: 'Failed', count: failed },
    ...(repeated > 0 ? [{ label: 'Repeated external IDs', count: repeated }] : []),
    ...(cleaned > 0 ? [{ label: 'Cleaned values', count: cleaned }] : []),
  ];
  return (
    <Stack>
      <SimpleGrid
        ref={result}
        tabIndex={-1}
        cols={{ base: 2, sm: 4 }}
        role="status"
        aria-label={isDryRun ? 'Result of the check' : 'Result'}
      >
        {counts.map(({ label, count }) => (
          <div key={label} className="card figure">
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <Text className="figure-number">{formatNumber(count)}</Text>
          </div>
        ))}
      </SimpleGrid>
      {failed > 0 && (
        <div className="card">
          <Table label="Failed rows" columns={COLUMNS} rows={errors.flatMap(toRows)} />
          <Group justify="space-between" p="md" gap="sm" className="page-controls">
            <Text size="sm" c="dimmed" flex="1 1 240px">
              {failed > errors.length && `The first ${errors.length} of ${formatNumber(failed)} failed rows. `}
              Fix them and import the file again.
            </Text>
            <Button size="xs" variant="default" leftSection={<Download size={14} />} onClick={() => download(errors)}>
              Download as CSV
            </Button>
          </Group>
        </div>
      )}
    </Stack>
  );
}

function download(errors: ImportReport['errors']): void {
  const csv = toCsv(['line', 'externalId', 'field', 'problem'], errors.flatMap(toRows));
  saveFile(new Blob([csv], { type: 'text/csv' }), 'failed-rows.csv');
}

const COLUMNS: Column<ReturnType<typeof toRows>[number]>[] = [
  { label: 'Line', className: 'number', cell: ({ line }) => line },
  { label: 'External ID', cell: ({ externalId }) => <bdi>{externalId}</bdi> },
  { label: 'Field', cell: ({ field }) => <code>{field}</code> },
  { label: 'Problem', className: 'wide', cell: ({ problem }) => <bdi>{problem}</bdi> },
];

/** One row for each invalid field. */
function toRows({ line, externalId, message, details = [] }: ImportReport['errors'][number]) {
  const issues = details.length === 0 ? [{ field: '', code: '', message }] : details;
  return issues.map((issue) => ({
    id: `${line} ${issue.field}`,
    line,
    externalId,
    field: issue.field,
    problem: describeRowIssue(issue),
  }));
}
