import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ApiError, type FieldFault } from '../../api/client';
import { refreshListings } from '../../api/queries';
import type { ImportReport } from '../../api/types';
import { upload } from '../../api/upload';
import { useFaults } from '../../lib/faults';
import { FormError } from '../../parts/form-error';
import { Page } from '../../parts/page';
import { BackLink } from './back';
import { ColumnFaults } from './column-faults';
import { FileDrop } from './file-drop';
import { ImportColumns } from './import-columns';
import { Report } from './import-report';

/** Many listings at once from a file; what is refused is told row by row. */
export function ImportPage() {
  const [file, setFile] = useState<File>();
  const [columnFaults, setColumnFaults] = useState<FieldFault[]>([]);
  const [ignoreUnknown, setIgnoreUnknown] = useState(false);
  const { faults, isBusy, submit, clear } = useFaults(() => false);
  const [progress, setProgress] = useState(0);
  const [result, setResult] = useState<{ report: ImportReport; isDryRun: boolean }>();
  const running = useRef(new AbortController());

  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    setColumnFaults([]);
    setIgnoreUnknown(false);
    setResult(undefined);
    clear();
  };
  const send = (isDryRun: boolean) =>
    submit(async () => {
      if (file === undefined) return;
      setProgress(0);
      setResult(undefined);
      if (!ignoreUnknown) setColumnFaults([]);
      running.current = new AbortController();
      const query = { dryRun: isDryRun ? 'true' : undefined, ignoreUnknown: ignoreUnknown ? 'true' : undefined };
      const { signal } = running.current;
      const type = typeOf(file);
      try {
        const report = await upload<ImportReport>('/admin/imports', query, file, type, setProgress, signal);
        setResult({ report, isDryRun });
      } catch (error) {
        // A file that could not be read to its end: what came of the rows before.
        if (error instanceof ApiError && hasRows(error.members)) setResult({ report: error.members, isDryRun });
        if (!isAboutColumns(error)) throw error;
        setColumnFaults(error.details);
      } finally {
        void refreshListings();
      }
    });

  // Sent once more, rows without an id of their own would be there twice.
  const isImported = result?.isDryRun === false && faults.general === undefined;

  return (
    <Page
      title="Import"
      above={<BackLink />}
      description={
        <>
          Many listings at once from a file. A row whose <code>externalId</code> (your own id) is known changes that
          listing; rows without one are new listings each time.
        </>
      }
    >
      <Stack>
        <FileDrop file={file} onChoose={choose} isDisabled={isBusy} />
        <FormError>{faults.general}</FormError>
        {columnFaults.length > 0 && !isImported && (
          <ColumnFaults faults={columnFaults} isIgnored={ignoreUnknown} onIgnore={setIgnoreUnknown} />
        )}
        {file !== undefined && !isImported && (
          <Group justify="flex-end" gap="xs">
            <Button variant="default" disabled={isBusy} onClick={() => send(true)}>
              Check only
            </Button>
            <Button loading={isBusy} onClick={() => send(false)}>
              Import
            </Button>
          </Group>
        )}
        {isBusy && <Sending progress={progress} onStop={() => running.current.abort()} />}
        {result !== undefined && <Report {...result} />}
        {isImported && (
          <Group justify="flex-end">
            <Button renderRoot={(props) => <Link to="/listings" {...props} />}>Go to listings</Button>
          </Group>
        )}
        <ImportColumns />
      </Stack>
    </Page>
  );
}

function Sending({ progress, onStop }: { progress: number; onStop: () => void }) {
  const percent = Math.round(progress * 100);
  return (
    <Group gap="md" wrap="nowrap">
      <Stack gap={6} flex={1}>
        <Progress value={percent} aria-label="Import" animated={percent === 100} />
        <Text size="sm" c="dimmed" role="status">
          {percent < 100 ? `${percent} % sent` : 'All is sent; the last rows are being saved'}
        </Text>
      </Stack>
      <Button size="xs" variant="default" onClick={onStop}>
        Stop
      </Button>
    </Group>
  );
}

/** Whether anything came of the rows before a file could not be read on. */
function hasRows(members: Partial<ImportReport>): members is ImportReport {
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = members;
  return created + updated + unchanged + failed > 0;
}

/** A file is refused for its columns before any row is read. */
function isAboutColumns(error: unknown): error is ApiError {
  return error instanceof ApiError && error.details.length > 0 && error.members.line === 1;
}

const TYPES: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

function typeOf({ name }: File): string {
  return TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/csv';
}
