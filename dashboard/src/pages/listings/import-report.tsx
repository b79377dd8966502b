import { Button, Stack } from '@mantine/core';
import { Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Targets } from '../../lib/columns';
import { showNote } from '../../lib/focus';
import { attempt } from '../../lib/notify';
import { type ImportResult, saveFailedRows } from '../../lib/running-import';
import { Counts } from '../../parts/counts';
import { FailedRows, FileWarnings } from './failed-rows';

interface ReportProps {
  file: File;
  targets: Targets;
  result: ImportResult;
}

/** The result of an import, or the expected result after a check. */
export function Report({ file, targets, result: { report, isDryRun, failedRows } }: ReportProps) {
  const counts = useRef<HTMLDivElement>(null);
  useEffect(() => showNote(counts.current), []);
  const { created, updated, unchanged, failed, repeated, cleaned, errors } = report;
  const shown = {
    [isDryRun ? 'To be created' : 'Created']: created,
    [isDryRun ? 'To be updated' : 'Updated']: updated,
    Unchanged: unchanged,
    Failed: failed,
    'Repeated external IDs': repeated || undefined,
    'Cleaned values': cleaned || undefined,
  };
  // Reading can fail: the file may have been deleted, or changed by another program.
  const download = () => attempt('The file can’t be read', () => saveFailedRows(file, report));
  return (
    <Stack>
      <Counts ref={counts} label={isDryRun ? 'Result of the check' : 'Result'} counts={shown} />
      <FileWarnings warnings={report.warnings} />
      <FailedRows
        errors={errors}
        count={failed}
        rows={failedRows}
        targets={targets}
        actions={
          <Button size="xs" leftSection={<Download size={14} />} onClick={download}>
            Download failed rows
          </Button>
        }
      />
    </Stack>
  );
}
