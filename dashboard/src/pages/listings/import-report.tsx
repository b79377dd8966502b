import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { ImportReport } from '../../api/types';
import { sayFault } from '../../lib/fault-words';
import { showNote } from '../../lib/focus';
import { formatNumber } from '../../lib/format';

/** What came of each row, or would have. */
export function Report({ report, isDryRun }: { report: ImportReport; isDryRun: boolean }) {
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => showNote(result.current), []);
  const { created, updated, unchanged, failed, errors } = report;
  const counts = [
    { label: isDryRun ? 'Would be created' : 'Created', count: created },
    { label: isDryRun ? 'Would be changed' : 'Changed', count: updated },
    { label: 'As they are already', count: unchanged },
    { label: 'Refused', count: failed },
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
      {failed > 0 && <RefusedRows errors={errors} failed={failed} />}
    </Stack>
  );
}

function RefusedRows({ errors, failed }: { errors: ImportReport['errors']; failed: number }) {
  return (
    <div className="card">
      <div className="table-wrap">
        <table className="table" aria-label="Refused rows">
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Field</th>
              <th scope="col">What is wrong</th>
            </tr>
          </thead>
          <tbody>{errors.flatMap(toRows)}</tbody>
        </table>
      </div>
      {failed > errors.length && (
        <Text size="sm" c="dimmed" p="md">
          These are the first {errors.length} of {formatNumber(failed)}. Mend them and import the file again.
        </Text>
      )}
    </div>
  );
}

type RefusedRow = ImportReport['errors'][number];

function toRows({ line, message, details = [] }: RefusedRow) {
  const faults = details.length === 0 ? [{ field: '', code: '', message }] : details;
  return faults.map((fault) => (
    <tr key={`${line} ${fault.field}`}>
      <td className="number">{line}</td>
      <td>
        <code>{fault.field}</code>
      </td>
      <td className="wide">
        <bdi>{sayFault(fault)}</bdi>
      </td>
    </tr>
  ));
}
